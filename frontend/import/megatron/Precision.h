#pragma once
//===- Precision.h - The types that a launch of Megatron-LM computes and keeps in -------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// The `precision` of the layout; `fullySharded` is Megatron FSDP, which has types of its own.
void precisionText(LaunchOptions& launch, BlockText& fields, bool fullySharded);

} // namespace dpl::imports::megatron
