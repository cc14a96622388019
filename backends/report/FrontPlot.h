#pragma once
//===- FrontPlot.h - The Pareto front of a search as a plot -----------------------------------===//
#include "backends/report/SearchTable.h"

namespace dpl::report {

/// A plot of the front for the terminal, over its first two objectives. Each layout is shown as the
/// number of its row.
std::string frontText(const SearchTable& table, unsigned width);
/// The same plot as an SVG file.
std::string frontSvg(const SearchTable& table);

} // namespace dpl::report
