#pragma once
//===- JitteredStep.h - The mean step of a plan whose devices have jitter ---------------------===//
//
// Each device draws one jitter factor per step, by which all of its computation gets longer.
// Collectives and point-to-point messages are not stretched. Devices that meet all through their
// actions are as slow as the slowest of them and form one simulated rank. The schedule decides how
// the factors of a column, one simulated rank on each pipeline rank, lengthen its step. All columns
// wait for the slowest column before the optimizer step.
#include "ir/Plan.h"

namespace dpl::cost {

/// Picoseconds by which the mean step is longer than the step without jitter; 0 without jitter.
/// Relies on: stage programs, and a schedule with times.
double jitterOf(const ir::Plan& plan);

} // namespace dpl::cost
