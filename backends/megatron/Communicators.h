#pragma once
//===- Communicators.h - Options of Megatron-LM's NCCL communicators --------------------------===//
#include "backends/megatron/Megatron.h"
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Megatron-LM's names (core/parallel_state.py) of the groups whose collectives overlap with
/// computation, if they have more than one rank. Streams of high priority let their kernels start
/// before waiting compute kernels. Otherwise they queue after these, and nothing is overlapped.
std::vector<std::string> overlappedGroups(const MegatronLayout& layout);

/// The text of communicators.yaml; empty if overlappedGroups() is.
std::string communicatorsFile(const TargetRequest& request, const MegatronLayout& layout);

} // namespace dpl::megatron
