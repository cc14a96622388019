#pragma once
//===- Hierarchy.h - Data ranks divided into those of a domain and replicas -------------------===//
#include "ir/Plan.h"

namespace dpl::diagnosis {

/// A mesh with hierarchical gradient synchronization: reduce-scatter over the data ranks of a
/// domain, all-reduce of shards over replicas, all-gather in the domain.
struct Hierarchy {
  std::uint64_t replicas = 1, data = 1;
  bool on = false; ///< whether the layout already has it
};
/// None if all data ranks are in one domain, if each is alone in its domain, or if gradients are
/// compressed.
std::optional<Hierarchy> hierarchyOf(const ir::Plan& plan);

/// Splits the data axis of a layout into data ranks and replicas if `on` is set, otherwise merges
/// replicas into the data axis. If the state was not sharded, it becomes sharded over data ranks.
void applyHierarchy(ir::Layout& layout, const Hierarchy& hierarchy, bool on);

} // namespace dpl::diagnosis
