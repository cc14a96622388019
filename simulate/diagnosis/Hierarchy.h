#pragma once
//===- Hierarchy.h - Data ranks as those of a domain and copies of them -----------------------===//
#include "ir/Plan.h"

namespace dpl::diagnosis {

/// A mesh whose reductions of gradients go level by level: a reduce-scatter among the data ranks of
/// a domain, an all-reduce of shards among its replicas, a gather in the domain.
struct Hierarchy {
  std::uint64_t replicas = 1, data = 1;
  bool on = false; ///< the layout has it
};
/// Nothing where data ranks are in one domain, or alone in it, or exchange something else.
std::optional<Hierarchy> hierarchyOf(const ir::Plan& plan);

/// Splits the data axis of a layout, or joins its replicas to it. State is sharded over data ranks
/// where it was not.
void applyHierarchy(ir::Layout& layout, const Hierarchy& hierarchy, bool on);

} // namespace dpl::diagnosis
