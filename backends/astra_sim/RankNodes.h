#pragma once
//===- RankNodes.h - The list of a pipeline rank as nodes that wait for one another -----------===//
#include "backends/astra_sim/ExecutionTrace.h"
#include "ir/Plan.h"
#include <vector>

namespace dpl::astra_sim {

/// Computation and calls of each pass, messages between passes, and what stands behind them. Calls
/// that run beside computation are waited for where the body waits; all collectives of a device run
/// in the order in which it issues them, so that no two devices wait for each other. With
/// `wholeActions` an action is one node that lasts as long as in the plan, and only overlapped
/// collectives are nodes of their own.
/// Relies on: a complete plan whose steps end with a flush.
std::vector<TraceNode> nodesOf(const ir::Plan& plan, std::uint64_t rank, bool wholeActions);

} // namespace dpl::astra_sim
