//===- StudiesTest.cpp - examples/studies give what closed forms say --------------------------===//
//
// The forms are written here from the literature and share no code with the product.
#include "tests/SourceFolder.h"
#include "tests/golden/StudyRows.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
using namespace dpl::test;

namespace {
constexpr double us = 1e-6, ms = 1e-3, MB = 1e6, GB = 1e9;

void expectNear(const std::vector<double>& found, const std::vector<double>& wanted,
                double relative) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], std::abs(wanted[i]) * relative + 1e-15) << "row " << i;
}

double depth(double n) { return std::ceil(std::log2(n)); }
// All-reduces of d bytes over n ranks, a seconds a message, B bytes a second (Chan et al.,
// Collective communication: theory, practice, and experience, 2007; Thakur et al., 2005).
double ring(double n, double d, double a, double b) { return 2 * (n - 1) * (a + d / (n * b)); }
double tree(double n, double d, double a, double b) { return 2 * depth(n) * (a + d / b); }
double halvingDoubling(double n, double d, double a, double b) {
  return 2 * depth(n) * a + 2 * (n - 1) / n * d / b;
}

/// The mean of the largest of n log-normal times of mean 1: the integral of 1 − F(x)^n.
double slowestOf(double n, double cv) {
  const double variance = std::log(1 + cv * cv), deviation = std::sqrt(variance);
  constexpr double step = 1e-4;
  double sum = 0;
  for (double x = step / 2; x < 40; x += step) {
    const double below =
        std::erfc(-(std::log(x) + variance / 2) / (deviation * std::sqrt(2.0))) / 2;
    sum += (1 - std::pow(below, n)) * step;
  }
  return sum;
}

/// Probability that one of n log-normal times is above so many times their mean.
double shareLate(double n, double cv, double above) {
  const double variance = std::log(1 + cv * cv);
  const double below = std::erfc(-(std::log(above) + variance / 2) / std::sqrt(2 * variance)) / 2;
  return 1 - std::pow(below, n);
}
/// Of 10,000 steps within three standard errors, and half a percent.
void expectShare(double found, double wanted) {
  EXPECT_NEAR(found, wanted, 3 * std::sqrt(wanted * (1 - wanted) / 1e4) + 0.005 * wanted);
}
} // namespace

TEST(Studies, DataParallel_StepsAreComputationAndARing) {
  const double ranks[] = {1, 2, 8, 16, 57, 64, 256};
  const Rows weak("studies/data_parallel", "weak");
  ASSERT_EQ(weak.size(), std::size(ranks));
  for (std::size_t i = 0; i < weak.size(); ++i) {
    const double n = ranks[i], step = 125 * ms + ring(n, 700 * MB, 10 * us, 25 * GB);
    EXPECT_NEAR(weak.value(i, "step_time"), step, 1e-11);
    EXPECT_NEAR(weak.value(i, "efficiency"), 125 * ms / step, 1e-9);
    EXPECT_NEAR(weak.value(i, "speedup"), n * 125 * ms / step, 1e-6);
  }
  const Rows strong("studies/data_parallel", "strong");
  std::vector<double> steps;
  for (double n : {1, 8, 64, 256})
    steps.push_back(32 / n + ring(n, 700 * MB, 10 * us, 25 * GB));
  expectNear(strong.column("step_time"), steps, 1e-9);
  const Rows crossing("studies/data_parallel", "crossover");
  for (std::size_t i = 0; i < crossing.size(); ++i) {
    const bool communicates = 481 + i >= 488;
    EXPECT_EQ(crossing.value(i, "time.compute") < crossing.value(i, "time.exposed"), communicates);
    EXPECT_EQ(crossing.value(i, "ranks"), 488);
  }
  expectNear(Rows("studies/data_parallel", "faster").column("step_time"),
             {0.153400625, 0.154400625}, 1e-9);
  expectNear(Rows("studies/data_parallel", "algorithms").column("time.exposed"),
             {ring(256, 700 * MB, 10 * us, 50 * GB), tree(256, 700 * MB, 10 * us, 50 * GB),
              halvingDoubling(256, 700 * MB, 10 * us, 50 * GB)},
             1e-9);
}

