#pragma once
//===- SamplePlan.h - A small plan for tests of the plan and the passes -----------------------===//
#include "SampleNetwork.h"
#include "ir/Plan.h"

namespace dpl::test {

/// A dense decoder of 32 layers on 2 nodes × 8 devices, pipeline 2 × data 2 × context 2 × tensor 2.
ir::Plan samplePlan();

} // namespace dpl::test
