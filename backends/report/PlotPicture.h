#pragma once
//===- PlotPicture.h - The frame of pictures of curves over an axis ---------------------------===//
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dpl::report {

using PointPath = std::vector<std::pair<double, double>>; ///< x to the right, y down

/// A logarithmic axis over whole powers of a base. `from` and `to` are pixels.
class LogAxis {
public:
  LogAxis(double from, double to, double base) : from(from), to(to), base(base) {}
  void hold(double value);
  double at(double value) const;
  bool empty() const { return low > high; }
  /// The whole powers, at most so many of them, evenly chosen.
  std::vector<double> ticks(std::size_t most) const;

private:
  double from, to, base;
  double low = INFINITY, high = -INFINITY; ///< exponents
};

/// A frame with a legend to its right. Series are told apart by marker and dash, so that they do
/// without colour; they are counted from 0.
class PlotPicture {
public:
  // Lengths are pixels at the picture's own size.
  static constexpr double left = 90, right = 640, top = 48, bottom = 420;
  static constexpr std::size_t mostInLegend = 20;

  /// As much of a text as the picture has room for.
  void label(double x, double y, const std::string& text, const char* anchor, int size = 11);
  void stroke(double x1, double y1, double x2, double y2, const char* colour);
  void gridLine(double y, const std::string& text);
  void curve(const PointPath& points, std::size_t series);
  void marker(double x, double y, std::size_t series);
  /// The line of a series, for which the picture is as wide as it takes; of those beyond
  /// `mostInLegend` one says how many there are.
  void legend(const std::string& name, std::size_t series, std::size_t all);
  /// Names of the axes and the title; behind them the picture is whole.
  void finish(const std::string& title, const std::string& x, const std::string& y,
              std::size_t legendLines);
  std::string svg() const;

private:
  /// `end` closes the path where it is " z"; `style` holds its attributes.
  void path(const PointPath& points, const char* end, const std::string& style);

  std::string marks, heading; ///< `marks` in SVG
  double width = 860, height = 0;
};

} // namespace dpl::report
