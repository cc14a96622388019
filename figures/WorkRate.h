#pragma once
//===- WorkRate.h - The work of a run while nodes are degraded --------------------------------===//
#include "ir/Plan.h"
#include "support/math/WorkRate.h"

namespace dpl::figures {

/// The rate of a run whose step takes `step` seconds, with the times in which nodes are degraded.
simulate::WorkRate workRateOf(const ir::Plan& plan, double step);

} // namespace dpl::figures
