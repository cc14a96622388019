//===- PlotPicture.cpp - Frame, axes and legend of a plot -------------------------------------===//
#include "backends/report/PlotPicture.h"
#include "backends/report/SvgParts.h"
#include "support/Utf8.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {
constexpr double legendLine = 18, legendText = 62; ///< distances from the frame, in pixels
constexpr std::size_t mostLetters = 48;            ///< limit on the letters per line of the legend
constexpr int letterAdvance = 6;    ///< width of a letter, in tenths of the font size
constexpr double widestTitle = 860; ///< limit on the width that a picture gets for its title
// The colours of ColorBrewer Dark2.
constexpr const char* colours[] = {"#1b9e77", "#d95f02", "#7570b3", "#e7298a",
                                   "#66a61e", "#a6761d", "#666666"};
constexpr const char* dashes[] = {"", "6 3", "2 3", "8 3 2 3", "1 2"};

/// Cuts a UTF-8 text to `most` letters. A text that was longer ends with "…".
std::string cut(llvm::StringRef text, std::size_t most) {
  std::size_t letters = 0, end = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80 && ++letters == most)
      end = i;
  return letters <= most ? text.str() : text.take_front(end).str() + "…";
}

const char* colourOf(std::size_t series) { return colours[series % std::size(colours)]; }

/// The width of a text in pixels, rounded up.
double widthOf(llvm::StringRef text, int size) {
  return std::ceil(static_cast<double>(codePoints(text)) * letterAdvance * size / 10);
}
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
  if (text.empty())
    return;
  const llvm::StringRef at = anchor;
  const double room = at == "end" ? x : at == "middle" ? 2 * std::min(x, width - x) : width - x;
  marks +=
      fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                  size == 11 ? "" : fmt::format(" font-size=\"{}\"", size),
                  escaped(cut(text, static_cast<std::size_t>(10 * room / (letterAdvance * size)))));
}

void PlotPicture::path(const PointPath& points, const char* end, const std::string& style) {
  std::string data;
  for (const auto& [x, y] : points)
    data += fmt::format("{}{:.2f} {:.2f}", data.empty() ? "M" : " L", x, y);
  marks += fmt::format("<path d=\"{}{}\" {}/>\n", data, end, style);
}

void PlotPicture::stroke(double x1, double y1, double x2, double y2, const char* colour) {
  path({{x1, y1}, {x2, y2}}, "", fmt::format(R"(fill="none" stroke="{}")", colour));
}

void PlotPicture::gridLine(double y, const std::string& text) {
  stroke(left, y, right, y, "#ddd");
  label(left - 8, y + 4, text, "end");
}

void PlotPicture::curve(const PointPath& points, std::size_t series) {
  const char* dash = dashes[series % std::size(dashes)];
  path(points, "",
       fmt::format(R"(fill="none" stroke="{}" stroke-width="1.6"{})", colourOf(series),
                   dash[0] ? fmt::format(" stroke-dasharray=\"{}\"", dash) : ""));
}

void PlotPicture::marker(double x, double y, std::size_t series) {
  const char* colour = colourOf(series);
  const std::string open = fmt::format(R"(fill="#fff" stroke="{}" stroke-width="1.5")", colour);
  const std::size_t shape = series % 4;
  if (shape == 0)
    marks +=
        fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.5\" fill=\"{}\"/>\n", x, y, colour);
  else if (shape == 1)
    path({{x - 3.25, y - 3.25}, {x + 3.25, y - 3.25}, {x + 3.25, y + 3.25}, {x - 3.25, y + 3.25}},
         " z", open);
  else if (shape == 2)
    path({{x, y - 4}, {x + 4, y + 3}, {x - 4, y + 3}}, " z", fmt::format("fill=\"{}\"", colour));
  else
    path({{x, y - 4}, {x + 4, y}, {x, y + 4}, {x - 4, y}}, " z", open);
}

void PlotPicture::legend(const std::string& name, std::size_t series, std::size_t all) {
  if (series > mostInLegend)
    return;
  const double y = top + 8 + legendLine * static_cast<double>(series);
  if (series == mostInLegend) {
    const std::string rest = fmt::format("and {} more", all - series);
    width = std::max(width, right + 24 + widthOf(rest, 11) + 2);
    return label(right + 24, y + 4, rest, "start");
  }
  curve({{right + 24, y}, {right + 56, y}}, series);
  marker(right + 40, y, series);
  const std::string text = cut(name, mostLetters);
  width = std::max(width, right + legendText + widthOf(text, 11) + 2);
  label(right + legendText, y + 4, text, "start");
}

void PlotPicture::finish(const std::string& title, const std::string& x, const std::string& y,
                         std::size_t legendLines) {
  width = std::max(width, std::min(left + widthOf(title, 13) + 2, widestTitle));
  label(left, 18, title, "start", 13);
  label((left + right) / 2, bottom + 42, x, "middle", 12);
  label(8, top - 12, y, "start", 12);
  const double legendEnd =
      top + legendLine * static_cast<double>(std::min(legendLines, mostInLegend) + 2);
  heading = title, height = std::max(bottom + 62, legendEnd);
}

std::string PlotPicture::svg() const { return svgPage(width, height, escaped(heading), marks); }
