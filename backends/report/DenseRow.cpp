//===- DenseRow.cpp - A row of actions that are narrower than pixels --------------------------===//
#include "backends/report/DenseRow.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::report;

namespace {
constexpr double columnWidth = 2;
} // namespace

DenseRow::DenseRow(double left, double right, double top, double bottom)
    : left(left), top(top), height(bottom - top),
      columns(static_cast<std::size_t>(std::ceil((right - left) / columnWidth))) {}

void DenseRow::add(std::size_t order, const std::string& style, double begin, double end) {
  Area& area = areas[order];
  area.style = style;
  area.width.resize(columns);
  const double from = std::max(0.0, (begin - left) / columnWidth);
  const double to = std::min(static_cast<double>(columns), (end - left) / columnWidth);
  for (auto i = static_cast<std::size_t>(from); i < columns && static_cast<double>(i) < to; ++i) {
    const auto column = static_cast<double>(i);
    area.width[i] += std::min(to, column + 1) - std::max(from, column);
  }
}

std::string DenseRow::svg() const {
  std::string out;
  std::vector<double> used(columns); // share of each column that higher areas take
  for (const auto& [order, area] : areas) {
    std::string data;
    for (std::size_t begin = 0; begin < columns;) {
      if (area.width[begin] <= 0) {
        ++begin;
        continue;
      }
      // The upper edge of adjacent columns, and back along the lower edge.
      std::string upper, lower;
      std::size_t end = begin;
      for (; end < columns && area.width[end] > 0; ++end) {
        const double over = used[end], share = std::min(area.width[end], 1 - over);
        const double x = left + columnWidth * static_cast<double>(end);
        upper += fmt::format("V{:.1f}H{:.0f}", top + height * over, x + columnWidth);
        lower = fmt::format("V{:.1f}H{:.0f}", top + height * (over + share), x) + lower;
        used[end] = over + share;
      }
      data += fmt::format("M{:.0f} {:.1f}{}{}Z", left + columnWidth * static_cast<double>(begin),
                          top, upper, lower);
      begin = end;
    }
    if (!data.empty())
      out += fmt::format("<path d=\"{}\" {}/>\n", data, area.style);
  }
  return out;
}
