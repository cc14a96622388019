//===- MicroBatchCosts.cpp - Micro-batches with different costs -------------------------------===//
#include "ir/MicroBatchCosts.h"
#include "ir/Limits.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace dpl;
using namespace dpl::ir;

namespace {
double real(const CostRatio& r) {
  return static_cast<double>(r.numerator) / static_cast<double>(r.denominator);
}
} // namespace

MicroBatchCosts::MicroBatchCosts(llvm::ArrayRef<std::uint64_t> costs) {
  if (costs.empty())
    return;
  const std::uint64_t count = costs.size(),
                      sum = std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
  std::map<std::uint64_t, std::uint32_t> kindOfCost;
  ratios.clear();
  for (const std::uint64_t cost : costs) {
    const auto [kind, isNew] = kindOfCost.emplace(cost, static_cast<std::uint32_t>(ratios.size()));
    if (isNew)
      ratios.push_back({cost * count, sum});
    pattern.push_back(kind->second);
  }
}

double MicroBatchCosts::least() const {
  double out = real(ratios.front());
  for (const CostRatio& r : ratios)
    out = std::min(out, real(r));
  return out;
}

double MicroBatchCosts::most() const {
  double out = 0;
  for (const CostRatio& r : ratios)
    out = std::max(out, real(r));
  return out;
}

double MicroBatchCosts::sum(std::uint64_t begin, std::uint64_t end) const {
  if (equal())
    return static_cast<double>(end - begin);
  double out = 0;
  for (std::uint64_t i = begin; i < end; ++i)
    out += real(of(i));
  return out;
}

std::optional<std::vector<std::uint64_t>> dpl::ir::wholeRatio(llvm::ArrayRef<Rational> costs) {
  // All costs are multiples of this unit: the greatest common divisor of the numerators over the
  // least common multiple of the denominators.
  using Int = Rational::Int;
  const auto gcd = [](Int a, Int b) {
    while (b != 0)
      std::tie(a, b) = std::pair(b, a % b);
    return a;
  };
  Int numerator = 0, denominator = 1;
  for (const Rational& cost : costs) {
    numerator = gcd(numerator, cost.numerator());
    const auto more = Rational::of(cost.denominator() / gcd(denominator, cost.denominator()), 1);
    const auto before = Rational::of(denominator, 1);
    const auto all = more && before ? Rational::multiply(*before, *more) : std::nullopt;
    if (!all)
      return std::nullopt;
    denominator = all->numerator();
  }
  const auto unit = Rational::of(numerator, denominator);
  std::vector<std::uint64_t> out;
  for (const Rational& cost : costs) {
    const auto times = unit ? Rational::divide(cost, *unit) : std::nullopt;
    const auto whole = times ? times->asInteger() : std::nullopt;
    if (!whole || static_cast<std::uint64_t>(*whole) > mostMicroBatchCost)
      return std::nullopt;
    out.push_back(static_cast<std::uint64_t>(*whole));
  }
  if (std::all_of(out.begin(), out.end(), [](std::uint64_t n) { return n == 1; }))
    out.clear();
  return out;
}
