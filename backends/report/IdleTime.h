#pragma once
//===- IdleTime.h - What the ranks of a pipeline lose by waiting ------------------------------===//
#include "figures/Figures.h"

namespace dpl::report {

/// The section of a report: idle time over both measures of how long the pipeline takes.
std::string idleTime(const figures::Figures& figures, unsigned width);

} // namespace dpl::report
