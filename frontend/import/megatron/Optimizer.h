#pragma once
//===- Optimizer.h - The optimizer, the learning rate and the length of a launch --------------===//
#include "frontend/import/Fields.h"
#include "frontend/import/megatron/Launch.h"

namespace dpl::imports::megatron {

void optimizerText(Launch& launch, Fields& fields);
/// A `run` of the layout as long as the launch says; "" where it does not.
std::string runText(Launch& launch);

} // namespace dpl::imports::megatron
