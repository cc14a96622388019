#pragma once
//===- Traffic.h - What one device sends in a step --------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// All collectives of one purpose, kind and group on one pipeline rank.
struct Traffic {
  ir::CollectivePurpose purpose{};
  ir::CollectiveKind kind{};
  ir::GroupId group;
  std::uint64_t rank = 0;                ///< the pipeline rank
  double count = 0;                      ///< in which one device takes part in a step
  double time = 0;                       ///< seconds of all of them, overlapped or not
  double sent = 0;                       ///< bytes one device sends in a step
  std::vector<double> perLevel;          ///< the same by Cluster::levels
  const ir::Collective* first = nullptr; ///< of the calls
  bool alike = true;                     ///< all take the time of the first
};

/// Of each purpose, kind and group with calls, in the order in which the plan names them: those of
/// the pipeline rank where it has some, else of the rank that sends most, the lowest of equals.
std::vector<Traffic> trafficOf(const ir::Plan& plan, std::uint64_t rank);

/// "data" of the gradients: the axis that exposed communication is counted under.
const char* axisOf(ir::CollectivePurpose purpose);
/// "communication[data].gradients.all_reduce": what the figures of a row start with.
std::string pathOf(const ir::Plan& plan, const Traffic& row);

} // namespace dpl::cost
