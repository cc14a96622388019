#pragma once
//===- PlotPicture.h - Frame, axes and legend of a plot ---------------------------------------===//
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dpl::report {

using PointPath = std::vector<std::pair<double, double>>; ///< x to the right, y down

/// A logarithmic axis that covers whole powers of a base. `from` and `to` are pixels.
class LogAxis {
public:
  LogAxis(double from, double to, double base) : from(from), to(to), base(base) {}
  void hold(double value);
  double at(double value) const;
  bool empty() const { return low > high; }
  /// The whole powers, at most `most` of them, evenly chosen.
  std::vector<double> ticks(std::size_t most) const;

private:
  double from, to, base;
  double low = INFINITY, high = -INFINITY; ///< exponents
};

/// A frame with a legend to its right. Series differ by marker and dash, so that no colour is
/// needed. They are counted from 0.
class PlotPicture {
public:
  // Lengths are in pixels, unscaled.
  static constexpr double left = 90, right = 640, top = 48, bottom = 420;
  static constexpr std::size_t mostInLegend = 20;

  /// Draws the text, shortened to the width of the picture.
  void label(double x, double y, const std::string& text, const char* anchor, int size = 11);
  void stroke(double x1, double y1, double x2, double y2, const char* colour);
  void gridLine(double y, const std::string& text);
  void curve(const PointPath& points, std::size_t series);
  void marker(double x, double y, std::size_t series);
  /// Draws the legend line of a series and widens the picture to fit it. One line counts the series
  /// beyond `mostInLegend`.
  void legend(const std::string& name, std::size_t series, std::size_t all);
  /// Adds the title and the names of the axes, and completes the picture.
  void finish(const std::string& title, const std::string& x, const std::string& y,
              std::size_t legendLines);
  std::string svg() const;

private:
  /// `end` is " z" to close the path; `style` holds its attributes.
  void path(const PointPath& points, const char* end, const std::string& style);

  std::string marks, heading; ///< `marks` is SVG
  double width = 860, height = 0;
};

} // namespace dpl::report
