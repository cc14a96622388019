//===- OrderStatistics.cpp - The mean of the slowest of n devices -----------------------------===//
#include "cost/execution/OrderStatistics.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

using namespace dpl::ir;

namespace {
double normalBelow(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Simpson's rule over an even number of steps.
template <class F> double integral(double low, double high, int steps, F f) {
  const double h = (high - low) / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i)
    sum += f(low + h * i) * (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2);
  return sum * h / 3;
}
double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }

// Beyond ±9 standard deviations the density is negligible for any n below 10^15.
constexpr double far = 9;

double logNormal(double cv, double n) {
  const double sigma = std::sqrt(std::log1p(cv * cv));
  return n *
         integral(-far, far + sigma, 2000,
                  [&](double x) {
                    return std::exp(-sigma * sigma / 2 + sigma * x - x * x / 2 +
                                    (n - 1) * std::log(normalBelow(x)));
                  }) /
         std::sqrt(2 * std::acos(-1.0));
}

/// The logarithm of a device's factor is the sum of a part that its node shares and its own part.
double nodesOfLogNormal(const Jitter& jitter, double nodes, double inNode) {
  const double variance = std::log1p(jitter.spread * jitter.spread);
  const double common = std::sqrt(jitter.node * variance),
               own = std::sqrt((1 - jitter.node) * variance);
  // The probability that the largest of a node is at most x.
  const auto below = [&](double x) {
    if (own == 0)
      return normalBelow(x / common);
    return integral(-far, far, 400, [&](double z) {
      return density(z) * std::pow(normalBelow((x - common * z) / own), inNode);
    });
  };
  const double low = -far * (common + own), high = (far + std::sqrt(variance)) * (common + own);
  const double largest =
      std::exp(low) + integral(low, high, 2000, [&](double x) {
        return std::exp(x) * -std::expm1(nodes * std::log(std::min(1.0, below(x))));
      });
  return largest * std::exp(-variance / 2);
}

/// The share of a gamma distribution of shape k and scale 1 above x: by the series for the share
/// below x up to k + 1, and by Lentz's continued fraction above (Abramowitz and Stegun, 6.5.29,
/// 6.5.31).
double gammaAbove(double k, double x) {
  if (x <= 0)
    return 1;
  const double scale = std::exp(-x + k * std::log(x) - std::lgamma(k));
  if (x < k + 1) {
    double term = 1 / k, sum = term;
    for (double i = k + 1; term > sum * 1e-16; ++i)
      sum += term *= x / i;
    return 1 - sum * scale;
  }
  double b = x + 1 - k, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 500; ++i) {
    const double a = -i * (i - k);
    b += 2;
    d = 1 / (a * d + b), c = b + a / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15)
      break;
  }
  return scale * h;
}

double gamma(double cv, double n) {
  const double k = 1 / (cv * cv);
  double high = 2;
  while (n * gammaAbove(k, k * high) > 1e-13)
    high *= 1.25;
  // With x = y² the integrand is smooth even for shapes below 1.
  return integral(0, std::sqrt(high), 4000, [&](double y) {
    return 2 * y * -std::expm1(n * std::log1p(-gammaAbove(k, k * y * y)));
  });
}

double harmonic(double n) {
  double sum = 0;
  for (double i = n; i >= 1; --i)
    sum += 1 / i;
  return sum;
}

double pareto(double shape, double n) {
  const double a = 1 / shape;
  return (1 - a) * std::exp(std::lgamma(n + 1) + std::lgamma(1 - a) - std::lgamma(n + 1 - a));
}

/// The share of times whose logarithm is above `x`. Times are log-normal with a mean of 1, and a
/// share of them, the stragglers, take `slowdown` times as long. The result is not scaled to a mean
/// of 1.
double rareAbove(const Jitter& jitter, double x) {
  const double sigma = std::sqrt(std::log1p(jitter.spread * jitter.spread)), u = jitter.share,
               later = std::log(jitter.slowdown);
  return (1 - u) * normalBelow(-(x + sigma * sigma / 2) / sigma) +
         u * normalBelow(-(x - later + sigma * sigma / 2) / sigma);
}

