//===- CheckpointsTest.cpp - What failures and checkpoints leave of the time ------------------===//
#include "cost/run/Checkpoints.h"
#include "support/math/SavedRun.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace dpl;
using namespace dpl::cost;

namespace {
constexpr double minute = 60, hour = 3600;

/// Runs that work, write, fail at any time, restart and fall back, drawn with the standard
/// library's numbers: the mean time over work, and its standard error.
struct Drawn {
  double mean, error;
};
Drawn drawn(const Checkpoints& c, const Failures& f, double work, int runs) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> next(1 / f.between);
  double sum = 0, squares = 0;
  for (int i = 0; i < runs; ++i) {
    double time = 0, done = 0, failure = next(random);
    while (done < work) {
      const double segment = c.interval + c.blocked;
      if (time + segment <= failure) {
        time += segment, done += c.interval;
        continue;
      }
      // Restarts until one is not hit by another failure.
      time = failure;
      for (failure = time + next(random); time + f.restart > failure; failure = time + next(random))
        time = failure;
      time += f.restart;
    }
    sum += time / work, squares += time / work * (time / work);
  }
  const double mean = sum / runs;
  return {mean, std::sqrt((squares / runs - mean * mean) / runs)};
}
} // namespace

// Of a checkpoint of 5 minutes and 21 hours between failures, by interval (worked out apart).
TEST(Checkpoints, Blocking_WasteIsDalysExactForm) {
  const double wanted[][2] = {
      {30, 0.1830}, {60, 0.1118}, {112.25, 0.0947}, {180, 0.1071}, {240, 0.1268}};
  for (const auto& [interval, waste] : wanted)
    EXPECT_NEAR(timeOverWork({interval * minute, 5 * minute, 0}, {21 * hour, 0}) - 1, waste, 5e-5);
}

TEST(Checkpoints, BestIntervals_AreYoungsAndTheExactOne) {
  EXPECT_NEAR(simulate::youngInterval(5 * minute, 21 * hour) / minute, 112.250, 1e-3);
  EXPECT_NEAR(bestInterval(5 * minute, 0, 21 * hour) / minute, 108.941, 1e-3);
  EXPECT_NEAR(simulate::youngInterval(12, 1080), 160.997, 1e-3);
  EXPECT_NEAR(bestInterval(12, 0, 1080), 153.098, 1e-3);
  EXPECT_NEAR(simulate::dalyInterval(12, 1080), 153.096, 1e-3);
  EXPECT_EQ(simulate::dalyInterval(30, 10), 10);
}

TEST(Checkpoints, BestInterval_IsTheLeastOfAll) {
  for (const double between : {600.0, 7200.0, 1e6})
    for (const double blocked : {1.0, 60.0, 290.0}) {
      const double best = bestInterval(blocked, 0, between);
      const double least = timeOverWork({best, blocked, 0}, {between, 30});
      for (double factor = 0.5; factor < 2; factor += 0.05)
        EXPECT_GE(timeOverWork({factor * best, blocked, 0}, {between, 30}), least * (1 - 1e-12));
    }
}

TEST(Checkpoints, Beside_IsOfTheCopyAndOfWhatAFailureLoses) {
  EXPECT_NEAR(timeOverWork({20 * minute, 5, 120}, {12 * hour, 0}) - 1, 0.021135, 1e-6);
  EXPECT_NEAR(bestInterval(5, 120, 12 * hour), bestInterval(5, 0, 12 * hour), 1e-9);
  // No interval is shorter than the writing.
  EXPECT_EQ(bestInterval(1, 600, 3600), 600);
}

TEST(Checkpoints, Beside_OfNoWriting_IsTheBlockingForm) {
  const Failures f{2 * hour, 30 * minute};
  EXPECT_NEAR(timeOverWork({hour, 5, 1e-6}, f), timeOverWork({hour, 5, 0}, f), 1e-8);
}

TEST(Checkpoints, WithoutFailures_OnlyTheWritingIsLost) {
  EXPECT_EQ(timeOverWork({100, 5, 0}, {std::numeric_limits<double>::infinity(), 60}), 1.05);
}

TEST(Checkpoints, ExactForm_IsTheMeanOfDrawnRuns) {
  for (const double interval : {30 * minute, 109 * minute, 240 * minute})
    for (const double restart : {0.0, 10 * minute}) {
      const Checkpoints c{interval, 5 * minute, 0};
      const Failures f{21 * hour, restart};
      const double work = std::ceil(30 * 24 * hour / interval) * interval;
      const Drawn runs = drawn(c, f, work, 2000);
      EXPECT_NEAR(timeOverWork(c, f), runs.mean, 3 * runs.error + 1e-4)
          << interval << " " << restart;
    }
}
