//===- StudiesOfVariationTest.cpp - Loading, late messages and passes that vary ---------------===//
//
// The forms are written here from the literature and share no code with the product.
#include "tests/golden/StudyRows.h"
using namespace dpl::test;

namespace {
constexpr double us = 1e-6, ms = 1e-3;

/// The mean of the largest of n Erlang times, of so many exponential parts of mean 1 each: the
/// integral of 1 − F(x)^n.
double slowestErlang(double n, int parts) {
  const double step = 1e-3 * parts;
  double sum = 0;
  for (double x = step / 2; x < 40.0 + 4 * parts; x += step) {
    double term = std::exp(-x), above = term;
    for (int k = 1; k < parts; ++k)
      above += term *= x / k;
    sum += (1 - std::pow(1 - std::min(1.0, above), n)) * step;
  }
  return sum;
}
/// The mean of the largest of n log-normal numbers of mean 1: the integral of 1 − F(x)^n.
double largestLogNormal(double n, double cv) {
  const double sigma = std::sqrt(std::log1p(cv * cv)), center = -sigma * sigma / 2, dx = 1e-4;
  double sum = 0;
  for (double x = dx / 2; x < 40; x += dx)
    sum += (1 - std::pow(std::erfc((center - std::log(x)) / (sigma * std::sqrt(2.0))) / 2, n)) * dx;
  return sum;
}
} // namespace

TEST(StudiesOfVariation, SamplesTakeAsLongAsTheirWorkersOrTheSharedStorage) {
  const Rows workers("studies/data_loading", "workers");
  const double loads[] = {320 * ms, 160 * ms, 80 * ms, 40 * ms};
  for (std::size_t i = 0; i < std::size(loads); ++i) {
    EXPECT_NEAR(workers.value(i, "data_loading.step_time"), loads[i], 1e-12);
    EXPECT_NEAR(workers.value(i, "step_time"), std::max(100 * ms, loads[i]), 1e-12);
    EXPECT_NEAR(workers.value(i, "step_time.mean"), std::max(100 * ms, loads[i]), 2e-12);
    EXPECT_NEAR(workers.value(i, "time.data_loading"), std::max(0.0, loads[i] - 100 * ms), 1e-12);
  }
  const Rows storage("studies/data_loading", "storage");
  const double ranks[] = {8, 16, 64, 256};
  for (std::size_t i = 0; i < std::size(ranks); ++i) {
    EXPECT_NEAR(storage.value(i, "data_loading.read_time"), 8 * ms * ranks[i], 1e-12);
    EXPECT_NEAR(storage.value(i, "step_time.mean"), std::max(100 * ms, 8 * ms * ranks[i]), 1e-9);
  }
}

TEST(StudiesOfVariation, WhatIsReadyAheadEvensOutLoading) {
  const Rows rows("studies/data_loading", "ahead");
  const std::vector<double> means = rows.column("step_time.mean");
  ASSERT_EQ(means.size(), 4U);
  // Of a step T and an exponential time of mean L that begins with it: the mean of the longer.
  EXPECT_NEAR(means[0], 100 * ms + 80 * ms * std::exp(-100.0 / 80), 1.5 * ms);
  for (std::size_t i = 1; i < means.size(); ++i)
    EXPECT_LT(means[i], means[i - 1]);
  EXPECT_NEAR(means[3], 100 * ms, 2 * ms);
  const std::vector<double> ranks = Rows("studies/data_loading", "ranks").column("step_time.mean");
  EXPECT_LT(ranks[0], ranks[1]);
  EXPECT_LT(ranks[1], ranks[2]);
}

TEST(StudiesOfVariation, LateMessagesAddUpAlongARing) {
  const double mean[] = {0, 100 * us, 1 * ms, 10 * ms};
  // Of 4000 steps the standard error is 0.8 % of what is late, of the 8192 runs that stand for all
  // where a collective is one event 0.6 %.
  for (const char* study : {"pairs", "events"}) {
    const Rows rows("studies/message_delays", study);
    for (std::size_t i = 0; i < std::size(mean); ++i) {
      // Both messages of a step, twice: the later of two exponential times is 1.5 of their mean.
      const double late = 2 * 1.5 * mean[i], step = rows.value(i, "step_time");
      EXPECT_NEAR(rows.value(i, "step_time.mean"), step + late, 0.03 * late + 1e-9) << study << i;
    }
  }
}

TEST(StudiesOfVariation, PassesThatVaryByThemselvesEvenOut) {
  const Rows rows("studies/varying_passes", "passes");
  const int passes[] = {1, 4, 16};
  for (std::size_t i = 0; i < std::size(passes); ++i) {
    const double slowest = 10 * ms * slowestErlang(64, passes[i]);
    EXPECT_NEAR(rows.value(i, "step_time"), 10 * ms * passes[i], 1e-12);
    EXPECT_NEAR(rows.value(i, "step_time.mean"), slowest, 0.04 * slowest) << passes[i];
  }
  const std::vector<double> stages =
      Rows("studies/varying_passes", "stages").column("step_time.mean");
  EXPECT_LT(stages[0], stages[1]);
  EXPECT_LT(stages[1], stages[2]);
}

TEST(StudiesOfVariation, FlowsThatAreHashedLeaveLinksIdle) {
  const Rows rows("studies/hashed_flows", "links");
  const std::vector<double> means = rows.column("step_time.mean");
  ASSERT_EQ(means.size(), 4U);
  for (std::size_t i = 1; i < means.size(); ++i)
    EXPECT_GT(means[i], means[i - 1]);
  EXPECT_EQ(rows.value(0, "step_time.max"), means[0]); // one link: nothing is left to chance
  EXPECT_GT(rows.value(3, "step_time.max"), means[3]);
}

TEST(StudiesOfVariation, RingsWaitForTheirSlowestLink) {
  // 100 MB at 10 GB/s, twice but for each rank's own part.
  const auto bytes = [](double n) { return 2 * (n - 1) / n * 10 * ms; };
  const Rows ring("studies/varying_links", "ring");
  const double ranks[] = {2, 4, 16};
  for (std::size_t i = 0; i < std::size(ranks); ++i) {
    const double more = bytes(ranks[i]) * (largestLogNormal(2 * ranks[i], 0.3) - 1);
    EXPECT_NEAR(ring.value(i, "step_time.mean"), ring.value(i, "step_time") + more,
                0.04 * bytes(ranks[i]))
        << i;
  }
  // All four links are at twice their rate, or not; a message at the slower of two at a time.
  const Rows changes("studies/varying_links", "changes");
  const double of[] = {0.5 / 16 + 1.5 * 15 / 16, 1.0}, within[] = {0.06, 0.02};
  for (std::size_t i = 0; i < std::size(of); ++i)
    EXPECT_NEAR(changes.value(i, "step_time.mean"),
                changes.value(i, "step_time") + (of[i] - 1) * bytes(2), within[i] * bytes(2))
        << i;
  // None of sixteen links is slow with probability 0.99^16.
  const Rows slow("studies/varying_links", "slow");
  const double none = std::pow(0.99, 16), mean = (none + (1 - none) * 10) / 1.09;
  EXPECT_EQ(slow.value(0, "step_time.mean"), slow.value(0, "step_time"));
  EXPECT_NEAR(slow.value(1, "step_time.mean"), slow.value(1, "step_time") + (mean - 1) * bytes(8),
              0.5 * bytes(8));
}
