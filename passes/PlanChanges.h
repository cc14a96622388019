#pragma once
//===- PlanChanges.h - Changes of a layout that may need less memory --------------------------===//
#include "ir/Plan.h"
#include <functional>

namespace dpl {

/// A change of the layout, with its text in the file.
struct PlanChange {
  std::string field; ///< path of the block or value that it sets: "recompute.layers"
  std::string text;  ///< text of the change in DPL, in backquotes
  std::function<void(ir::Plan&)> change;
};
PlanChange microBatchOf(const ir::Plan& plan, std::uint64_t size);
/// Changes that offload less than the plan; the last one offloads nothing.
std::vector<PlanChange> lighterOffloads(const ir::Plan& plan);
/// Whether both changes set the same field or a part of it.
bool meet(const PlanChange& a, const PlanChange& b);

/// Changes of one kind. If a change fits, changes that need at least as much memory are not tried.
struct ChangeFamily {
  std::vector<PlanChange> changes;
  bool ascending = false; ///< each needs less memory and more time than the previous one
  bool together = false;  ///< each is legal only together with a change of another family
};
/// All proposed changes of a layout. Whether the program that trains the layout accepts them is not
/// checked.
std::vector<ChangeFamily> planChanges(const ir::Plan& plan);

} // namespace dpl
