#pragma once
//===- LaunchBound.h - Time in which devices wait for the host to launch kernels --------------===//
#include "ir/Plan.h"
#include <vector>

namespace dpl::figures {

/// The launch-bound seconds per step inside the actions of each pipeline rank, without random
/// variation. `time.launch_bound` is this value for the rank that sets the step.
std::vector<double> launchBoundOfRanks(const ir::Plan& plan);

} // namespace dpl::figures
