#pragma once
//===- Optimizer.h - The optimizer, the learning rate and the length of a launch --------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

void optimizerText(LaunchOptions& launch, BlockText& fields);
/// A `run` of the layout as long as the launch says; "" where it does not.
std::string runText(LaunchOptions& launch);

} // namespace dpl::imports::megatron
