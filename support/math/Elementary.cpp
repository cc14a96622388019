//===- Elementary.cpp - Bit-identical logarithm and exponential -------------------------------===//
#include "support/math/Elementary.h"
#include <cstdint>
#include <cstring>
#include <limits>

namespace {
// ln 2 = high + low; multiples of `high` by exponents are exact.
constexpr double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;

std::uint64_t bitsOf(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
double fromBits(std::uint64_t bits) {
  double x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
} // namespace

double dpl::simulate::logarithm(double x) {
  std::uint64_t bits = bitsOf(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double m = fromBits((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 0x1.6a09e667f3bcdp0)
    m /= 2, ++exponent;
  // ln m = 2 artanh r; |r| < 0.1716, so that r^23 / 23 is below 2^-60.
  const double r = (m - 1) / (m + 1), square = r * r;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2)
    sum = square * (1.0 / k + sum);
  const auto e = static_cast<double>(exponent);
  return e * high + (2 * r + (2 * r * sum + e * low));
}

double dpl::simulate::exponential(double x) {
  if (x < -708)
    return 0;
  if (x > 709)
    return std::numeric_limits<double>::infinity();
  const double scaled = x * 0x1.71547652b82fep0;
  const auto n = static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const auto e = static_cast<double>(n);
  const double r = (x - e * high) - e * low; // |r| < 0.35, so that r^15 / 15! is below 2^-62
  double sum = 0;
  for (int k = 14; k >= 2; --k)
    sum = r / k * (1 + sum);
  return (1 + (r + r * sum)) * fromBits(static_cast<std::uint64_t>(n + 1023) << 52);
}
