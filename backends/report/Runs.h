#pragma once
//===- Runs.h - How long the runs of a layout take, and what they cost ------------------------===//
#include "figures/Figures.h"

namespace dpl::report {

/// "train: 43,200 steps in 32.84d, goodput 91.3%, 1.58e6usd"; empty where its time is not known.
std::string runText(const ir::Run& run, const figures::Figures& figures);
/// "18794", "0.318": without a fraction where there are hundreds.
std::string hours(double seconds);
/// A table of the runs, and of what fails and is saved; empty where no run's time is known.
std::string runsTable(const ir::Plan& plan, const figures::Figures& figures, unsigned width);

} // namespace dpl::report
