#pragma once
//===- IdleTime.h - What the ranks of a pipeline lose by waiting ------------------------------===//
#include "figures/Figures.h"

namespace dpl::report {

/// The section of a report: idle time over both measures of how long the pipeline takes, of which
/// steps without a flush have one.
std::string idleTime(const figures::Figures& figures, bool flushed, unsigned width);

} // namespace dpl::report
