//===- Plot.cpp - What pictures of curves over an axis share ----------------------------------===//
#include "backends/report/Plot.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {
constexpr double width = 860, legendLine = 18;
// ColorBrewer Dark2.
constexpr const char* colours[] = {"#1b9e77", "#d95f02", "#7570b3", "#e7298a",
                                   "#66a61e", "#a6761d", "#666666"};
constexpr const char* dashes[] = {"", "6 3", "2 3", "8 3 2 3", "1 2"};

const char* colourOf(std::size_t series) { return colours[series % std::size(colours)]; }
} // namespace

void LogAxis::hold(double value) {
  const double exponent = std::log(value) / std::log(base);
  low = std::min(low, std::floor(exponent + 1e-9));
  high = std::max({high, std::ceil(exponent - 1e-9), low + 1});
}

double LogAxis::at(double value) const {
  return from + (to - from) * (std::log(value) / std::log(base) - low) / (high - low);
}

std::vector<double> LogAxis::ticks(std::size_t most) const {
  std::vector<double> out;
  const double every = std::max(1.0, std::ceil((high - low) / static_cast<double>(most)));
  for (double e = low; e <= high; e += every)
    out.push_back(std::pow(base, e));
  return out;
}

void Plot::label(double x, double y, const std::string& text, const char* anchor, int size) {
  out +=
      fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                  size == 11 ? "" : fmt::format(" font-size=\"{}\"", size), escaped(text));
}

void Plot::stroke(double x1, double y1, double x2, double y2, const char* colour) {
  out += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" "
                     "stroke=\"{}\"/>\n",
                     x1, y1, x2, y2, colour);
}

void Plot::gridLine(double y, const std::string& text) {
  stroke(left, y, right, y, "#ddd");
  label(left - 8, y + 4, text, "end");
}

void Plot::curve(const std::vector<std::pair<double, double>>& points, std::size_t series) {
  const char* dash = dashes[series % std::size(dashes)];
  std::string way;
  for (const auto& [x, y] : points)
    way += fmt::format("{}{:.2f} {:.2f}", way.empty() ? "M" : " L", x, y);
  out +=
      fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"1.6\" fill=\"none\"{}/>\n", way,
                  colourOf(series), dash[0] ? fmt::format(" stroke-dasharray=\"{}\"", dash) : "");
}

void Plot::marker(double x, double y, std::size_t series) {
  const char* colour = colourOf(series);
  switch (series % 4) {
  case 0:
    out +=
        fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.5\" fill=\"{}\"/>\n", x, y, colour);
    return;
  case 1:
    out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"6.5\" height=\"6.5\" "
                       "fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                       x - 3.25, y - 3.25, colour);
    return;
  case 2:
    out += fmt::format("<path d=\"M{:.2f} {:.2f} l4 7 l-8 0 z\" fill=\"{}\"/>\n", x, y - 4, colour);
    return;
  default:
    out += fmt::format("<path d=\"M{:.2f} {:.2f} l4 4 l-4 4 l-4 -4 z\" fill=\"#fff\" "
                       "stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                       x, y - 4, colour);
  }
}

void Plot::legend(const std::string& name, std::size_t series, std::size_t all) {
  if (series > mostInLegend)
    return;
  const double y = top + 8 + legendLine * static_cast<double>(series);
  if (series == mostInLegend)
    return label(right + 24, y + 4, fmt::format("and {} more", all - series), "start");
  curve({{right + 24, y}, {right + 56, y}}, series);
  marker(right + 40, y, series);
  label(right + 62, y + 4, name, "start");
}

std::string Plot::page(const std::string& title, const std::string& x, const std::string& y,
                       std::size_t legendLines) {
  label(left, 18, title, "start", 13);
  label((left + right) / 2, bottom + 42, x, "middle", 12);
  label(8, top - 12, y, "start", 12);
  const double legendEnd =
      top + legendLine * static_cast<double>(std::min(legendLines, mostInLegend) + 2);
  return svgPage(width, std::max(bottom + 62, legendEnd), escaped(title), out);
}
