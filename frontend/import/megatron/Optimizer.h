#pragma once
//===- Optimizer.h - Precision, optimizer and length of a run of a launch ---------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// Writes `precision`. If `fullySharded` is set, the options are those of Megatron FSDP.
void precisionText(LaunchOptions& launch, BlockText& fields, bool fullySharded);
void optimizerText(LaunchOptions& launch, BlockText& fields);
/// The `run` block with the length of the launch; "" if the length is not set.
std::string runText(LaunchOptions& launch);

} // namespace dpl::imports::megatron
