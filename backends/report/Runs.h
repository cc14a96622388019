#pragma once
//===- Runs.h - Duration and cost of a layout's runs ------------------------------------------===//
#include "figures/Figures.h"

namespace dpl::report {

/// "train: 43200 steps in 32.84d, goodput 91.3%, …"; empty if its duration is unknown.
std::string runText(const ir::Run& run, const figures::Figures& figures);
/// "18794", "0.318": without decimals from 100 hours on.
std::string hours(double seconds);
/// A table of the runs with failures and checkpoints; empty if no duration is known.
std::string runsTable(const ir::Plan& plan, const figures::Figures& figures, unsigned width);

} // namespace dpl::report
