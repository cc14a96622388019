//===- StudiesOfExpertsTest.cpp - examples/studies/expert_routing.dpl beside closed forms -----===//
#include "tests/golden/StudyRows.h"
using namespace dpl::test;

namespace {
/// P(X = 0), P(X = 1), … of a Poisson number, as many as matter.
std::vector<double> poisson(double mean) {
  std::vector<double> out;
  for (double x = 0; x < mean + 12 * std::sqrt(mean) + 12; ++x)
    out.push_back(std::exp(x * std::log(mean) - mean - std::lgamma(x + 1)));
  return out;
}
double beyond(double mean, double most) {
  double sum = 0;
  const std::vector<double> of = poisson(mean);
  for (std::size_t x = 0; x < of.size(); ++x)
    sum += std::max(0.0, static_cast<double>(x) - most) * of[x];
  return sum / mean;
}
/// What the largest of n does not exceed in half of the cases.
double medianOfLargest(double mean, double n) {
  double below = 0, x = 0;
  for (const double each : poisson(mean)) {
    below += each;
    if (std::pow(below, n) >= 0.5)
      return x;
    ++x;
  }
  return x;
}
} // namespace

TEST(StudiesOfExperts, ACapacityDropsWhatIsBeyondIt) {
  const Rows rows("studies/expert_routing", "capacity");
  const std::vector<double> dropped = rows.column("routing.dropped");
  const double most[] = {64, 70, 71, 80, 16, 18, 18, 20};
  // 65,536 and 16,384 choices of one of 1024 are nearly Poisson's.
  for (std::size_t i = 0; i < dropped.size(); ++i)
    EXPECT_NEAR(dropped[i], beyond(i < 4 ? 64 : 16, most[i]), 5e-3 * dropped[i] + 1e-6) << i;
  EXPECT_NEAR(dropped[0], 0.04980, 1e-4); // as published, of 64, 70 and 80 of 64, 16 and 20 of 16
  EXPECT_NEAR(dropped[1], 0.01693, 1e-4);
  EXPECT_NEAR(dropped[3], 0.001339, 1e-5);
  EXPECT_NEAR(dropped[4], 0.0992, 1e-4);
  EXPECT_NEAR(dropped[7], 0.0230, 1e-4);
}

TEST(StudiesOfExperts, TheBusiestOfManyAlike_IsTheLargestOfAsManyCounts) {
  const Rows rows("studies/expert_routing", "alike");
  const std::vector<double> busiest = rows.column("routing.busiest_expert");
  EXPECT_NEAR(busiest[0], medianOfLargest(256, 64) / 256, 0.01);
  EXPECT_NEAR(busiest[1], medianOfLargest(64, 2048) / 64, 0.02);
  EXPECT_NEAR(busiest[0], 1.15, 0.02);
  EXPECT_NEAR(busiest[1], 1.46, 0.03);
  // Eight experts on a rank.
  EXPECT_NEAR(rows.value(1, "routing.busiest_rank"), medianOfLargest(512, 256) / 512, 0.01);
  EXPECT_LT(rows.value(1, "routing.busiest_rank.balanced_placement"),
            rows.value(1, "routing.busiest_rank"));
}

TEST(StudiesOfExperts, AHeavyTail_IsComparedByItsMedian) {
  const Rows rows("studies/expert_routing", "popular");
  EXPECT_GT(rows.value(3, "routing.busiest_rank"), 17.5);
  EXPECT_LT(rows.value(3, "routing.busiest_rank"), 21.5);
  EXPECT_NEAR(rows.value(3, "routing.busiest_rank.p5"), 9.7, 1);
  EXPECT_NEAR(rows.value(3, "routing.busiest_rank.p95"), 73, 12);
  // As many tokens: 256 of 8192 bytes of each rank, of which 999/1000 leave, times the busiest.
  const double even = 256.0 * 4096 * 2 * 999 / 1000 / 25e9;
  EXPECT_NEAR(rows.value(0, "exchange"), even, 1e-8 * even + 1e-12);
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_NEAR(rows.value(i, "exchange"), even * rows.value(i, "routing.busiest_rank"), 1e-9);
}

TEST(StudiesOfExperts, PlacingOrDropping_Balances) {
  const Rows rows("studies/expert_routing", "balanced");
  for (const std::size_t row : {0U, 2U}) { // without a capacity, and with it
    EXPECT_LT(rows.value(row, "routing.busiest_rank"), rows.value(row, "routing.busiest_expert"));
    EXPECT_LT(rows.value(row, "routing.busiest_rank.balanced_placement"),
              rows.value(row, "routing.busiest_rank"));
    // One more place for each of 32 ranks of 8 experts.
    EXPECT_LT(rows.value(row, "routing.busiest_rank.redundant_experts"),
              rows.value(row, "routing.busiest_rank.balanced_placement"));
    EXPECT_GE(rows.value(row, "routing.busiest_rank.redundant_experts"), 1);
    EXPECT_LT(rows.value(row + 1, "exchange"), rows.value(row, "exchange"));
    EXPECT_LE(rows.value(row + 1, "routing.busiest_expert"), 1.25);
    EXPECT_GT(rows.value(row + 1, "routing.dropped"), 0.1);
  }
}

TEST(StudiesOfExperts, StepsVaryAsPopularityDoes) {
  const Rows rows("studies/expert_routing", "steps");
  EXPECT_EQ(rows.value(0, "step_time.p5"), rows.value(0, "step_time.p95"));
  double spread = 1;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_NEAR(rows.value(i, "step_time.p50") / rows.value(i, "step_time"), 1, 0.05) << i;
    const double of = rows.value(i, "step_time.p95") / rows.value(i, "step_time.p5");
    EXPECT_GT(of, spread) << i;
    spread = of;
  }
}
