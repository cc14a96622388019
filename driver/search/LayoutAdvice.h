#pragma once
//===- LayoutAdvice.h - Changes of a layout that gain most, tried in its file -----------------===//
#include "driver/workspace/Workspace.h"
#include "planner/Advice.h"

namespace dpl::search {

/// The file of a layout, as the command line compiles it.
struct LayoutFile {
  Workspace& workspace;
  std::string path;
  std::vector<Override> overrides;
};

/// The complete plan of the file with changed fields of a layout, as `dplc check` completes it.
/// None if it is illegal, does not fit, or breaks an assertion.
std::optional<ir::Plan> planWith(const LayoutFile& file, const std::string& layout,
                                 llvm::ArrayRef<planner::FieldSetting> settings);

struct AdviceOptions {
  std::size_t keep = 1;       ///< number of changes to find, each of another field or block
  unsigned mostCompiled = 24; ///< limit of changed files that are compiled
  /// Whether a changed plan is wanted; empty: every one is.
  std::function<bool(const ir::Plan&)> wanted;
};
/// The changes of a layout of the file that gain most. The program that trains the layout accepts
/// them; without a `framework`, a program that accepts the layout does. Relies on: `plan` is
/// complete.
planner::AdviceResult adviceOn(const ir::Plan& plan, const LayoutFile& file,
                               const AdviceOptions& options);

} // namespace dpl::search
