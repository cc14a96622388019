#pragma once
//===- PlanChanges.h - Changes of a layout that may need less memory --------------------------===//
#include "ir/Plan.h"
#include <functional>

namespace dpl {

/// A change of the layout, with its text in the file.
struct PlanChange {
  std::string field; ///< path of the block or value that it sets: "recompute.layers"
  std::string text;  ///< text in the language, in backquotes
  std::function<void(ir::Plan&)> change;
};
PlanChange microBatchOf(const ir::Plan& plan, std::uint64_t size);
/// Changes that offload less than the plan, down to nothing.
std::vector<PlanChange> lighterOffloads(const ir::Plan& plan);
/// Whether both changes set the same field or a part of it.
bool meet(const PlanChange& a, const PlanChange& b);

/// Changes of one kind. If a change fits, changes that need at least as much memory are not tried.
struct ChangeFamily {
  std::vector<PlanChange> changes;
  bool ascending = false; ///< each needs less memory and more time than the previous one
  bool together = false;  ///< each is legal only together with a change of another family
};
/// All changes of a layout, except of fields that describe its program (`kernels`, `offload`). They
/// are not checked against the program.
std::vector<ChangeFamily> planChanges(const ir::Plan& plan);

} // namespace dpl
