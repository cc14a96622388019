#pragma once
//===- RankNodes.h - The per-rank schedule as nodes with dependencies -------------------------===//
#include "backends/astra_sim/ExecutionTrace.h"
#include "ir/Plan.h"
#include <vector>

namespace dpl::astra_sim {

/// Returns the nodes of a pipeline rank: the computation and collectives of each action, the
/// messages between actions, and the optimizer step. Where the stage program waits for an
/// overlapped collective, there is a wait node. All collectives of a device run in the order in
/// which it launches them, so that devices cannot deadlock. If `wholeActions` is set, an action is
/// one node with the duration in the plan, and only overlapped collectives are separate nodes.
/// Relies on: a complete plan whose steps end with a flush.
std::vector<TraceNode> nodesOf(const ir::Plan& plan, std::uint64_t rank, bool wholeActions);

} // namespace dpl::astra_sim
