//===- Statistics.cpp - Statistics of replications --------------------------------------------===//
#include "support/math/Statistics.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

using namespace dpl::simulate;

Sample::Sample(std::vector<double> values) : sorted(std::move(values)) {
  assert(!sorted.empty());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  // Sums differences from the smallest value, so that the sums keep their precision.
  double sum = 0, squares = 0;
  for (const double value : sorted)
    sum += value - sorted.front();
  average = sorted.front() + sum / n;
  for (const double value : sorted)
    squares += (value - average) * (value - average);
  spread = sorted.size() < 2 ? 0 : std::sqrt(squares / (n - 1));
}

double Sample::standardError() const {
  return spread / std::sqrt(static_cast<double>(sorted.size()));
}

bool Sample::alike() const {
  constexpr double rounding = 1e-12;
  return sorted.size() > 1 && spread <= rounding * std::abs(average);
}

/// Student's quantile is an expansion about the normal quantile in 1/ν (Abramowitz and Stegun,
/// 26.7.5); the error is at most 0.1 % from four degrees of freedom on.
std::optional<double> Sample::halfWidth() const {
  if (sorted.size() < 2 || alike())
    return std::nullopt;
  const std::size_t degrees = sorted.size() - 1;
  constexpr double few[] = {0, 12.7062, 4.30265, 3.18245};
  if (degrees < 4)
    return few[degrees] * standardError();
  const double z = 1.959963985, v = static_cast<double>(degrees), z2 = z * z;
  const double t =
      z * (1 + (z2 + 1) / (4 * v) + ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
           (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v) +
           ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * v * v * v * v));
  return t * standardError();
}

double Sample::quantile(double fraction) const {
  const double at = std::ceil(fraction * static_cast<double>(sorted.size()));
  const double last = static_cast<double>(sorted.size()) - 1;
  return sorted[static_cast<std::size_t>(std::clamp(at - 1, 0.0, last))];
}

/// If each random number is repeated for n steps, values k steps apart have a correlation of 1 −
/// k/n. The variance of the means of batches of b steps is then too small by a share of n/(3b).
std::vector<double> dpl::simulate::batchMeans(llvm::ArrayRef<double> values, std::uint64_t apart) {
  assert(!values.empty());
  const std::size_t count = std::max<std::size_t>(1, values.size() / batchLength(apart));
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * values.size() / count, last = (i + 1) * values.size() / count;
    const llvm::ArrayRef<double> batch = values.slice(first, last - first);
    means.push_back(std::accumulate(batch.begin(), batch.end(), 0.0) /
                    static_cast<double>(batch.size()));
  }
  return means;
}
