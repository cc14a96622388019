#pragma once
//===- Optimizer.h - The optimizer and the learning rate of a launch --------------------------===//
#include "imports/megatron/Fields.h"
#include "imports/megatron/Launch.h"

namespace dpl::imports::megatron {

void optimizerText(Launch& launch, Fields& fields);

} // namespace dpl::imports::megatron
