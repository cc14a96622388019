#pragma once
//===- Traffic.h - Bytes that one device sends in a step --------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// All collectives of one purpose, kind and group on one pipeline rank.
struct Traffic {
  ir::CollectivePurpose purpose{};
  ir::CollectiveKind kind{};
  ir::GroupId group;
  std::uint64_t rank = 0;                ///< the pipeline rank
  double count = 0;                      ///< collectives of one device in a step
  double time = 0;                       ///< seconds of all collectives, overlapped or not
  double sent = 0;                       ///< bytes that one device sends in a step
  std::vector<double> perLevel;          ///< bytes that one device sends, by Cluster::levels
  const ir::Collective* first = nullptr; ///< first of these collectives
  bool alike = true;                     ///< whether all of them take as long as the first
};

/// One row per purpose, kind and group, in the order of the plan: the row of the pipeline rank if
/// it has one, otherwise that of the rank that sends most (the lowest of equal ones).
std::vector<Traffic> trafficOf(const ir::Plan& plan, std::uint64_t rank);

/// The rows of every pipeline rank, in the order of the plan's collectives.
std::vector<Traffic> trafficOfRanks(const ir::Plan& plan);
/// Whether two rows have the same purpose, kind and group.
bool isSameRow(const Traffic& a, const Traffic& b);

/// The axis of exposed communication, such as "data" for gradients.
const char* axisOf(ir::CollectivePurpose purpose);
/// "communication[data].gradients.all_reduce": the beginning of the figures of a row.
std::string pathOf(const ir::Plan& plan, const Traffic& row);

} // namespace dpl::cost
