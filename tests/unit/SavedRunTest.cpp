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

// Two of three checkpoints take a fifth, and a restart reads those since the last full one.
TEST(SavedRun, Increments_MeansAreTheExactForm) {
  SavedRun run{60 * day, 20 * minute, 5 * minute, 0, 4 * hour, 10 * minute};
  run.everyFull = 3, run.share = 0.2, run.readEach = 10 * minute;
  const simulate::Sample sample = times(drawn(run, 1000));
  const double exact =
      run.work * cost::timeWithIncrements({run.interval, run.blocked, minute, run.readEach, 3},
                                          {run.between, run.restart});
  EXPECT_LE(std::abs(sample.mean() - exact), 3 * sample.standardError() + 1e-4 * exact);
}

TEST(SavedRun, AnyShape_MeansAreTheLongRunForm) {
  for (const double shape : {0.6, 2.0}) {
    SavedRun run{200 * day, 90 * minute, 5 * minute, 0, 6 * hour, 20 * minute};
    run.shape = shape;
    const simulate::Sample sample = times(drawn(run, 500));
    const double exact = run.work * cost::timeOverWork({run.interval, run.blocked, 0},
                                                       {run.between, run.restart, shape});
    EXPECT_LE(std::abs(sample.mean() - exact), 4 * sample.standardError() + 5e-4 * exact) << shape;
  }
}

TEST(SavedRun, WithoutCheckpoints_OfAnyShape_AllIsDoneAgain) {
  for (const double shape : {0.6, 3.0}) {
    SavedRun run{100, 100, 0, 0, 60, 5};
    run.shape = shape;
    const simulate::Sample sample = times(drawn(run, 20'000));
    const double exact = 100 * cost::timeWithoutCheckpoints(100, {60, 5, shape});
    EXPECT_LE(std::abs(sample.mean() - exact), 3.5 * sample.standardError()) << shape;
  }
}

// Half the rate from 20 s to 60 s takes 20 s more, wherever the checkpoints are.
TEST(SavedRun, DegradedNodes_TakeTheirTime) {
  SavedRun run{100, 7, 0, 0, never, 0};
  run.rate = simulate::WorkRate({{20, 60, 0.5}});
  const RunTime one = drawn(run, 1).front();
  EXPECT_NEAR(one.time, 120, 1e-9);
  EXPECT_NEAR(one.slower, 20, 1e-9);
  run.between = 50, run.blocked = 1, run.restart = 3;
  for (const RunTime& failing : drawn(run, 200))
    EXPECT_NEAR(failing.time,
                run.work + failing.saving + failing.rework + failing.restarting + failing.slower,
                1e-9 * failing.time);
}
