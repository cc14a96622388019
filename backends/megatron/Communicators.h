#pragma once
//===- Communicators.h - What Megatron-LM's NCCL communicators are told -----------------------===//
#include "backends/megatron/Megatron.h"
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Megatron-LM's names (core/parallel_state.py) of the groups whose operations the plan runs beside
/// computation, of those that have more than one rank. A stream of high priority lets the kernels
/// of such an operation start before waiting compute kernels; without it they end up behind them
/// and nothing is hidden.
std::vector<std::string> overlappedGroups(const MegatronLayout& layout);

/// The text of communicators.yaml; empty when no group overlaps, so that there is nothing to say.
std::string communicatorsFile(const TargetRequest& request, const MegatronLayout& layout);

} // namespace dpl::megatron
