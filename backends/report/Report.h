#pragma once
//===- Report.h - Output of a plan for people and scripts -------------------------------------===//
//
// Pure functions from a complete plan to text or JSON. They compute no figures: each value comes
// from the plan or its figures, so that screen, report and JSON agree.
#include "figures/Figures.h"
#include <string>
#include <vector>

namespace dpl {
class Json;
}

namespace dpl::report {

/// One screen: the plan, whether it fits, its speed, and its largest losses of time. `width` is the
/// columns of the terminal, at least 60. `warnings` is the number that check reported.
std::string renderCheck(const ir::Plan& plan, unsigned width, unsigned warnings);

/// A change of a layout and the complete plan of the changed file.
struct ChangedLayout {
  std::string change; ///< lines of the layout block, joined by commas
  const ir::Plan& plan;
};
/// The last lines of the screen: the change that gains most, or that none gains if there is none.
/// `all` is false if some changes were not tried.
std::string renderAdvice(const ir::Plan& plan, const ChangedLayout* best, bool all, unsigned width);

/// The full breakdown.
std::string renderReport(const ir::Plan& plan, unsigned width);

/// The schedule, one line per pipeline rank, with the waiting times of the ranks. `colour` is for
/// terminals with colours.
std::string renderTimeline(const ir::Plan& plan, unsigned width, bool colour);

/// The schedule and the memory of the fullest pipeline ranks over the step, as an SVG file.
std::string renderSvg(const ir::Plan& plan);

/// The whole report and all figures with their derivation. docs/reference/json.md describes the
/// fields. Numbers are in the base unit of their name or `unit`. `where` finds the place where a
/// declared fact is set.
Json reportJson(const ir::Plan& plan, figures::FieldLocator where = {});

/// Only the figures of these paths, one per line; a dash if the plan lacks one.
std::string chosenFigures(const ir::Plan& plan, llvm::ArrayRef<std::string> paths, unsigned width);
Json chosenFiguresJson(const ir::Plan& plan, llvm::ArrayRef<std::string> paths);

/// The open fields and objectives of a search or study, as lines for the screen.
std::string spaceLines(const ir::Space& space, unsigned width);
Json spaceJson(const ir::Space& space);
Json runJson(const ir::Run& run);

/// The candidates of `schedule = auto`; empty without it.
std::string candidateLines(const ir::Plan& plan, unsigned width);
Json candidatesJson(const ir::Plan& plan);

/// The derivation of a figure down to its leaves, wrapped to `width` columns. For a prefix of
/// several figures ("memory"), their list. Empty if no figure has that name.
std::string why(const figures::Figures& figures, const std::string& path, unsigned width = 100);

} // namespace dpl::report
