//===- SavedRunTest.cpp - Runs drawn failure by failure ---------------------------------------===//
#include "support/math/SavedRun.h"
#include "cost/run/Checkpoints.h"
#include "tests/unit/DrawnRuns.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::test;
using simulate::RunTime;
using simulate::SavedRun;

// 30 days of work by intervals that divide it, with the checkpoint of the last one.
TEST(SavedRun, MeansAreTheExactForm) {
  for (const double interval : {30.0, 90.0, 240.0})
    for (const double restart : {0.0, 20.0}) {
      const SavedRun run{30 * day, interval * minute, 5 * minute, 0, 21 * hour, restart * minute};
      const simulate::Sample sample = times(drawn(run, 1000));
      const double exact =
          run.work * cost::timeOverWork({run.interval, run.blocked, 0}, {run.between, run.restart});
      EXPECT_LE(std::abs(sample.mean() - exact), 3 * sample.standardError()) << interval;
    }
}

// Up to a copy of the last interval, which is not waited for; with failures as frequent as
// checkpoints, and with a writing that takes several intervals.
TEST(SavedRun, BesideTraining_MeansAreTheExactForm) {
  for (const auto& [written, between] : {std::pair(120.0, 40 * hour),
                                         {0.1, 2 * hour},
                                         {1000.0, hour},
                                         {50 * minute, 2 * hour},
                                         {50 * minute, 40 * hour}}) {
    const SavedRun run{30 * day, 20 * minute, 5, written, between, 10 * minute};
    const simulate::Sample sample = times(drawn(run, 1000));
    const double exact = run.work * cost::timeOverWork({run.interval, run.blocked, run.written},
                                                       {run.between, run.restart});
    EXPECT_NEAR(sample.mean() / exact, 1, 1e-3 + 3 * sample.standardError() / exact)
        << written << " " << between;
  }
}

TEST(SavedRun, PartsAddUp_AndNothingFailsWithoutFailures) {
  const SavedRun run{100, 10, 1, 0, 50, 3};
  for (const RunTime& one : drawn(run, 200))
    EXPECT_NEAR(one.time, run.work + one.saving + one.rework + one.restarting, 1e-9 * one.time);
  SavedRun sound = run;
  sound.between = never;
  for (const RunTime& one : drawn(sound, 3)) {
    EXPECT_EQ(one.time, 110);
    EXPECT_EQ(one.failures, 0);
  }
}

// Without a checkpoint a failure begins all again: M·e^{R/M}·(e^{W/M} − 1).
TEST(SavedRun, WithoutCheckpoints_AllIsDoneAgain) {
  const SavedRun run{100, 100, 0, 0, 60, 5};
  const simulate::Sample sample = times(drawn(run, 20'000));
  const double exact = 60 * std::exp(5.0 / 60) * std::expm1(100.0 / 60);
  EXPECT_LE(std::abs(sample.mean() - exact), 3 * sample.standardError());
}
