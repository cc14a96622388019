#pragma once
//===- RankNodes.h - The list of a pipeline rank as nodes that wait for one another -----------===//
#include "backends/astra_sim/ExecutionTrace.h"
#include "ir/Plan.h"
#include <vector>

namespace dpl::astra_sim {

/// Computation and calls of each pass, messages between passes, and what stands behind them. Calls
/// that run beside computation are waited for where the body waits; all collectives of a device run
/// in the order in which it issues them, so that no two devices wait for each other. With
/// `wholeActions` a pass is one node as long as the plan's, and of its calls those that run beside
/// it remain.
/// Relies on: a complete plan whose steps end with a flush.
std::vector<TraceNode> nodesOf(const ir::Plan& plan, std::uint64_t rank, bool wholePasses);

} // namespace dpl::astra_sim
