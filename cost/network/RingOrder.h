#pragma once
//===- RingOrder.h - The order of a group's ranks in custom rings -----------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Network::order for the ranks of a group, repeated for further ranks; empty if there is no order
/// for them or if it is ascending. Neighbouring groups may have different orders; the one that
/// leaves nodes most often represents all.
std::vector<std::uint64_t> ringOrder(const ir::Group& group, const ir::Cluster& cluster);

} // namespace dpl::cost
