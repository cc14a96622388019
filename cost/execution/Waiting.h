#pragma once
//===- Waiting.h - Who waits for whom, as short as it can be said -----------------------------===//
#include "cost/execution/Executor.h"

namespace dpl::cost {

/// The shortest circle in `edges` (by rank, what it waits for); without one the chain from the
/// first waiting rank to one that waits for nobody.
std::vector<Waiting> shortestCircle(const std::vector<std::vector<Waiting>>& edges);

/// "gradient of stage 2, micro-batch 0": what a pass makes, or what it takes from the stage next to
/// its own. The stage is said where ranks have several.
std::string messageText(const ir::Placement& placement, std::uint64_t rank,
                        const ir::ScheduledAction& action, bool takes);

/// "rank 0 waits for the gradient of micro-batch 0 from rank 1, which waits …".
std::string describe(const ir::Placement& placement, const std::vector<Waiting>& waiting);

} // namespace dpl::cost