TEST(Studies, Stragglers_AreTheOrderStatisticsOfTheirDistribution_Slow) {
  const Rows rows("studies/stragglers", "barrier");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double n = std::stod(rows.at(i, "flat.nodes")),
                 cv = std::stod(rows.at(i, "flat.jitter.cv"));
    const double efficiency = 1 / slowestOf(n, cv);
    EXPECT_NEAR(rows.value(i, "expected"), efficiency, 2e-4) << n << " ranks, cv " << cv;
    EXPECT_NEAR(rows.value(i, "measured"), efficiency, 0.01 * efficiency) << n << ", cv " << cv;
  }
  const Rows ranks("studies/stragglers", "ranks");
  expectNear(ranks.column("step_time"), {65.48 * ms, 78.31 * ms, 86.08 * ms}, 1e-4);
  EXPECT_NEAR(shareLate(256, 0.2, 2), 0.0401, 5e-5);
  expectShare(ranks.value(2, "step_time.above[100ms]"), shareLate(256, 0.2, 2));
}

// 1 − F(x)^n of 10,000 steps.
TEST(Studies, Stragglers_AreLateAsOftenAsOneOfThemIs_Slow) {
  const Rows rows("studies/stragglers", "late");
  const double printed[] = {0.205, 0.840, 0.999}, ranks[] = {8, 64, 256};
  for (std::size_t i = 0; i < std::size(ranks); ++i) {
    const double wanted = shareLate(ranks[i], 0.05, 1.1 / std::sqrt(1 + 0.05 * 0.05));
    EXPECT_NEAR(wanted, printed[i], 6e-4);
    expectShare(rows.value(i, "step_time.above[54.9314ms]"), wanted);
  }
}

// The mean of the largest of n of a list: each time with the probability that it is that.
TEST(Studies, TimesOfAFile_AreTheirOwnOrderStatistics) {
  std::istringstream file(slurp(sourceFolder() / "examples/studies/measured_times.csv"));
  std::vector<double> times;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);)
    times.push_back(std::stod(line.substr(line.find(',') + 1)));
  std::sort(times.begin(), times.end());
  const auto size = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / size;
  const Rows rows("studies/measured_times", "file");
  const double ranks[] = {2, 8, 64, 512};
  for (std::size_t i = 0; i < std::size(ranks); ++i) {
    double slowest = 0;
    for (std::size_t k = 0; k < times.size(); ++k)
      slowest += times[k] * (std::pow((static_cast<double>(k) + 1) / size, ranks[i]) -
                             std::pow(static_cast<double>(k) / size, ranks[i]));
    EXPECT_NEAR(rows.value(i, "step_time"), 50 * ms * slowest / mean, 1e-7) << ranks[i];
    EXPECT_NEAR(rows.value(i, "step_time.mean"), 50 * ms * slowest / mean, 2 * ms) << ranks[i];
  }
}

TEST(Studies, Shapes_AreTheirOwnOrderStatistics_Slow) {
  constexpr double n = 256;
  double harmonic = 0;
  for (double i = 1; i <= n; ++i)
    harmonic += 1 / i;
  const auto pareto = [](double shape) {
    const double a = 1 / shape;
    return 1 /
           ((1 - a) * std::exp(std::lgamma(n + 1) + std::lgamma(1 - a) - std::lgamma(n + 1 - a)));
  };
  const Rows rows("studies/stragglers", "shapes");
  const std::vector<double> expected = rows.column("expected"), measured = rows.column("measured");
  ASSERT_EQ(expected.size(), 7U);
  EXPECT_NEAR(expected[0], 1 / slowestOf(n, 0.3), 2e-4);
  EXPECT_GT(expected[1], expected[0]); // what a node has in common makes nobody wait
  EXPECT_NEAR(expected[3], 1 / (1 + 0.3 * (harmonic - 1)), 1e-9);
  EXPECT_NEAR(expected[4], pareto(3), 1e-9);
  EXPECT_NEAR(expected[5], 0.0705, 5e-5);
  EXPECT_NEAR(expected[6], 0.0278, 5e-5);
  for (std::size_t i = 0; i < 5; ++i) // those with a variance
    EXPECT_NEAR(measured[i], expected[i], 0.02 * expected[i]) << i;
}

TEST(Studies, PipelineSchedules_HaveTheirBubbleAndMemory) {
  const Rows plain("studies/pipeline_schedules", "plain_schedules");
  ASSERT_EQ(plain.size(), 12U);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double m = std::stod(plain.at(i, "plain.batch"));
    const bool ahead = plain.at(i, "plain.schedule") == "gpipe";
    EXPECT_NEAR(plain.value(i, "step_time"), 3 * (m + 7), 1e-9);
    EXPECT_NEAR(plain.value(i, "bubble_fraction"), 7 / (m + 7), 1e-9);
    EXPECT_NEAR(plain.value(i, "memory.rank[0].activations"),
                1.5 * GB * (ahead ? m : std::min(m, 8.0)), 1);
  }
  // p/v + … of Narayanan et al., arXiv 2104.04473: (p − 1)/v of a micro-batch idle, (1 + (p −
  // 1)/(p·v)) of 1F1B's memory.
  const Rows interleaved("studies/pipeline_schedules", "interleaved");
  for (std::size_t i = 0; i < interleaved.size(); ++i) {
    const double v = 2 + std::floor(static_cast<double>(i) / 2), m = i % 2 == 0 ? 16 : 32;
    EXPECT_NEAR(interleaved.value(i, "utilisation"), m / (m + 7 / v), 1e-9);
    EXPECT_NEAR(interleaved.value(i, "memory.rank[0].activations"),
                1.5 * GB * 8 * (1 + 7 / (8 * v)), 1);
  }
  expectNear(Rows("studies/pipeline_schedules", "modern").column("step_time"),
             {103, 103, 99.5, 104.5, 109.5, 102, 103}, 1e-9);
}

