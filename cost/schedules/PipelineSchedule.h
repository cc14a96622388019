#pragma once
//===- PipelineSchedule.h - Operation lists of a pipeline and their execution -----------------===//
//
// The lists are what a back end emits and the simulator runs. Chunk c of rank r is piece c·p + r of
// the model; activations flow from piece to piece. A message is named by its sender's chunk, at
// both ends.
#include "ir/Plan.h"

namespace dpl::cost {

/// Shape of a pipeline: p ranks, v chunks a rank, m micro-batches.
struct PipelineShape {
  ir::ScheduleKind kind = ir::ScheduleKind::OneForwardOneBackward;
  std::uint64_t ranks = 1, chunks = 1, microBatches = 1;
  std::uint64_t pieces() const { return ranks * chunks; }
};

/// The forwards a rank runs before its first backward, as Megatron-Core counts them
/// (megatron/core/pipeline_parallel/schedules.py, core_v0.19.0, get_pp_rank_microbatches): p−r−1,
/// for several chunks (p−r−1)·2 + (v−1)·p; never more than there are.
std::uint64_t warmupForwards(const PipelineShape& shape, std::uint64_t rank);

/// The list of one rank with its sends and receives; times are 0.
std::vector<ir::ScheduledOperation> operationsOf(const PipelineShape& shape, std::uint64_t rank);

/// Durations in ps, by piece: of one micro-batch forward and backward, and of the message that the
/// piece sends on (forward, to piece + 1) or back (backward, to piece − 1).
struct PieceTime {
  std::uint64_t forward = 0, backward = 0, sendForward = 0, sendBackward = 0;
};

/// Contention-free execution: a rank runs its list in order; a message leaves when the operation
/// before it ends and the directed link between the two ranks is free, and holds that link for its
/// time. With `overlapped` the sender goes on meanwhile, else it waits.
struct Execution {
  std::uint64_t makespan = 0;         ///< ps
  std::uint64_t blockedRank = 0;      ///< of a deadlock: a rank that waits for ever,
  std::uint64_t blockedOperation = 0; ///< and where in its list
  bool completed = true;              ///< false: the orders wait for one another in a circle
};
/// Sets `start` and `duration` of every operation. `schedule[r]` is the list of rank r; it may be
/// any order, also one not made by operationsOf. Completion is the proof that it is free of
/// deadlock.
Execution execute(const PipelineShape& shape, const std::vector<PieceTime>& times, bool overlapped,
                  std::vector<ir::RankSchedule>& schedule);

/// The largest sum over a rank's timeline of what its live chunks hold: a chunk's bytes count from
/// the start of its forward to the end of its backward. `chunkBytes[c]` is of one micro-batch.
struct LivePeak {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> live; ///< micro-batches of each chunk at the peak
  std::uint64_t operation = 0;     ///< index of the operation that reaches it
};
/// `working[c]` is added while an operation of chunk c runs.
LivePeak livePeak(const std::vector<ir::ScheduledOperation>& operations,
                  const std::vector<std::uint64_t>& chunkBytes,
                  const std::vector<std::uint64_t>& working);

} // namespace dpl::cost
