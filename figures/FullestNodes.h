#pragma once
//===- FullestNodes.h - The fullest node of each node type ------------------------------------===//
#include "figures/HostMemory.h"

namespace dpl::figures {

/// The fullest node of each node type, in the order of Cluster::classes; empty if the layout
/// offloads nothing. Relies on: place-ranks.
std::vector<FullestNode> fullestNodes(const ir::Plan& plan, const std::vector<OffloadedBytes>& of);

} // namespace dpl::figures
