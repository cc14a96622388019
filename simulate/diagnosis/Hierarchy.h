#pragma once
//===- Hierarchy.h - Data ranks divided into those of a domain and replicas -------------------===//
#include "ir/Plan.h"

namespace dpl::diagnosis {

/// A mesh with hierarchical gradient synchronization: reduce-scatter over the data ranks of a
/// domain, all-reduce of shards over replicas, all-gather in the domain.
struct Hierarchy {
  std::uint64_t replicas = 1, data = 1;
  bool on = false; ///< whether the layout has it already
};
/// None if the data ranks are in one domain or alone in theirs, or if gradients are compressed.
std::optional<Hierarchy> hierarchyOf(const ir::Plan& plan);

/// Splits the data axis of a layout, or merges its replicas into it. Unsharded state becomes
/// sharded over data ranks.
void applyHierarchy(ir::Layout& layout, const Hierarchy& hierarchy, bool on);

} // namespace dpl::diagnosis
