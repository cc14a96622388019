//===- SlowestDeviceDistribution.cpp - Distribution of the slowest of several devices ---------===//
#include "cost/execution/SlowestDeviceDistribution.h"
#include "cost/execution/OrderStatistics.h"
#include <algorithm>
#include <cmath>

using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Shares of draws above the boundaries between values, in falling order from 1.
std::vector<double> levels() {
  std::vector<double> out{1, 0.9999, 0.999, 0.995, 0.98};
  for (double share = 0.95; share > 0.12; share -= 0.05)
    out.push_back(share);
  for (double share = 0.1; share > 1e-12; share *= 0.87)
    out.push_back(share);
  return out;
}

double normalAbove(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

/// The probability that the slowest of several devices is slower than `x`. With a share `above` of
/// slower devices, no device of a set is slower with the probability (1 - above)^devices.
class Above {
public:
  Above(const Jitter& jitter, const std::vector<RelativeDevices>& all, double inNode)
      : jitter(jitter), all(all), inNode(inNode),
        variance(std::log1p(jitter.spread * jitter.spread)) {}
  /// The probability for all devices together.
  double operator()(double x) const {
    if (all.size() == 1)
      return ofEqual(x / all.front().relative, all.front().devices);
    double below = 1;
    for (const RelativeDevices& equal : all)
      below *= 1 - ofEqual(x / equal.relative, equal.devices);
    return below > 0.5 ? sumOfSmall(x) : 1 - below;
  }

private:
  double ofEqual(double x, double devices) const {
    const double each = std::min(devices, inNode);
    const bool common = jitter.kind == JitterKind::LogNormal && jitter.node > 0 && each > 1;
    return common ? ofMany(slowestOfNode(x, each), devices / each)
                  : ofMany(shareAbove(jitter, x), devices);
  }
  /// Small probabilities, without cancellation.
  double sumOfSmall(double x) const {
    double logBelow = 0;
    for (const RelativeDevices& equal : all)
      logBelow += std::log1p(-ofEqual(x / equal.relative, equal.devices));
    return -std::expm1(logBelow);
  }
  static double ofMany(double above, double n) {
    return above >= 1 ? 1 : -std::expm1(n * std::log1p(-above));
  }
  /// The probability for the devices of one node. Integrates over their common factor by Simpson's
  /// rule.
  double slowestOfNode(double x, double each) const {
    const double common = std::sqrt(jitter.node * variance),
                 own = std::sqrt((1 - jitter.node) * variance), at = std::log(x) + variance / 2;
    if (own == 0)
      return normalAbove(at / common);
    constexpr int steps = 60;
    constexpr double far = 8, step = 2 * far / steps;
    double sum = 0;
    for (int i = 0; i <= steps; ++i) {
      const double z = -far + step * i;
      const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
      sum += weight * std::exp(-z * z / 2) * ofMany(normalAbove((at - common * z) / own), each);
    }
    return std::min(1.0, sum * step / 3 / std::sqrt(2 * std::acos(-1.0)));
  }
  const Jitter& jitter;
  const std::vector<RelativeDevices>& all;
  double inNode, variance;
};

/// The logarithms of the values that the given shares of draws exceed.
std::vector<double> valuesAt(const Above& above, const std::vector<double>& shares) {
  std::vector<double> out;
  double low = -14, step = 0.02; // no device has a factor below e^-14
  for (const double share : shares) {
    double high = low + step;
    while (above(std::exp(high)) > share && high < 300)
      low = high, step *= 2, high = low + step;
    for (int i = 0; i < 20; ++i) {
      const double middle = (low + high) / 2;
      (above(std::exp(middle)) > share ? low : high) = middle;
    }
    out.push_back(low);
    step = std::max(1e-4, out.size() > 1 ? low - out[out.size() - 2] : 0.02);
  }
  return out;
}
} // namespace

namespace {
/// All values of one device's factor in rising order if there are few; otherwise empty.
std::vector<double> valuesOf(const Jitter& jitter) {
  constexpr std::size_t few = 64;
  if (!jitter.varies())
    return {1};
  if (jitter.kind == JitterKind::Rare && jitter.spread == 0) {
    const double mean = 1 + (jitter.slowdown - 1) * jitter.share;
    return {std::min(1.0, jitter.slowdown) / mean, std::max(1.0, jitter.slowdown) / mean};
  }
  if (jitter.kind != JitterKind::Measured)
    return {};
  std::vector<double> all = jitter.times;
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all.size() <= few ? all : std::vector<double>{};
}
} // namespace

SlowestDeviceDistribution::SlowestDeviceDistribution(const Jitter& jitter,
                                                     const std::vector<RelativeDevices>& all,
                                                     double inNode) {
  const Above above(jitter, all, inNode);
  const std::vector<double> each = valuesOf(jitter);
  discrete = !each.empty();
  if (discrete) {
    for (const RelativeDevices& equal : all)
      for (const double value : each)
        values.push_back(value * equal.relative);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    double before = 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double next = i + 1 < values.size() ? above(values[i] * (1 + 1e-9)) : 0;
      weights.push_back(before - next);
      before = next;
    }
  } else {
    const std::vector<double> shares = levels();
    std::vector<double> middles;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double next = i + 1 < shares.size() ? shares[i + 1] : 0;
      weights.push_back(shares[i] - next);
      middles.push_back(next > 0 ? (shares[i] + next) / 2 : shares[i] / 2);
    }
    for (const double at : valuesAt(above, middles))
      values.push_back(std::exp(at));
  }
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    mean += weights[i] * values[i];
  // The mean of the slowest of equal devices is known more exactly.
  const double exact =
      all.size() == 1
          ? all.front().relative * barrierAmplification(jitter, all.front().devices, inNode)
          : mean;
  double sums[3] = {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] *= exact / mean;
    zeroth.push_back(sums[0] += weights[i]);
    first.push_back(sums[1] += weights[i] * values[i]);
    second.push_back(sums[2] += weights[i] * values[i] * values[i]);
  }
}

double SlowestDeviceDistribution::exceededBy(double share) const {
  const auto at = std::lower_bound(zeroth.begin(), zeroth.end(), 1 - share - 1e-15);
  return values[std::min<std::size_t>(static_cast<std::size_t>(at - zeroth.begin()),
                                      values.size() - 1)];
}