TEST(Studies, CollectiveAlgorithms_AreTheirClosedForms) {
  const Rows sizes("studies/collective_algorithms", "sizes");
  ASSERT_EQ(sizes.size(), 18U);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double d = 4 * std::stod(sizes.at(i, "textbook.buffer.layer[0].parameters"));
    const auto form = i < 6 ? ring : i < 12 ? tree : halvingDoubling;
    EXPECT_NEAR(sizes.value(i, "step_time"), form(256, d, 10 * us, 50 * GB), 2e-12) << d;
  }
  const Rows crossing("studies/collective_algorithms", "crossover");
  EXPECT_GT(crossing.value(0, "step_time"), crossing.value(1, "step_time"));
  EXPECT_LT(crossing.value(2, "step_time"), crossing.value(3, "step_time"));
}

TEST(Studies, GradientBuckets_EndWhereTheRecurrenceDoes) {
  std::vector<double> ends;
  for (int layers : {1, 2, 4, 8, 12, 16, 24, 48, 96}) {
    double ready = 0, end = 0;
    for (int bucket = 0; bucket < 96 / layers; ++bucket) {
      ready += 5 * ms * layers;
      end = std::max(ready, end) + ring(256, 700 * MB * layers / 96, 10 * us, 50 * GB);
    }
    ends.push_back(end);
  }
  expectNear(Rows("studies/gradient_buckets", "layers_a_bucket").column("step_time"), ends, 1e-6);
}

TEST(Studies, HierarchicalAllReduce_SendsAShardThroughEachPort) {
  const double sizes[] = {1, 2, 4, 8, 16, 32};
  const Rows each("studies/hierarchical_all_reduce", "a_port_each"),
      one("studies/hierarchical_all_reduce", "one_port");
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    const double g = sizes[i], nodes = 256 / g;
    const double inside = ring(g, 700 * MB, us, 600 * GB);
    EXPECT_NEAR(each.value(i, "step_time"), inside + ring(nodes, 700 * MB / g, 10 * us, 25 * GB),
                1e-10);
    EXPECT_NEAR(one.value(i, "step_time"), inside + ring(nodes, 700 * MB / g, 10 * us, 25 * GB / g),
                1e-10);
  }
  expectNear(Rows("studies/hierarchical_all_reduce", "flat_rings").column("step_time"),
             {60.88125 * ms, 12.0726 * ms}, 1e-5);
}

// 96 blocks with two all-reduces each way: 56.4 + 5.4 ms in fast links, 1407 ms in slow ones, next
// to 880 ms of computation.
TEST(Studies, TensorParallelLayer_SendsTheActivationsOfEachBlock) {
  constexpr double payload = 2048.0 * 12288 * 2;
  const double degrees[] = {2, 4, 8, 16};
  const Rows fast("studies/tensor_parallel_layer", "degree"),
      slow("studies/tensor_parallel_layer", "slow_links");
  EXPECT_EQ(fast.value(0, "time.exposed.tensor"), 0);
  for (std::size_t i = 0; i < std::size(degrees); ++i) {
    EXPECT_NEAR(fast.value(i + 1, "time.exposed.tensor"),
                4 * 96 * ring(degrees[i], payload, us, 600 * GB), 1e-9);
    EXPECT_NEAR(slow.value(i, "time.exposed.tensor"),
                4 * 96 * ring(degrees[i], payload, 10 * us, 25 * GB), 1e-9);
  }
  const double flop = 3 * 96 * 24.0 * 2048 * 12288 * 12288 * (1 + 2048.0 / (6 * 12288));
  EXPECT_NEAR(fast.value(3, "time.compute"), flop / 8 / 312e12, 1e-9);
  EXPECT_NEAR(fast.value(3, "share"), 0.0656, 5e-5);
  EXPECT_NEAR(slow.value(2, "share"), 0.6151, 5e-5);
  const Rows recomputed("studies/tensor_parallel_layer", "recomputed");
  EXPECT_NEAR(recomputed.value(1, "time.exposed.tensor"), 6 * 96 * ring(8, payload, us, 600 * GB),
              1e-9);
}

