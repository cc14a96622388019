#pragma once
//===- Traffic.h - What one device sends in a step, by axis and link level --------------------===//
#include "ir/Plan.h"
#include <cstdint>
#include <vector>

namespace dpl::report {

/// All collectives of one purpose, kind and group, of the pipeline rank that sends most of them.
struct Traffic {
  ir::CollectivePurpose purpose{};
  ir::CollectiveKind kind{};
  std::uint64_t group = 0;      ///< index into Plan::groups
  std::uint64_t rank = 0;       ///< that pipeline rank, the lowest of equals
  double calls = 0;             ///< in which one device takes part in a step
  double time = 0;              ///< seconds of all of them, overlapped or not
  double exposed = 0;           ///< of that, seconds with nothing to compute beside it
  double sent = 0;              ///< bytes one device sends in a step
  std::vector<double> perLevel; ///< the same by Cluster::levels
};

/// In the order in which the plan first names each.
std::vector<Traffic> trafficOf(const ir::Plan& plan);

} // namespace dpl::report
