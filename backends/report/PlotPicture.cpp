//===- PlotPicture.cpp - What pictures of curves over an axis share
//----------------------------===//
#include "backends/report/PlotPicture.h"
#include "backends/report/StrokeFont.h"
#include "backends/report/SvgParts.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {
constexpr double legendLine = 18, legendText = 62; ///< from the frame on
constexpr std::size_t mostLetters = 48;            ///< of a line of the legend
// ColorBrewer Dark2.
constexpr const char* colours[] = {"#1b9e77", "#d95f02", "#7570b3", "#e7298a",
                                   "#66a61e", "#a6761d", "#666666"};
constexpr const char* dashes[] = {"", "6 3", "2 3", "8 3 2 3", "1 2"};

/// The begin of a text in UTF-8, of which there is more behind it where that does not fit.
std::string cut(llvm::StringRef text, std::size_t most) {
  std::size_t letters = 0, end = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80 && ++letters == most)
      end = i;
  return letters <= most ? text.str() : text.take_front(end).str() + "…";
}

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

void PlotPicture::label(double x, double y, const std::string& text, const char* anchor, int size) {
  const llvm::StringRef at = anchor;
  const double room = at == "end" ? x : at == "middle" ? 2 * std::min(x, width - x) : width - x;
  Mark mark;
  mark.points = {{x, y}}, mark.anchor = anchor, mark.size = size;
  mark.text = cut(text, static_cast<std::size_t>(10 * room / (letterAdvance * size)));
  marks.push_back(std::move(mark));
}

void PlotPicture::stroke(double x1, double y1, double x2, double y2, const char* colour) {
  Mark mark;
  mark.points = {{x1, y1}, {x2, y2}}, mark.stroke = colour;
  marks.push_back(std::move(mark));
}

void PlotPicture::gridLine(double y, const std::string& text) {
  stroke(left, y, right, y, "#ddd");
  label(left - 8, y + 4, text, "end");
}

void PlotPicture::curve(const PointPath& points, std::size_t series) {
  Mark mark;
  mark.points = points, mark.width = 1.6;
  mark.stroke = colourOf(series), mark.dash = dashes[series % std::size(dashes)];
  marks.push_back(std::move(mark));
}

void PlotPicture::marker(double x, double y, std::size_t series) {
  Mark mark;
  mark.closed = true, mark.fill = colourOf(series);
  const std::size_t shape = series % 4;
  if (shape == 0)
    mark.points = {{x, y}}, mark.radius = 3.5;
  else if (shape == 1)
    mark.points = {
        {x - 3.25, y - 3.25}, {x + 3.25, y - 3.25}, {x + 3.25, y + 3.25}, {x - 3.25, y + 3.25}};
  else if (shape == 2)
    mark.points = {{x, y - 4}, {x + 4, y + 3}, {x - 4, y + 3}};
  else
    mark.points = {{x, y - 4}, {x + 4, y}, {x, y + 4}, {x - 4, y}};
  if (shape % 2 == 1)
    mark.stroke = mark.fill, mark.fill = "#fff", mark.width = 1.5;
  marks.push_back(std::move(mark));
}

void PlotPicture::legend(const std::string& name, std::size_t series, std::size_t all) {
  if (series > mostInLegend)
    return;
  const double y = top + 8 + legendLine * static_cast<double>(series);
  if (series == mostInLegend)
    return label(right + 24, y + 4, fmt::format("and {} more", all - series), "start");
  curve({{right + 24, y}, {right + 56, y}}, series);
  marker(right + 40, y, series);
  const std::string text = cut(name, mostLetters);
  const double letters = static_cast<double>(lettersOf(text).size()) * letterAdvance * 11 / 10;
  width = std::max(width, right + legendText + std::ceil(letters) + 2);
  label(right + legendText, y + 4, text, "start");
}

void PlotPicture::finish(const std::string& title, const std::string& x, const std::string& y,
                         std::size_t legendLines) {
  label(left, 18, title, "start", 13);
  label((left + right) / 2, bottom + 42, x, "middle", 12);
  label(8, top - 12, y, "start", 12);
  const double legendEnd =
      top + legendLine * static_cast<double>(std::min(legendLines, mostInLegend) + 2);
  heading = title, height = std::max(bottom + 62, legendEnd);
}

std::string PlotPicture::svgOf(const Mark& mark) {
  const auto& [x, y] = mark.points.front();
  if (!mark.text.empty())
    return fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, mark.anchor,
        mark.size == 11 ? "" : fmt::format(" font-size=\"{}\"", mark.size), escaped(mark.text));
  if (mark.radius > 0)
    return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"{}\"/>\n", x, y,
                       mark.radius, mark.fill);
  std::string way;
  for (const auto& [toX, toY] : mark.points)
    way += fmt::format("{}{:.2f} {:.2f}", way.empty() ? "M" : " L", toX, toY);
  return fmt::format("<path d=\"{}{}\" fill=\"{}\"{}{}{}/>\n", way, mark.closed ? " z" : "",
                     mark.fill[0] ? mark.fill : "none",
                     mark.stroke[0] ? fmt::format(" stroke=\"{}\"", mark.stroke) : "",
                     mark.width != 1 ? fmt::format(" stroke-width=\"{}\"", mark.width) : "",
                     mark.dash[0] ? fmt::format(" stroke-dasharray=\"{}\"", mark.dash) : "");
}

std::string PlotPicture::svg() const {
  std::string out;
  for (const Mark& mark : marks)
    out += svgOf(mark);
  return svgPage(width, height, escaped(heading), out);
}

std::string PlotPicture::png() const {
  constexpr double scale = 2;
  constexpr int corners = 32; ///< of a circle
  Raster raster(width, height, scale);
  for (const Mark& mark : marks) {
    const auto& [x, y] = mark.points.front();
    if (!mark.text.empty()) {
      raster.text(x, y, mark.text, mark.anchor, mark.size, "#000");
      continue;
    }
    PointPath points = mark.points;
    if (mark.radius > 0) {
      points.clear();
      for (int i = 0; i < corners; ++i)
        points.emplace_back(x + mark.radius * std::cos(2 * M_PI * i / corners),
                            y + mark.radius * std::sin(2 * M_PI * i / corners));
    }
    if (mark.fill[0])
      raster.fill(points, mark.fill);
    if (!mark.stroke[0])
      continue;
    if (mark.closed)
      points.push_back(points.front());
    raster.line(points, mark.width, mark.dash, mark.stroke);
  }
  return pngOf(raster.pixels());
}
