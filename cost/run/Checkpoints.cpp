//===- Checkpoints.cpp - The effect of failures and checkpoints on a run ----------------------===//
#include "cost/run/Checkpoints.h"
#include <algorithm>
#include <cmath>

using namespace dpl;

double cost::timeOverWork(const Checkpoints& c, const Failures& f) {
  if (std::isinf(f.between))
    return 1 + c.blocked / c.interval;
  const double cycle = c.interval + c.blocked;
  const double oneFailure = f.between * std::exp((f.restart + c.written) / f.between);
  if (c.written <= cycle)
    return oneFailure * std::expm1(cycle / f.between) / c.interval;
  // One of `each` checkpoints is written; the others are due during the write and skipped.
  const double each = std::ceil(c.written / cycle);
  const double intervals = 1 + each / std::expm1(each * cycle / f.between);
  return oneFailure * std::exp(cycle / f.between) / (intervals * c.interval);
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
