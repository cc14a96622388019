//===- Checkpoints.cpp - The effect of failures and checkpoints on a run ----------------------===//
#include "cost/run/Checkpoints.h"
#include "support/math/FailureTimes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using simulate::FailureTimes;

namespace {
/// The integral of the survival, by Simpson's rule.
double survivalOver(double begin, double length, const FailureTimes& failures) {
  constexpr int steps = 16;
  double sum = failures.survival(begin) + failures.survival(begin + length);
  for (int i = 1; i < steps; ++i)
    sum += (i % 2 == 1 ? 4 : 2) * failures.survival(begin + length * i / steps);
  return sum * length / steps / 3;
}

/// The integral of the survival up to a time. The pieces are shorter near 0, where it is steep for
/// a shape below 1.
double survivalUntil(double end, const FailureTimes& failures) {
  constexpr int pieces = 48;
  double sum = 0;
  for (int i = 0; i < pieces; ++i, end /= 2)
    sum += survivalOver(end / 2, end / 2, failures);
  return sum + end;
}

/// The integral of the survival from a time on.
double survivalFrom(double begin, double first, const FailureTimes& failures) {
  constexpr double growth = 1.3, negligible = 1e-16;
  double sum = 0;
  for (double length = first;; begin += length, length *= growth) {
    const double piece = survivalOver(begin, length, failures);
    sum += piece;
    if (piece <= negligible * sum)
      return sum;
  }
}

/// The sum of the survival at begin + i·apart for i = 0, 1, …: term by term, and where the terms
/// hardly differ by the integral around their midpoints; the relative error is below 1e-7.
double sumOfSurvivals(double begin, double apart, const FailureTimes& failures) {
  constexpr int single = 256;
  constexpr double negligible = 1e-16;
  double sum = 0;
  for (int i = 0; i < single; ++i) {
    const double term = failures.survival(begin + i * apart);
    sum += term;
    if (term <= negligible * sum)
      return sum;
  }
  const double rest = begin + (single - 0.5) * apart;
  return sum + survivalFrom(rest, single * apart / 4, failures) / apart;
}

/// The argument above 0 at which a function with one minimum is least, by the golden section over
/// its logarithm around a first guess.
double leastAt(double guess, llvm::function_ref<double(double)> of) {
  constexpr double ratio = 0.61803398874989485, around = 4;
  double low = std::log(guess) - around, high = std::log(guess) + around;
  for (int i = 0; i < 48; ++i) {
    const double left = high - ratio * (high - low), right = low + ratio * (high - low);
    if (of(std::exp(left)) < of(std::exp(right)))
      high = right;
    else
      low = left;
  }
  return std::exp((low + high) / 2);
}
} // namespace

double cost::timeOverWork(const Checkpoints& c, const Failures& f) {
  if (std::isinf(f.between))
    return 1 + c.blocked / c.interval;
  const double cycle = c.interval + c.blocked;
  if (f.shape != 1) {
    // One of `each` checkpoints is written; the others are due during the write and skipped.
    const double each = c.written <= cycle ? 1 : std::ceil(c.written / cycle);
    const FailureTimes failures(f.between, f.shape);
    const double first = f.restart + cycle + c.written;
    const double saved = failures.survival(first) +
                         each * sumOfSurvivals(first + each * cycle, each * cycle, failures);
    return f.between / (c.interval * saved);
  }
  const double oneFailure = f.between * std::exp((f.restart + c.written) / f.between);
  if (c.written <= cycle)
    return oneFailure * std::expm1(cycle / f.between) / c.interval;
  // One of `each` checkpoints is written; the others are due during the write and skipped.
  const double each = std::ceil(c.written / cycle);
  const double intervals = 1 + each / std::expm1(each * cycle / f.between);
  return oneFailure * std::exp(cycle / f.between) / (intervals * c.interval);
}

