#pragma once
//===- Waiting.h - The shortest explanation of a hang -----------------------------------------===//
#include "cost/execution/Executor.h"

namespace dpl::cost {

/// The shortest cycle in `edges` (by rank: what it waits for). If there is none, the chain from the
/// first waiting rank to a rank that does not wait.
std::vector<Waiting> shortestCircle(const std::vector<std::vector<Waiting>>& edges);

/// "gradient of stage 2, micro-batch 0": the output of an action, or its input from the
/// neighbouring stage. The stage is included if ranks have several.
std::string messageText(const ir::Placement& placement, std::uint64_t rank,
                        const ir::ScheduledAction& action, bool takes);

/// "rank 0 waits for the gradient of micro-batch 0 from rank 1, which waits …".
std::string describe(const ir::Placement& placement, const std::vector<Waiting>& waiting);

} // namespace dpl::cost
