//===- SavedRunTest.cpp - Runs drawn failure by failure --------------------------------------===//
#include "simulate/SavedRun.h"
#include "cost/Checkpoints.h"
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

// Of a first order form that leaves out failures in the time that others cost.
TEST(SavedRun, BesideTraining_MeansAreNearTheFirstOrder) {
  const SavedRun run{30 * day, 20 * minute, 5, 120, 40 * hour, 10 * minute};
  const simulate::Sample sample = times(drawn(run, 2000));
  const double first = run.work * cost::timeOverWork({run.interval, run.blocked, run.written},
                                                     {run.between, run.restart});
  EXPECT_NEAR(sample.mean() / first, 1, 2e-4 + 3 * sample.standardError() / first);
}

TEST(SavedRun, PartsAddUp_AndNothingFailsWithoutFailures) {
  const SavedRun run{100, 10, 1, 0, 50, 3};
  for (const RunTime& one : drawn(run, 200))
    EXPECT_NEAR(one.time, run.work + one.saving + one.again + one.restarting, 1e-9 * one.time);
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
