#pragma once
//===- PlotPicture.h - Frame, axes and legend of a plot ---------------------------------------===//
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dpl::report {

using PointPath = std::vector<std::pair<double, double>>; ///< x grows to the right, y downwards

/// A logarithmic axis that covers whole powers of a base. `from` and `to` are its ends in pixels.
class LogAxis {
public:
  LogAxis(double from, double to, double base) : from(from), to(to), base(base) {}
  void hold(double value);
  double at(double value) const;
  bool empty() const { return low > high; }
  /// Whole powers of the base for ticks, evenly spaced, with at most `most` intervals between them.
  std::vector<double> ticks(std::size_t most) const;

private:
  double from, to, base;
  double low = INFINITY, high = -INFINITY; ///< exponents of the ends
};

/// A frame, with a legend to its right if series have names. Series are numbered from 0 and differ
/// by marker and dash, so that the plot can be read without colours.
class PlotPicture {
public:
  // Lengths are in pixels of the unscaled picture.
  static constexpr double left = 90, right = 640, top = 48, bottom = 420;
  static constexpr std::size_t mostInLegend = 20;

  /// Draws a text, shortened to fit the width of the picture.
  void label(double x, double y, const std::string& text, const char* anchor, int size = 11);
  void stroke(double x1, double y1, double x2, double y2, const char* colour);
  void gridLine(double y, const std::string& text);
  void curve(const PointPath& points, std::size_t series);
  void marker(double x, double y, std::size_t series);
  /// Draws a series' line of the legend, and widens the picture to fit it. Series beyond
  /// `mostInLegend` share one line, which counts them.
  void legend(const std::string& name, std::size_t series, std::size_t all);
  /// Adds the title and the names of the axes, and completes the picture.
  void finish(const std::string& title, const std::string& x, const std::string& y,
              std::size_t legendLines);
  std::string svg() const;

private:
  /// `end` is " z" if the path is closed. `style` contains SVG attributes.
  void path(const PointPath& points, const char* end, const std::string& style);

  std::string marks, heading;            ///< SVG text of the marks, and of the heading
  double width = right + 60, height = 0; ///< the legend and the title widen the picture
};

} // namespace dpl::report
