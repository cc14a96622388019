//===- Raster.cpp - Polygons, lines and letters as pixels -------------------------------------===//
#include "backends/report/Raster.h"
#include "backends/report/StrokeFont.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace dpl::report;

namespace {
constexpr int parts = 4; ///< of a pixel, in each direction

/// 0 to 255 of red, green and blue.
std::array<int, 3> channelsOf(llvm::StringRef colour) {
  std::array<int, 3> out{};
  const std::size_t digits = colour.size() == 4 ? 1 : 2;
  for (std::size_t i = 0; i < 3; ++i) {
    const unsigned high = llvm::hexDigitValue(colour[1 + i * digits]),
                   low = llvm::hexDigitValue(colour[i * digits + digits]);
    out[i] = static_cast<int>(16 * high + low);
  }
  return out;
}
} // namespace

Raster::Raster(double width, double height, double scale)
    : scale(scale), image(static_cast<std::size_t>(std::ceil(width * scale)),
                          static_cast<std::size_t>(std::ceil(height * scale))),
      covered(image.width * image.height), firstRow(image.height) {}

void Raster::cover(const PointPath& polygon) {
  double top = INFINITY, bottom = -INFINITY;
  for (const auto& [x, y] : polygon)
    top = std::min(top, y * scale), bottom = std::max(bottom, y * scale);
  const auto within = [](double part, std::size_t size) {
    return static_cast<long>(std::clamp(part, 0.0, static_cast<double>(parts * size)));
  };
  const long first = within(std::floor(top * parts), image.height),
             last = within(std::ceil(bottom * parts), image.height);
  firstRow = std::min(firstRow, static_cast<std::size_t>(first / parts));
  lastRow = std::max(lastRow, static_cast<std::size_t>((last + parts - 1) / parts));
  for (long row = first; row < last; ++row) {
    const double y = (static_cast<double>(row) + 0.5) / parts / scale;
    std::vector<double> crossings;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const auto& [x1, y1] = polygon[i];
      const auto& [x2, y2] = polygon[(i + 1) % polygon.size()];
      if ((y1 <= y) != (y2 <= y))
        crossings.push_back((x1 + (x2 - x1) * (y - y1) / (y2 - y1)) * scale * parts);
    }
    std::sort(crossings.begin(), crossings.end());
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
      const long end = within(std::ceil(crossings[i + 1] - 0.5), image.width);
      for (long x = within(std::ceil(crossings[i] - 0.5), image.width); x < end; ++x)
        covered[static_cast<std::size_t>(row / parts) * image.width +
                static_cast<std::size_t>(x / parts)] |=
            static_cast<std::uint16_t>(1U << (row % parts * parts + x % parts));
    }
  }
}

void Raster::coverSegment(std::pair<double, double> from, std::pair<double, double> to,
                          double width, double beyond) {
  const double length = std::hypot(to.first - from.first, to.second - from.second);
  const double x = length > 0 ? (to.first - from.first) / length : 1,
               y = length > 0 ? (to.second - from.second) / length : 0;
  const double half = width / 2;
  from = {from.first - x * beyond, from.second - y * beyond};
  to = {to.first + x * beyond, to.second + y * beyond};
  cover({{from.first - y * half, from.second + x * half},
         {to.first - y * half, to.second + x * half},
         {to.first + y * half, to.second - x * half},
         {from.first + y * half, from.second - x * half}});
}

void Raster::paint(const char* colour) {
  const std::array<int, 3> channels = channelsOf(colour);
  for (std::size_t i = firstRow * image.width; i < lastRow * image.width; ++i) {
    if (covered[i] == 0)
      continue;
    const int share = static_cast<int>(llvm::countPopulation(covered[i])), all = parts * parts;
    for (std::size_t c = 0; c < 3; ++c) {
      std::uint8_t& pixel = image.rgb[3 * i + c];
      pixel = static_cast<std::uint8_t>((pixel * (all - share) + channels[c] * share) / all);
    }
    covered[i] = 0;
  }
  firstRow = image.height, lastRow = 0;
}

void Raster::fill(const PointPath& polygon, const char* colour) {
  cover(polygon);
  paint(colour);
}

void Raster::line(const PointPath& points, double width, const char* dash, const char* colour) {
  std::vector<double> lengths;
  llvm::SmallVector<llvm::StringRef, 4> words;
  llvm::StringRef(dash).split(words, ' ', -1, false);
  for (const llvm::StringRef word : words)
    if (double length = 0; !word.getAsDouble(length))
      lengths.push_back(length);
  std::size_t at = 0;
  double left = lengths.empty() ? INFINITY : lengths[0];
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    auto [x, y] = points[i];
    const auto& [endX, endY] = points[i + 1];
    while (true) {
      const double rest = std::hypot(endX - x, endY - y);
      const bool through = rest <= left;
      const double share = through || rest == 0 ? 1 : left / rest;
      const double toX = x + (endX - x) * share, toY = y + (endY - y) * share;
      if (at % 2 == 0)
        coverSegment({x, y}, {toX, toY}, width, lengths.empty() ? width / 2 : 0);
      x = toX, y = toY;
      if (through) {
        left -= rest;
        break;
      }
      at = (at + 1) % lengths.size();
      left = lengths[at];
    }
  }
  paint(colour);
}

void Raster::text(double x, double y, const std::string& text, const std::string& anchor,
                  double size, const char* colour) {
  const std::vector<std::vector<Stroke>> letters = lettersOf(text);
  const double unit = size / 10, width = 1.1;
  const double all = static_cast<double>(letters.size()) * letterAdvance * unit;
  double from = anchor == "end" ? x - all : anchor == "middle" ? x - all / 2 : x;
  for (const std::vector<Stroke>& letter : letters) {
    for (const Stroke& stroke : letter)
      for (std::size_t i = 0; i + 1 < stroke.size(); ++i)
        coverSegment({from + stroke[i].first * unit, y - stroke[i].second * unit * 1.2},
                     {from + stroke[i + 1].first * unit, y - stroke[i + 1].second * unit * 1.2},
                     width, width / 2);
    from += letterAdvance * unit;
  }
  paint(colour);
}
