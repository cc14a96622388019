#pragma once
//===- Waiting.h - Who waits for whom, as short as it can be said -----------------------------===//
#include "cost/schedules/Executor.h"

namespace dpl::cost {

/// The shortest circle in `edges` (by rank, what it waits for); without one the chain from the
/// first waiting rank to one that waits for nobody.
std::vector<Waiting> shortestCircle(const std::vector<std::vector<Waiting>>& edges);

/// "rank 0 waits for the gradient of micro-batch 0, chunk 0 from rank 1, which waits …".
std::string describe(const std::vector<Waiting>& waiting);

} // namespace dpl::cost
