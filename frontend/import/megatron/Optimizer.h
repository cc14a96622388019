#pragma once
//===- Optimizer.h - Precision, the optimizer and the length of a launch ----------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// The `precision` of the layout; `fullySharded` is Megatron FSDP, which has types of its own.
void precisionText(LaunchOptions& launch, BlockText& fields, bool fullySharded);
void optimizerText(LaunchOptions& launch, BlockText& fields);
/// A `run` of the layout as long as the launch says; "" where it does not.
std::string runText(LaunchOptions& launch);

} // namespace dpl::imports::megatron
