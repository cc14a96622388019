#pragma once
//===- LaunchBound.h - Time in which devices wait for the host to launch kernels --------------===//
#include "ir/Plan.h"
#include <vector>

namespace dpl::figures {

/// Seconds per step and pipeline rank inside its actions; `time.launch_bound` is this value for the
/// rank that sets the step. Without random variation.
std::vector<double> launchBoundOfRanks(const ir::Plan& plan);

} // namespace dpl::figures
