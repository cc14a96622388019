#pragma once
//===- PlanChanges.h - Changes of a layout that may take less memory --------------------------===//
#include "ir/Plan.h"
#include <functional>

namespace dpl {

/// A change of the layout and what the file would say.
struct PlanChange {
  std::string field; ///< path of the block or value that it writes: "recompute.layers"
  std::string text;  ///< as the language writes it, in backquotes
  std::function<void(ir::Plan&)> change;
};
PlanChange microBatchOf(const ir::Plan& plan, std::uint64_t size);
/// Changes that offload less than the plan does, down to nothing.
std::vector<PlanChange> lighterOffloads(const ir::Plan& plan);
/// Whether one writes what the other does.
bool meet(const PlanChange& a, const PlanChange& b);

/// Changes of one kind: of those that take no less than a fitting one none need be tried.
struct ChangeFamily {
  std::vector<PlanChange> changes;
  bool ascending = false; ///< each takes less memory and more time than the one before
  bool together = false;  ///< none is legal alone, each is with another family's change
};
/// All that a layout could say otherwise, but for what the file says of its program (`kernels`,
/// `offload`). Whether a program runs it is not asked.
std::vector<ChangeFamily> planChanges(const ir::Plan& plan);

} // namespace dpl
