#pragma once
//===- Runs.h - Duration and cost of a layout's runs ------------------------------------------===//
#include "figures/Figures.h"

namespace dpl::report {

/// A run in one line: "train: 43200 steps in 32.84d, goodput 91.3%, …". Empty if its duration is
/// not known.
std::string runText(const ir::Run& run, const figures::Figures& figures);
/// A duration in hours: "18794", "0.318". From 100 hours on it has no decimals.
std::string hours(double seconds);
/// A table of the runs with their failures and checkpoints; empty if no duration is known.
std::string runsTable(const ir::Plan& plan, const figures::Figures& figures, unsigned width);

} // namespace dpl::report