// Daly, A higher order estimate of the optimum checkpoint interval, 2006, equation 13; beside
// training the same of the copy, e^{c/M} times.
TEST(Studies, Checkpoints_WasteWhatFailuresAndWritingTake) {
  const double hour = 3600, write = 300, between = 21 * hour;
  const Rows rows("studies/checkpoints", "interval");
  const double every[] = {30, 60, 109, 180, 240};
  for (std::size_t i = 0; i < std::size(every); ++i) {
    const double interval = 60 * every[i];
    EXPECT_NEAR(rows.value(i, "waste"),
                between * std::expm1((interval + write) / between) / interval - 1, 2e-5);
    EXPECT_NEAR(rows.value(i, "run[train].time"), 43200 * 60 * (1 + rows.value(i, "waste")), 30);
    EXPECT_NEAR(rows.value(i, "run[train].cost"),
                rows.value(i, "run[train].time") / hour * 2 * 1000, 1);
  }
  expectNear(Rows("studies/checkpoints", "beside_training").column("waste"),
             {std::exp(120 / (12 * hour)) * 12 * hour * std::expm1(1205 / (12 * hour)) / 1200 - 1},
             1e-4);
  const Rows machine("studies/checkpoints", "machine");
  expectNear(machine.column("checkpoint.optimal_interval.young"),
             {6734.98, 4762.35, 9524.70, 6734.98, 13469.97, 9524.70}, 1e-6);
  const Rows rates("studies/checkpoints", "rates");
  expectNear(rates.column("failures.mtbf"), {42 * hour, 21 * hour}, 1e-9);
  expectNear(rates.column("checkpoint.optimal_interval.young"), {9524.70, 6734.98}, 1e-6);
  const Rows orders("studies/checkpoints", "orders");
  EXPECT_NEAR(orders.value(0, "checkpoint.optimal_interval.young") / 60, 160.997, 5e-4);
  EXPECT_NEAR(orders.value(0, "checkpoint.optimal_interval.daly") / 60, 153.096, 5e-4);
  EXPECT_NEAR(orders.value(0, "checkpoint.optimal_interval") / 60, 153.098, 5e-4);
}

// Of 400 runs of a month with some 34 failures each: what one loses varies by two hours or so.
TEST(Studies, DrawnRuns_WasteWhatIsExpectedOfThem) {
  const Rows rows("studies/checkpoints", "drawn");
  ASSERT_EQ(rows.size(), 5U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(rows.value(i, "drawn"), rows.value(i, "expected"), 0.004) << i;
    EXPECT_GT(rows.value(i, "run[train].time.p95"), 43200 * 60 * (1 + rows.value(i, "drawn")));
  }
}

// Of 49 intervals a twelfth of two apart: the optimum is flat.
TEST(Studies, TheBestIntervalOfDrawnRuns_IsThatOfTheClosedForm) {
  const double hour = 3600, write = 300;
  const Rows rows("studies/checkpoints", "best");
  const double between[] = {10.5 * hour, 21 * hour, 42 * hour};
  ASSERT_EQ(rows.size(), std::size(between));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double drawn = rows.value(i, "run[train].optimal_interval.drawn");
    EXPECT_NEAR(rows.value(i, "checkpoint.optimal_interval.young"),
                std::sqrt(2 * write * between[i]), 1);
    EXPECT_NEAR(std::log2(drawn / rows.value(i, "run[train].optimal_interval")), 0, 0.2) << i;
    EXPECT_GT(drawn, i > 0 ? rows.value(i - 1, "run[train].optimal_interval.drawn") : 0);
  }
}

// 1000 tokens of 4096 elements of 2 bytes, of which 255/256 leave; ⌈1.25 × 1000/256⌉ = 5 tokens of
// each rank is what an expert takes.
TEST(Studies, ExpertExchange_IsSetByTheBusiestReceiver) {
  const double even = 1000.0 * 4096 * 2 * 255 / 256 / (25 * GB);
  std::vector<double> wanted;
  for (const double imbalance : {1.0, 1.15, 1.46, 3.0})
    for (const double most : {1e9, 5 / (1000 / 256.0)})
      wanted.push_back(even * std::min(imbalance, most));
  const Rows rows("studies/expert_exchange", "balance");
  expectNear(rows.column("exchange"), wanted, 1e-8);
  EXPECT_NEAR(rows.value(0, "communication[expert].tokens.all_to_all.time"), 1.3056 * ms, 1e-7);
}
