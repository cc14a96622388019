#pragma once
//===- JitteredStep.h - The mean step of a plan whose devices vary ----------------------------===//
//
// Each device draws one number a step, by which all that it computes is longer; collectives and
// messages take their time. Devices that meet all along their passes are as slow as the slowest of
// them: a simulated rank. A column of these, one on each pipeline rank, takes what the schedule
// makes of their factors, and all columns wait for the slowest of them before the update.
#include "ir/Plan.h"

namespace dpl::cost {

/// ps by which the mean step is longer than the one in which nothing varies; 0 where nothing does.
/// Relies on: bodies, and a schedule with times.
double jitterOf(const ir::Plan& plan);

} // namespace dpl::cost