double rare(const Jitter& jitter, double n) {
  const double sigma = std::sqrt(std::log1p(jitter.spread * jitter.spread)), u = jitter.share,
               mean = 1 + (jitter.slowdown - 1) * u;
  if (sigma == 0)
    return (1 + (jitter.slowdown - 1) * -std::expm1(n * std::log1p(-u))) / mean;
  const double later = std::log(jitter.slowdown);
  const double low = -(far + sigma) * sigma, high = later + (far + sigma) * sigma;
  return (std::exp(low) + integral(low, high, 4000,
                                   [&](double x) {
                                     return std::exp(x) *
                                            -std::expm1(n * std::log1p(-rareAbove(jitter, x)));
                                   })) /
         mean;
}

/// Each of the sorted times has equal probability.
double measured(const std::vector<double>& times, double n) {
  const auto all = static_cast<double>(times.size());
  double sum = 0, below = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double upTo = std::pow(static_cast<double>(i + 1) / all, n);
    sum += times[i] * (upTo - below);
    below = upTo;
  }
  return sum;
}

double amplification(const Jitter& jitter, double n, double inNode) {
  switch (jitter.kind) {
  case JitterKind::None:
    return 1;
  case JitterKind::LogNormal:
    return jitter.node > 0 && inNode > 1
               ? nodesOfLogNormal(jitter, std::max(1.0, n / inNode), std::min(n, inNode))
               : logNormal(jitter.spread, n);
  case JitterKind::Gamma:
    return gamma(jitter.spread, n);
  case JitterKind::Exponential:
    return 1 + jitter.spread * (harmonic(n) - 1);
  case JitterKind::Pareto:
    return pareto(jitter.spread, n);
  case JitterKind::Rare:
    return rare(jitter, n);
  case JitterKind::Measured:
    return measured(jitter.times, n);
  }
  return 1;
}
} // namespace

double dpl::cost::shareAbove(const Jitter& jitter, double x) {
  switch (jitter.kind) {
  case JitterKind::None:
    return x < 1 ? 1 : 0;
  case JitterKind::LogNormal: {
    const double sigma = std::sqrt(std::log1p(jitter.spread * jitter.spread));
    return normalBelow(-(std::log(x) + sigma * sigma / 2) / sigma);
  }
  case JitterKind::Gamma: {
    const double k = 1 / (jitter.spread * jitter.spread);
    return gammaAbove(k, k * x);
  }
  case JitterKind::Exponential:
    return x <= 1 - jitter.spread ? 1 : std::exp(-(x - 1 + jitter.spread) / jitter.spread);
  case JitterKind::Pareto: {
    const double least = 1 - 1 / jitter.spread;
    return x <= least ? 1 : std::pow(x / least, -jitter.spread);
  }
  case JitterKind::Rare: {
    const double mean = 1 + (jitter.slowdown - 1) * jitter.share;
    if (jitter.spread > 0)
      return rareAbove(jitter, std::log(x * mean));
    return x * mean < 1 ? 1 : x * mean < jitter.slowdown ? jitter.share : 0;
  }
  case JitterKind::Measured: {
    const auto below = std::upper_bound(jitter.times.begin(), jitter.times.end(), x);
    return static_cast<double>(jitter.times.end() - below) /
           static_cast<double>(jitter.times.size());
  }
  }
  return 0;
}

double dpl::cost::variation(const Jitter& jitter) {
  if (jitter.kind != JitterKind::Rare)
    return jitter.spread;
  const double s = jitter.slowdown, u = jitter.share, mean = 1 + (s - 1) * u;
  const double square = (1 + jitter.spread * jitter.spread) * (1 + (s * s - 1) * u);
  return std::sqrt(square / (mean * mean) - 1);
}

double dpl::cost::barrierAmplification(const Jitter& jitter, double n, double inNode) {
  if (!jitter.varies() || n <= 1)
    return 1;
  if (jitter.kind == JitterKind::Measured)
    return measured(jitter.times, n);
  // A search asks for few keys many times, so each thread caches them. A new key replaces the old
  // one in its slot.
  using Key = std::array<double, 7>;
  struct Known {
    Key key{};
    double value = 1;
  };
  static thread_local std::array<Known, 64> table;
  const Key key{static_cast<double>(jitter.kind),
                jitter.spread,
                jitter.node,
                n,
                inNode,
                jitter.share,
                jitter.slowdown};
  std::uint64_t mixed = 0;
  for (const double part : key) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &part, sizeof bits);
    mixed = (mixed ^ bits) * 0x9e3779b97f4a7c15;
  }
  Known& known = table[mixed >> 58];
  if (known.key != key)
    known = {key, amplification(jitter, n, inNode)};
  return known.value;
}
