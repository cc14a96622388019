//===- TieredRun.cpp - A run with checkpoints in several tiers --------------------------------===//
#include "simulate/engine/TieredRun.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace dpl::simulate;

namespace {
constexpr double never = std::numeric_limits<double>::infinity();

class TieredRunDraw {
public:
  TieredRunDraw(const TieredRun& run, Draws& draws)
      : run(run), draws(draws), rate(rateOf(run)), between(rate > 0 ? 1 / rate : never, run.shape) {
    nextFailure();
  }

  RunTime toTheEnd() {
    while (workAt(saved) < run.work) {
      const double work = workAt(saved + 1) - workAt(saved), blocked = blockedBy(saved + 1);
      const double time = run.rate.varies() ? run.rate.timeFor(work, now) : work;
      if (now + time + blocked <= failure)
        out.slower += time - work, save(time, blocked);
      else
        fail(time);
    }
    out.time = now;
    return out;
  }

private:
  static double rateOf(const TieredRun& run) {
    double all = 0;
    for (const SavedTier& tier : run.tiers)
      all += std::isinf(tier.between) ? 0 : 1 / tier.between;
    return all;
  }
  double workAt(std::uint64_t checkpoint) const {
    return std::min(run.work, run.interval * static_cast<double>(checkpoint));
  }
  bool goesTo(std::size_t tier, std::uint64_t checkpoint) const {
    return checkpoint % run.tiers[tier].every == 0;
  }
  double blockedBy(std::uint64_t checkpoint) const {
    double all = 0;
    for (std::size_t k = 0; k < run.tiers.size(); ++k)
      all += goesTo(k, checkpoint) ? run.tiers[k].blocked : 0;
    return all;
  }
  void nextFailure() { failure = now + between.draw(draws); }

  void save(double time, double blocked) {
    now += time + blocked, out.saving += blocked, ++saved;
    settle(now);
    for (std::size_t k = 0; k < run.tiers.size(); ++k)
      if (!goesTo(k, saved))
        continue;
      else if (run.tiers[k].written == 0)
        savedWork[k] = saved;
      else if (readable[k] == never)
        readable[k] = now + run.tiers[k].written, copied[k] = saved;
  }
  /// Makes the writes that end at or before `time` readable.
  void settle(double time) {
    for (std::size_t k = 0; k < run.tiers.size(); ++k)
      if (readable[k] <= time)
        savedWork[k] = copied[k], readable[k] = never;
  }

  /// Draws the first tier that survives a failure.
  std::size_t remainingTiers() {
    double at = draws.uniform() * rate;
    for (std::size_t k = 0; k + 1 < run.tiers.size(); ++k) {
      at -= std::isinf(run.tiers[k].between) ? 0 : 1 / run.tiers[k].between;
      if (at < 0)
        return k;
    }
    return run.tiers.size() - 1;
  }

  void fail(double time) {
    settle(failure);
    const double spent = std::min(failure - now, time);
    const double worked = run.rate.varies() ? run.rate.workIn(spent, now) : spent;
    const double done = workAt(saved) + worked;
    out.slower += spent - worked, out.saving += failure - now - spent;
    readable.fill(never);
    now = failure;
    std::size_t from = 0;
    do { // a failure during the restart may destroy further tiers
      from = std::max(from, remainingTiers());
      const double began = now;
      ++out.failures;
      nextFailure();
      now = std::min(failure, began + run.tiers[from].restart);
      out.restarting += now - began;
    } while (now == failure);
    saved =
        *std::max_element(savedWork.begin() + static_cast<std::ptrdiff_t>(from), savedWork.end());
    for (std::size_t k = 0; k < from; ++k)
      savedWork[k] = saved;
    out.rework += done - workAt(saved);
  }

  const TieredRun& run;
  Draws& draws;
  RunTime out;
  double rate; ///< failures per second
  FailureTimes between;
  double now = 0, failure = never;
  std::uint64_t saved = 0; ///< number of checkpoints
  std::array<std::uint64_t, 3> savedWork{}, copied{};
  std::array<double, 3> readable{never, never, never};
};
} // namespace

RunTime dpl::simulate::draw(const TieredRun& run, Draws& draws) {
  return TieredRunDraw(run, draws).toTheEnd();
}
