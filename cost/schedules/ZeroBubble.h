#pragma once
//===- ZeroBubble.h - What rows that put weight gradients off share ---------------------------===//
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// One chunk: `ahead` forwards before the first backward, then one forward and one backward, the
/// weight gradient of a micro-batch `delay` backwards behind its own.
void generateDelayed(std::uint64_t microBatches, std::uint64_t ahead, std::uint64_t delay,
                     OperationList& out);

/// What a rank may hold, in micro-batches of one chunk: a forward takes one, a weight gradient
/// gives it back.
void generateLinear(const PipelineShape& shape, llvm::ArrayRef<PieceTime> times,
                    std::uint64_t inFlight, OperationLists& out);

/// Times of each piece; passes that take equally long where there are none.
std::vector<PieceTime> timesOrEqual(const PipelineShape& shape, llvm::ArrayRef<PieceTime> times);

} // namespace dpl::cost
