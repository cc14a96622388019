#pragma once
//===- FrontPlot.h - The Pareto front of a search as a plot -----------------------------------===//
#include "backends/report/SearchTable.h"

namespace dpl::report {

/// The front over its first two objectives in the terminal: each layout is the number of its row.
std::string frontText(const SearchTable& table, unsigned width);
/// The same plot as SVG.
std::string frontSvg(const SearchTable& table);

} // namespace dpl::report
