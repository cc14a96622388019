#pragma once
//===- FiguresOfPoints.h - Some figures of a layout with other settings -----------------------===//
#include "driver/workspace/Workspace.h"
#include "support/Json.h"

namespace dpl::study {

/// Compiles one layout again and again with other settings, and computes only some of its figures.
/// Declarations that no setting changes are evaluated once.
class FiguresOfPoints {
public:
  FiguresOfPoints(std::string path, std::string layout, const std::vector<std::string>& figures);
  /// Replaces the file at the path.
  void useText(std::string replacement) { text = std::move(replacement); }
  /// `values` in base units, null where the plan has no such figure; if the plan is illegal or does
  /// not fit, also `refused` with the first error.
  Json at(const std::vector<Override>& settings);
  /// The base unit of each figure; null if no point had a value.
  Json units() const;

private:
  std::string path, layout;
  std::optional<std::string> text;
  std::vector<std::string> figures; ///< as paths of the table of figures
  std::vector<std::optional<std::string>> unitOf;
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0; ///< points of the workspace
};

} // namespace dpl::study
