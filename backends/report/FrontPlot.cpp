//===- FrontPlot.cpp - The Pareto front of a search as a plot ---------------------------------===//
#include "backends/report/FrontPlot.h"
#include "backends/report/PlotPicture.h"
#include "backends/report/SvgParts.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {
constexpr double gibibyte = 1ULL << 30;
constexpr std::size_t plotRows = 12;
constexpr unsigned widestPlot = 72;

/// One axis of the plot, which shows one objective, a figure or an expression. It is linear, and
/// its ticks are round numbers.
struct FrontAxis {
  FrontAxis(const SearchTable& table, std::size_t objective)
      : name(table.space.objectives[objective].source) {
    const auto column = llvm::find(table.figures, name) - table.figures.begin();
    if (static_cast<std::size_t>(column) < table.dimensions.size())
      dimension = table.dimensions[static_cast<std::size_t>(column)];
    double least = INFINITY, most = -INFINITY;
    for (const RankedLayout& layout : table.layouts) {
      values.push_back(layout.objectives[objective]);
      least = std::min(least, values.back()), most = std::max(most, values.back());
    }
    if (values.empty() || least == most) { // the value is in the middle of three ticks
      low = least - 1, high = least + 1, step = 1;
      return;
    }
    unit = dimension == *dimensionNamed("Bytes") && most > gibibyte ? gibibyte : 1;
    step = roundStep((most - least) / unit, 5) * unit;
    low = std::floor(least / step) * step, high = std::ceil(most / step) * step;
  }
  double share(double value) const { return (value - low) / (high - low); }
  std::string text(double value) const {
    return value == 0 ? "0" : human(value, dimension, unit > 1);
  }
  std::vector<double> ticks() const {
    std::vector<double> out;
    for (double value = low; value <= high + step / 2; value += step)
      out.push_back(std::abs(value) < step / 1e6 ? 0 : value);
    return out;
  }

  std::string name;
  Dimension dimension;
  std::vector<double> values; ///< by row of the table
  double low = 0, high = 1, step = 1, unit = 1;
};
} // namespace

std::string report::frontText(const SearchTable& table, unsigned width) {
  if (table.layouts.size() < 2 || table.space.objectives.size() < 2)
    return "";
  const FrontAxis x(table, 0), y(table, 1);
  const std::string top = y.text(y.high), bottom = y.text(y.low);
  const std::size_t margin = std::max(top.size(), bottom.size());
  const std::size_t columns = std::min(width, widestPlot) - margin - 5;
  std::vector<std::string> rows(plotRows, std::string(columns, ' '));
  for (std::size_t i = 0; i < table.layouts.size(); ++i) {
    const std::string mark = std::to_string(i + 1);
    const auto column = static_cast<std::size_t>(
        x.share(x.values[i]) * static_cast<double>(columns - mark.size()) + 0.5);
    const auto row = static_cast<std::size_t>((1 - y.share(y.values[i])) * (plotRows - 1) + 0.5);
    // If layouts fall on one place, it has the number of the first.
    if (llvm::StringRef(rows[row]).substr(column, mark.size()).trim().empty())
      rows[row].replace(column, mark.size(), mark);
  }
  std::string out = fmt::format("\n  {}\n", y.name);
  for (std::size_t row = 0; row < plotRows; ++row)
    out += fmt::format("  {:>{}} |{}\n",
                       row == 0              ? top
                       : row + 1 == plotRows ? bottom
                                             : "",
                       margin, llvm::StringRef(rows[row]).rtrim().str());
  const std::string from = x.text(x.low), to = x.text(x.high);
  const std::size_t gap = columns > from.size() + to.size() ? columns - from.size() - to.size() : 1;
  return out + fmt::format("  {:>{}} +{}\n  {:>{}}  {}{}{}  {}\n", "", margin,
                           std::string(columns, '-'), "", margin, from, std::string(gap, ' '), to,
                           x.name);
}

std::string report::frontSvg(const SearchTable& table) {
  constexpr double left = PlotPicture::left, right = PlotPicture::right, top = PlotPicture::top,
                   bottom = PlotPicture::bottom;
  const FrontAxis x(table, 0), y(table, 1);
  const auto across = [&](double value) { return left + (right - left) * x.share(value); };
  const auto up = [&](double value) { return bottom - (bottom - top) * y.share(value); };
  PlotPicture plot;
  for (const double tick : y.ticks())
    plot.gridLine(up(tick), y.text(tick));
  plot.stroke(left, bottom, right, bottom, "#333");
  plot.stroke(left, top, left, bottom, "#333");
  for (const double tick : x.ticks()) {
    plot.stroke(across(tick), bottom, across(tick), bottom + 5, "#333");
    plot.label(across(tick), bottom + 19, x.text(tick), "middle");
  }
  PointPath front;
  for (std::size_t i = 0; i < x.values.size(); ++i)
    front.emplace_back(across(x.values[i]), up(y.values[i]));
  plot.curve(front, 0);
  for (std::size_t i = 0; i < front.size(); ++i) {
    plot.marker(front[i].first, front[i].second, 0);
    plot.label(front[i].first + 7, front[i].second - 6, std::to_string(i + 1), "start");
  }
  plot.finish(fmt::format("Pareto front of {}: {} and {}", table.space.name, inWords(x.name),
                          inWords(y.name)),
              x.name, y.name, 0);
  return plot.svg();
}
