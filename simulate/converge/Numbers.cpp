//===- Numbers.cpp - Rounding of values and sums to a number format ---------------------------===//
#include "simulate/converge/Numbers.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace dpl::converge;

const NumberFormat& dpl::converge::formatAt(std::size_t place) {
  static const NumberFormat rows[] = {{8, 23, std::ldexp(0x1.fffffep0, 127), Beyond::Infinity},
                                      {5, 10, 65504, Beyond::Infinity},
                                      {8, 7, std::ldexp(0x1.fep0, 127), Beyond::Infinity},
                                      {4, 3, 448, Beyond::NotANumber},
                                      {5, 2, 57344, Beyond::Infinity},
                                      {2, 1, 6, Beyond::Largest}};
  return rows[place];
}

double NumberFormat::smallestNormal() const { return std::ldexp(1, 2 - (1 << (exponentBits - 1))); }

double NumberFormat::nearest(double value) const {
  if (value == 0 || !std::isfinite(value))
    return value;
  const int exponent = std::max(std::ilogb(value), std::ilogb(smallestNormal()));
  const double scaled = std::ldexp(value, mantissaBits - exponent);
  return std::ldexp(std::nearbyint(scaled), exponent - mantissaBits);
}

bool NumberFormat::overflows(double value) const { return std::fabs(nearest(value)) > largest; }

double NumberFormat::round(double value) const {
  if (!overflows(value))
    return nearest(value);
  switch (beyond) {
  case Beyond::Infinity:
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  case Beyond::NotANumber:
    return std::numeric_limits<double>::quiet_NaN();
  case Beyond::Largest:
    break;
  }
  return std::copysign(largest, value);
}

std::int64_t NumberFormat::place(double number) const {
  if (number == 0 || !std::isfinite(number))
    return 0;
  const int lowest = std::ilogb(smallestNormal());
  const int exponent = std::max(std::ilogb(number), lowest);
  // A subnormal number has the exponent of the smallest normal one, without the leading bit.
  const auto mantissa =
      static_cast<std::int64_t>(std::ldexp(std::fabs(number), mantissaBits - exponent));
  const std::int64_t magnitude = (std::int64_t{exponent - lowest} << mantissaBits) + mantissa;
  return number < 0 ? -magnitude : magnitude;
}

double dpl::converge::sumOf(llvm::ArrayRef<double> values, const NumberFormat& format,
                            SumOrder order, std::size_t first) {
  std::vector<double> left;
  for (const double value : values)
    left.push_back(format.round(value));
  if (order == SumOrder::RightToLeft)
    std::reverse(left.begin(), left.end());
  if (order == SumOrder::Ring && !left.empty())
    std::rotate(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(first % left.size()),
                left.end());
  if (order == SumOrder::Pairwise) {
    for (std::size_t count = left.size(); count > 1; count = (count + 1) / 2)
      for (std::size_t i = 0; i < (count + 1) / 2; ++i)
        left[i] = 2 * i + 1 < count ? format.round(left[2 * i] + left[2 * i + 1]) : left[2 * i];
    return left.empty() ? 0 : left.front();
  }
  double sum = left.empty() ? 0 : left.front();
  for (std::size_t i = 1; i < left.size(); ++i)
    sum = format.round(sum + left[i]);
  return sum;
}

// Keeps partial sums that do not overlap (Shewchuk, Adaptive precision floating-point arithmetic,
// 1997).
double dpl::converge::exactSum(llvm::ArrayRef<double> values) {
  std::vector<double> parts;
  for (double value : values) {
    std::vector<double> next;
    for (double part : parts) {
      if (std::fabs(value) < std::fabs(part))
        std::swap(value, part);
      const double high = value + part, low = part - (high - value);
      if (low != 0)
        next.push_back(low);
      value = high;
    }
    next.push_back(value);
    parts = std::move(next);
  }
  double sum = 0;
  for (const double part : parts) // in order of rising magnitude
    sum += part;
  return sum;
}

StoredShares dpl::converge::sharesOf(llvm::ArrayRef<double> values, const NumberFormat& format) {
  StoredShares out;
  for (const double value : values) {
    const double magnitude = std::fabs(value), each = 1 / static_cast<double>(values.size());
    out.belowNormal += magnitude < format.smallestNormal() ? each : 0;
    out.aboveLargest += magnitude > format.largest ? each : 0;
    out.overflow += format.overflows(value) ? each : 0;
  }
  return out;
}

StoredShares dpl::converge::sharesOfNormal(double deviation, const NumberFormat& format) {
  // Values up to half a unit in the last place above the largest number round to it.
  const double unit = std::ldexp(1, std::ilogb(format.largest) - format.mantissaBits);
  const double root = deviation * std::sqrt(2.0);
  return {std::erf(format.smallestNormal() / root), std::erfc(format.largest / root),
          std::erfc((format.largest + unit / 2) / root)};
}

ScaledSteps dpl::converge::scaleSteps(llvm::ArrayRef<double> gradients, const NumberFormat& format,
                                      double scale, std::uint64_t window, std::uint64_t steps) {
  double largest = 0;
  for (const double gradient : gradients)
    largest = std::max(largest, std::fabs(gradient));
  ScaledSteps out{0, scale};
  std::uint64_t good = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (format.overflows(largest * out.scale)) {
      ++out.skipped, good = 0;
      out.scale /= 2;
    } else if (++good == window) {
      good = 0;
      out.scale *= 2;
    }
  }
  return out;
}