double cost::timeWithoutCheckpoints(double work, const Failures& f) {
  if (f.shape == 1 || std::isinf(f.between))
    return timeOverWork(Checkpoints{work, 0, 0}, f);
  // The first attempt begins without a restart. Each later one takes as long as it lasts, and
  // succeeds where no failure occurs during the restart and the work.
  const FailureTimes failures(f.between, f.shape);
  const double again = f.restart + work;
  return (survivalUntil(work, failures) + (1 - failures.survival(work)) *
                                              survivalUntil(again, failures) /
                                              failures.survival(again)) /
         work;
}

double cost::IncrementalCheckpoints::meanBlocked() const {
  const auto each = static_cast<double>(everyFull);
  return (full + delta * (each - 1)) / each;
}

double cost::IncrementalCheckpoints::meanRead() const {
  return readDelta * (static_cast<double>(everyFull) - 1) / 2;
}

double cost::timeWithIncrements(const IncrementalCheckpoints& c, const Failures& f) {
  if (f.shape != 1 || std::isinf(f.between))
    return timeOverWork(Checkpoints{c.interval, c.meanBlocked(), 0},
                        {f.between, f.restart + c.meanRead(), f.shape});
  double sum = 0;
  for (std::uint64_t i = 1; i <= c.everyFull; ++i) {
    const double restart = f.restart + c.readDelta * static_cast<double>(i - 1),
                 blocked = i == c.everyFull ? c.full : c.delta;
    sum += std::exp(restart / f.between) * std::expm1((c.interval + blocked) / f.between);
  }
  return f.between * sum / (static_cast<double>(c.everyFull) * c.interval);
}

double cost::timeOverWork(llvm::ArrayRef<CheckpointTier> tiers) {
  double ratio = 1;
  for (const auto& [c, f] : tiers) {
    const double interval = std::max(c.interval, c.written);
    ratio += c.blocked / c.interval + (interval / 2 + c.written + f.restart) / f.between;
  }
  return ratio;
}

double cost::bestIntervalScale(llvm::ArrayRef<CheckpointTier> tiers) {
  double waited = 0, lost = 0, least = 0;
  for (const auto& [c, f] : tiers) {
    waited += c.blocked / c.interval, lost += c.interval / 2 / f.between;
    least = std::max(least, c.written / c.interval);
  }
  return std::max(least, std::sqrt(waited / lost));
}

double cost::bestInterval(double blocked, double written, double between) {
  // The derivative is 0 at (1 − x)·e^{x + c} = 1 with x = τ/M and c = C/M; the left side falls from
  // e^c.
  double low = 0, high = 1;
  for (int i = 0; i < 64; ++i) {
    const double x = (low + high) / 2;
    ((1 - x) * std::exp(x + blocked / between) > 1 ? low : high) = x;
  }
  return std::max(written, between * (low + high) / 2);
}

double cost::bestInterval(double blocked, double written, const Failures& f) {
  const double first = bestInterval(blocked, written, f.between);
  if (f.shape == 1 || first <= 0)
    return first;
  return std::max(written, leastAt(first, [&](double interval) {
                    return timeOverWork(Checkpoints{interval, blocked, written}, f);
                  }));
}

/// The time over work is (A·e^{τ/M} − B)/τ up to a factor, so that the best interval is that of
/// equal checkpoints of M·ln(A/B).
double cost::bestInterval(const IncrementalCheckpoints& c, const Failures& f) {
  if (f.shape != 1)
    return bestInterval(c.meanBlocked(), 0, {f.between, f.restart + c.meanRead(), f.shape});
  double grown = 0, lost = 0;
  for (std::uint64_t i = 1; i <= c.everyFull; ++i) {
    const double restart = c.readDelta * static_cast<double>(i - 1),
                 blocked = i == c.everyFull ? c.full : c.delta;
    grown += std::exp((restart + blocked) / f.between), lost += std::exp(restart / f.between);
  }
  return bestInterval(f.between * std::log(grown / lost), 0, f.between);
}
