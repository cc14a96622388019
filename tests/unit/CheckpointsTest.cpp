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
  std::weibull_distribution<double> next(f.shape, f.between / std::tgamma(1 + 1 / f.shape));
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

// The drawn runs use the Weibull distribution of the standard library.
TEST(Checkpoints, AnyShape_IsTheMeanOfDrawnRuns) {
  for (const double shape : {0.5, 0.7, 1.5, 3.0})
    for (const double restart : {0.0, 10 * minute}) {
      const Checkpoints c{hour, 5 * minute, 0};
      const Failures f{8 * hour, restart, shape};
      const Drawn runs = drawn(c, f, 60 * 24 * hour, 2000);
      EXPECT_NEAR(timeOverWork(c, f) / runs.mean, 1, 4 * runs.error / runs.mean + 5e-4)
          << shape << " " << restart;
    }
}

// Of shape 2 and scale λ, Σ e^{−(nτ/λ)²} over n ≥ 1 is (√π·λ/τ − 1)/2 up to e^{−(πλ/τ)²}.
TEST(Checkpoints, ShapeTwo_IsTheThetaFunction) {
  for (const double interval : {0.1, 0.01, 0.0001}) {
    const double mean = std::sqrt(M_PI) / 2, sum = (std::sqrt(M_PI) / interval - 1) / 2;
    EXPECT_NEAR(timeOverWork({interval, 0, 0}, {mean, 0, 2}) / (mean / (interval * sum)), 1, 1e-7)
        << interval;
  }
}

TEST(Checkpoints, ShapeNearOne_IsNearlyTheExponentialForm) {
  for (const double written : {0.0, 20.0, 100 * minute}) {
    const Checkpoints c{30 * minute, 60, written};
    const double exact = timeOverWork(c, {21 * hour, 600});
    EXPECT_NEAR(timeOverWork(c, {21 * hour, 600, 1.0000001}) / exact, 1, 1e-6) << written;
  }
  const double whole = timeWithoutCheckpoints(3 * hour, {21 * hour, 600});
  EXPECT_NEAR(whole, 21 * std::exp(600 / (21 * hour)) * std::expm1(3 / 21.0) / 3, 1e-12);
  EXPECT_NEAR(timeWithoutCheckpoints(3 * hour, {21 * hour, 600, 1.0000001}) / whole, 1, 1e-6);
}

TEST(Checkpoints, BestIntervalOfAnyShape_IsTheLeastOfAll) {
  for (const double shape : {0.5, 0.8, 2.0}) {
    const Failures f{21 * hour, 600, shape};
    const double best = bestInterval(300, 0, f), least = timeOverWork({best, 300, 0}, f);
    for (double factor = 0.5; factor < 2; factor += 0.1)
      EXPECT_GE(timeOverWork({factor * best, 300, 0}, f), least * (1 - 1e-9)) << shape;
  }
}

// 15 of 16 checkpoints take 9 s instead of 90, one per 15 minutes.
TEST(Checkpoints, Increments_WithoutFailures_TakeTheirShare) {
  const IncrementalCheckpoints c{900, 90, 9, 0, 16};
  EXPECT_NEAR(timeWithIncrements(c, {std::numeric_limits<double>::infinity(), 0}) - 1, 0.015625,
              1e-12);
}

TEST(Checkpoints, IncrementsThatAreWhole_AreBlockingCheckpoints) {
  const Failures f{5 * hour, 300};
  EXPECT_NEAR(timeWithIncrements({900, 90, 90, 0, 7}, f), timeOverWork({900, 90, 0}, f), 1e-12);
  EXPECT_NEAR(bestInterval(IncrementalCheckpoints{900, 90, 90, 0, 7}, f),
              bestInterval(90, 0, 5 * hour), 1e-6);
}

TEST(Checkpoints, BestIntervalOfIncrements_IsTheLeastOfAll) {
  const Failures f{5 * hour, 300};
  IncrementalCheckpoints c{900, 300, 15, 30, 10};
  c.interval = bestInterval(c, f);
  const double best = c.interval, least = timeWithIncrements(c, f);
  for (double factor = 0.5; factor < 2; factor += 0.05) {
    c.interval = factor * best;
    EXPECT_GE(timeWithIncrements(c, f), least * (1 - 1e-12)) << factor;
  }
}
