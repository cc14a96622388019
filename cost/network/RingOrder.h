#pragma once
//===- RingOrder.h - The order of a group's ranks in rings whose order is stated --------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Network::order for the ranks of a group: those of so many devices, and again for the next ones;
/// empty where it says nothing of them, or is their own. Groups that lie beside each other may be
/// in other orders: the one that leaves nodes most often stands for all.
std::vector<std::uint64_t> ringOrder(const ir::Group& group, const ir::Cluster& cluster);

} // namespace dpl::cost
