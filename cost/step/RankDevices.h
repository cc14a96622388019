#pragma once
//===- RankDevices.h - The devices of each pipeline rank --------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Devices of one node type on a pipeline rank, over all replicas.
struct RankDevices {
  std::uint64_t rank = 0, nodeType = 0, devices = 0;
};

/// All entries, sorted by pipeline rank, then by node type. Relies on: place-ranks.
std::vector<RankDevices> rankDevicesOf(const ir::Plan& plan);

} // namespace dpl::cost
