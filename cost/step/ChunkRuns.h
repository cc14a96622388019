#pragma once
//===- ChunkRuns.h - How much a chunk computes in a step --------------------------------------===//
#include "ir/MicroBatchCosts.h"
#include "ir/Plan.h"

namespace dpl::cost {

/// Number of micro-batches that a chunk runs in a step, each weighted by its cost relative to the
/// mean. In a bidirectional schedule the second direction runs the later half of the micro-batches,
/// which may have other costs.
inline double runsOf(const ir::Plan& plan, const ir::ChunkCost& chunk) {
  const std::uint64_t m = plan.mesh.microBatches, each = plan.microBatchesOfChunk();
  const bool later = plan.placement.stageReplicaOf(chunk.rank, chunk.chunk).direction == 1;
  const std::uint64_t begin = later ? m - each : 0;
  return ir::MicroBatchCosts(plan.layout.microBatchCosts).sum(begin, begin + each);
}

} // namespace dpl::cost
