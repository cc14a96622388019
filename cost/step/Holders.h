#pragma once
//===- Holders.h - Which devices hold a pipeline rank -----------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Devices of one class of nodes that hold a pipeline rank, of all its replicas.
struct Holder {
  std::uint64_t rank = 0, nodeClass = 0, devices = 0;
};

/// By pipeline rank, then by class. Relies on: place-ranks.
std::vector<Holder> holdersOf(const ir::Plan& plan);

} // namespace dpl::cost
