#pragma once
//===- ZeroBubble.h - What rows that put weight gradients off share ---------------------------===//
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// One chunk: `ahead` forwards before the first backward, then one forward and one backward, the
/// weight gradient of a micro-batch `delay` backwards behind its own.
void generateDelayed(std::uint64_t microBatches, std::uint64_t ahead, std::uint64_t delay,
                     ActionList& out);

/// What a rank may hold, in micro-batches of one chunk: a forward takes one, a weight gradient
/// gives it back.
void generateLinear(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times,
                    std::uint64_t inFlight, PerRankSchedules& out);

/// Makespan of equal stages as `equalStages` of a row: as many micro-batches as under 1F1B, rank r
/// puts weight gradients off by r backwards, so that what is left of the bubble is p − 1 times a
/// forward and an input gradient less a weight gradient (arXiv 2401.10241, table 1 for ZB-H1).
/// Needs weight gradients that take no longer than the passes between which they stand, and p
/// micro-batches.
std::optional<std::uint64_t> delayedWeights(const PipelineShape& shape, const ChunkTime& each);
/// The same with forwards ahead that fill the beginning too, where all passes take equally long and
/// there are `least` micro-batches: only the first forward has to come to the last rank.
std::optional<std::uint64_t> filledBeginning(const PipelineShape& shape, const ChunkTime& each,
                                             std::uint64_t least);

/// Times of each piece; passes that take equally long where there are none.
std::vector<ChunkTime> timesOrEqual(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times);

} // namespace dpl::cost
