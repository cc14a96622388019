#pragma once
//===- Plot.h - What pictures of curves over an axis share ------------------------------------===//
#include "backends/report/SvgParts.h"
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace dpl::report {

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
class Plot {
public:
  // Lengths are pixels at the picture's own size.
  static constexpr double left = 90, right = 640, top = 48, bottom = 420;
  static constexpr std::size_t mostInLegend = 20;

  void label(double x, double y, const std::string& text, const char* anchor, int size = 11);
  void stroke(double x1, double y1, double x2, double y2, const char* colour);
  void gridLine(double y, const std::string& text);
  void curve(const std::vector<std::pair<double, double>>& points, std::size_t series);
  void marker(double x, double y, std::size_t series);
  /// The line of a series; of those beyond `mostInLegend` one says how many there are.
  void legend(const std::string& name, std::size_t series, std::size_t all);
  /// Names of the axes and the title, and the page with all of it.
  std::string page(const std::string& title, const std::string& x, const std::string& y,
                   std::size_t legendLines);

private:
  std::string out;
};

} // namespace dpl::report
