#pragma once
//===- ZeroBubble.h - Parts shared by zero-bubble schedules -----------------------------------===//
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// Generates a schedule of one chunk: `ahead` forward passes before the first backward pass, then
/// one forward and one backward pass alternately. Each weight gradient runs `delay` backward passes
/// after its input gradient.
void generateDelayed(std::uint64_t microBatches, std::uint64_t ahead, std::uint64_t delay,
                     ActionList& out);

/// Generates schedules by time. `inFlight` limits the micro-batches of a rank: a forward pass adds
/// one, a weight gradient removes one.
void generateLinear(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times,
                    std::uint64_t inFlight, PerRankSchedules& out);

/// Makespan for `equalStages`. Ranks have as many in-flight micro-batches as under 1F1B, and rank r
/// delays weight gradients by r backward passes. The bubble is p − 1 times a forward pass and an
/// input gradient less a weight gradient (arXiv 2401.10241, table 1 for ZB-H1). Valid if weight
/// gradients take no longer than the actions around them, and for at least p micro-batches.
std::optional<std::uint64_t> delayedWeights(const PipelineShape& shape, const ChunkTime& each);
/// Makespan for `equalStages` if additional forward passes also fill the warm-up, all actions take
/// equally long and there are `least` or more micro-batches: the bubble is only the path of the
/// first micro-batch to the last rank.
std::optional<std::uint64_t> filledBeginning(const PipelineShape& shape, const ChunkTime& each,
                                             std::uint64_t least);

/// The given times by chunk; equal times for all actions if there are none.
std::vector<ChunkTime> timesOrEqual(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times);

} // namespace dpl::cost
