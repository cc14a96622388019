#pragma once
//===- PlanTables.h - The plan as tables for the communication program ------------------------===//
#include "backends/program/source/Tables.h"
#include "ir/Plan.h"
#include <vector>

namespace dpl::program {

/// The plan as tables. Equal collectives of different chunks share one entry, so that regular plans
/// have small tables.
struct PlanTables {
  std::uint64_t messageBytes = 0;
  std::vector<ir::GroupId> groups;
  std::vector<twin::Call> calls;
  std::vector<twin::Segment> segments;
  std::vector<twin::Block> blocks;
  std::vector<twin::Body> bodies;
  std::vector<twin::Chunk> chunks;
  std::vector<twin::Operation> operations;
  std::vector<twin::Loop> loops;
  std::vector<twin::RankList> ranks;
};
PlanTables tablesOf(const ir::Plan& plan);

} // namespace dpl::program
