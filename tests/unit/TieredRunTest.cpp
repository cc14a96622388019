//===- TieredRunTest.cpp - Runs that are saved in several places ------------------------------===//
#include "simulate/engine/TieredRun.h"
#include "cost/run/Checkpoints.h"
#include "tests/unit/DrawnRuns.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::test;
using simulate::RunTime;
using simulate::TieredRun;

namespace {
simulate::Sample wasteOf(const TieredRun& run, std::uint32_t n) {
  std::vector<double> out;
  for (const RunTime& one : drawn(run, n))
    out.push_back(one.time / run.work - 1);
  return simulate::Sample(std::move(out));
}
double formOf(const TieredRun& run) {
  std::vector<cost::CheckpointTier> tiers;
  for (const simulate::SavedTier& tier : run.tiers)
    tiers.push_back({{run.interval * static_cast<double>(tier.every), tier.blocked, tier.written},
                     {tier.between, tier.restart}});
  return cost::timeOverWork(tiers) - 1;
}
/// Into the memory of its node each 10 minutes, of others each 30, to storage each 2 hours.
TieredRun everyTier() {
  return {30 * day,
          10 * minute,
          {{{1, 2, 0, 400 * hour, 5 * minute},
            {3, 10, 0, 2000 * hour, 6 * minute},
            {12, 0, 120, 4000 * hour, 10 * minute}}}};
}
} // namespace

// 1 + Σ s/τ + (τ/2 + c + R)/M, each tier with the failures that leave it and not the one before.
TEST(TieredRun, WasteIsTheSumOverTiers) {
  TieredRun run = everyTier();
  for (const std::uint64_t every : {12U, 72U}) {
    run.tiers[2].every = every;
    const simulate::Sample waste = wasteOf(run, 500);
    EXPECT_LE(std::abs(waste.mean() - formOf(run)), 3 * waste.standardError()) << every;
  }
}

TEST(TieredRun, OfOneTier_IsOneThatIsWaitedForOrWrittenBeside) {
  TieredRun run = everyTier();
  run.tiers[0].between = run.tiers[1].between = never;
  run.tiers[0].blocked = run.tiers[1].blocked = 0;
  run.tiers[2] = {1, 0, 120, 400 * hour, 10 * minute};
  EXPECT_NEAR(formOf(run),
              cost::timeOverWork({run.interval, 0, 120}, {400 * hour, 10 * minute}) - 1, 1e-6);
  const simulate::Sample waste = wasteOf(run, 300);
  EXPECT_LE(std::abs(waste.mean() - formOf(run)), 3 * waste.standardError());
}

TEST(TieredRun, PartsAddUp_AndAFailureOfAllLosesWhatMemoryHeld) {
  TieredRun run = everyTier();
  run.work = 20 * hour;
  for (simulate::SavedTier& tier : run.tiers)
    tier.between /= 100;
  for (const RunTime& one : drawn(run, 100))
    EXPECT_NEAR(one.time, run.work + one.saving + one.rework + one.restarting, 1e-9 * one.time);
  TieredRun light = run;
  light.tiers[1].between = light.tiers[2].between = never;
  for (const RunTime& one : drawn(light, 100)) // no more than an interval, and what a copy takes
    EXPECT_LE(one.rework, one.failures * run.interval);
}

// Twice of what is waited for is halved by a stretch of √2, and lost work grows by as much.
TEST(TieredRun, TheBestStretch_LeavesNothingToGain) {
  TieredRun run = everyTier();
  std::vector<cost::CheckpointTier> tiers;
  for (const simulate::SavedTier& tier : run.tiers)
    tiers.push_back({{run.interval * static_cast<double>(tier.every), tier.blocked, tier.written},
                     {tier.between, tier.restart}});
  const double best = cost::bestIntervalScale(tiers);
  const auto at = [&](double stretch) {
    run.interval = 10 * minute * stretch;
    return formOf(run);
  };
  EXPECT_LT(at(best), at(best * 1.1));
  EXPECT_LT(at(best), at(best * 0.9));
}
