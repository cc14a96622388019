#pragma once
//===- RankDevices.h - Which devices hold a pipeline rank
//--------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Devices of one class of nodes that hold a pipeline rank, of all its replicas.
struct RankDevices {
  std::uint64_t rank = 0, nodeType = 0, devices = 0;
};

/// By pipeline rank, then by class. Relies on: place-ranks.
std::vector<RankDevices> rankDevicesOf(const ir::Plan& plan);

} // namespace dpl::cost
