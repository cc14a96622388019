#pragma once
//===- Communicators.h - Options of Megatron-LM's NCCL communicators --------------------------===//
#include "backends/megatron/Megatron.h"
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Megatron-LM's names (core/parallel_state.py) of the groups with several ranks whose collectives
/// overlap with computation. On a stream of high priority their kernels start before compute
/// kernels that wait. Otherwise they would queue after these, and nothing would overlap.
std::vector<std::string> overlappedGroups(const MegatronLayout& layout);

/// The text of communicators.yaml; empty if `overlappedGroups` is empty.
std::string communicatorsFile(const TargetRequest& request, const MegatronLayout& layout);

} // namespace dpl::megatron
