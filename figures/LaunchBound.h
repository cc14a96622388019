#pragma once
//===- LaunchBound.h - Time in which devices wait for the host to launch kernels --------------===//
#include "ir/Plan.h"
#include <vector>

namespace dpl::figures {

/// Seconds of a step by pipeline rank, inside its passes: what `time.launch_bound` is of the rank
/// that sets the step. Nothing varies.
std::vector<double> launchBoundOfRanks(const ir::Plan& plan);

} // namespace dpl::figures
