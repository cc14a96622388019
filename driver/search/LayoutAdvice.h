#pragma once
//===- LayoutAdvice.h - Changes of a layout that gain most, tried in its file -----------------===//
#include "driver/workspace/Workspace.h"
#include "planner/Advice.h"

namespace dpl::search {

/// The file of a layout, and how the command line compiles it.
struct LayoutFile {
  Workspace& workspace;
  std::string path;
  std::vector<Override> overrides;
};

/// The complete plan of the file in which some fields of a layout are changed, completed as by
/// `dplc check`. None if it is illegal, does not fit, or breaks an assertion.
std::optional<ir::Plan> planWith(const LayoutFile& file, const std::string& layout,
                                 llvm::ArrayRef<planner::FieldSetting> settings);

struct AdviceOptions {
  std::size_t keep = 1;       ///< number of changes to find, each to another field or block
  unsigned mostCompiled = 24; ///< limit on the changed files that are compiled
  /// Whether a changed plan is of interest. If empty, every plan is.
  std::function<bool(const ir::Plan&)> wanted;
};
/// The changes of a layout in its file that gain most. The program that trains the layout must
/// accept them; without a `framework`, some program that accepts the layout must. Relies on: `plan`
/// is complete.
planner::AdviceResult adviceOn(const ir::Plan& plan, const LayoutFile& file,
                               const AdviceOptions& options);

} // namespace dpl::search
