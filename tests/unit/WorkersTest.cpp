//===- WorkersTest.cpp - Workers that wait for one another, or do not -------------------------===//
#include "simulate/engine/Workers.h"
#include "support/math/Distribution.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <gmock/gmock.h>
#include <numeric>

using namespace dpl;
using simulate::ExchangeMode;
using simulate::Workers;
using simulate::WorkersTime;
using simulate::WorkerSynchronization;

namespace {
/// Three standard errors, in half widths of 95 % confidence.
constexpr double errors = 3 / 1.96;

/// ms of one step of so many equal workers, 50 ms of computation and 100 ms of exchange.
double equalStep(WorkerSynchronization waiting, std::uint32_t bound, ExchangeMode kind) {
  const Workers of{8, 1000, waiting, bound, 100, kind};
  return simulate::run(of, [](std::uint32_t, std::uint32_t) { return 50; }).step;
}

/// The same random numbers for the same worker and step.
template <class Sample> auto drawn(Sample sample) {
  return [sample](std::uint32_t worker, std::uint32_t step) {
    simulate::Draws draws({7, 0, worker, step});
    return sample(draws);
  };
}
WorkersTime timeOf(const Workers& of,
                   llvm::function_ref<double(std::uint32_t, std::uint32_t)> compute) {
  return simulate::run(of, compute);
}

double harmonic(int n) {
  double sum = 0;
  for (int i = 1; i <= n; ++i)
    sum += 1.0 / i;
  return sum;
}

double meanAge(const WorkersTime& t) {
  return std::accumulate(t.ages.begin(), t.ages.end(), 0.0) / static_cast<double>(t.ages.size());
}
} // namespace

// 1000 updates of equal workers, and half as many again where they are computed from old
// parameters: 150 s with a barrier; 225 s one after the other, 150 beside, 75 without waiting for
// the exchange; 60 where every tenth step exchanges.
TEST(Workers, OfEqualWorkers_TakeWhatIsWorkedOutByHand) {
  EXPECT_DOUBLE_EQ(equalStep(WorkerSynchronization::Barrier, 0, ExchangeMode::Serial), 150);
  EXPECT_DOUBLE_EQ(1.5 * equalStep(WorkerSynchronization::Never, 0, ExchangeMode::Serial), 225);
  EXPECT_NEAR(1.5 * equalStep(WorkerSynchronization::Never, 0, ExchangeMode::Overlapped), 150,
              0.1); // the first fills
  EXPECT_NEAR(1.5 * equalStep(WorkerSynchronization::Never, 0, ExchangeMode::Detached), 75, 0.2);
  EXPECT_DOUBLE_EQ(equalStep(WorkerSynchronization::Local, 10, ExchangeMode::Serial), 60);
  EXPECT_DOUBLE_EQ(equalStep(WorkerSynchronization::Local, 1, ExchangeMode::Serial), 150);
  // 3 rounds of 300 steps and one of 100.
  EXPECT_DOUBLE_EQ(equalStep(WorkerSynchronization::Local, 300, ExchangeMode::Serial), 50 + 0.4);
  EXPECT_DOUBLE_EQ(equalStep(WorkerSynchronization::Bounded, 3, ExchangeMode::Serial), 150);
}

// 64 workers of 50 ms that vary by a fifth: the mean maximum is 78.3 ms, of sums of ten steps 57.9
// a step.
TEST(Workers, WithABarrier_WaitForTheSlowest_AndLessWhereSumsMeet) {
  const simulate::Distribution times = simulate::Distribution::logNormal(0.2);
  const auto compute = drawn([&](simulate::Draws& draws) { return 50 * times.sample(draws); });
  const WorkersTime each = timeOf({64, 4000, WorkerSynchronization::Barrier, 0, 100, {}}, compute);
  EXPECT_NEAR(each.step, 178.31, errors * *each.halfWidth());
  EXPECT_NEAR(each.waiting, (each.step - 150) / each.step, 2e-3);
  const WorkersTime sums = timeOf({64, 10'000, WorkerSynchronization::Local, 10, 0, {}}, compute);
  EXPECT_NEAR(sums.step, 57.9, 0.05 + errors * *sums.halfWidth());
  EXPECT_LT(*sums.halfWidth(), 0.2);
}

// Eight workers in units of four, 50 ms, 100 of exchange and 3 inside: in eight steps one exchange
// of all and three inside, behind every second step but the last. Units of one are local steps, one
// unit of all a barrier with the exchange inside, and whoever is slow holds up its unit alone.
TEST(Workers, InUnits_MeetInsideOftenAndAllSeldom) {
  Workers of{8, 800, WorkerSynchronization::Hierarchical, 8, 100, {}};
  of.workersPerUnit = 4, of.inner = 2, of.innerExchange = 3;
  const auto even = [](std::uint32_t, std::uint32_t) { return 50.0; };
  EXPECT_DOUBLE_EQ(timeOf(of, even).step, 50 + (3 * 3 + 100) / 8.0);
  // Workers 0 and 5 take ten more in turn: their units wait for them every other step.
  const auto turns = [](std::uint32_t worker, std::uint32_t step) {
    return worker == (step % 2 == 0 ? 0 : 5) ? 60.0 : 50.0;
  };
  EXPECT_DOUBLE_EQ(timeOf(of, turns).step, 55 + (3 * 3 + 100) / 8.0);
  of.inner = 1;
  EXPECT_DOUBLE_EQ(timeOf(of, turns).step, 55 + (7 * 3 + 100) / 8.0);
  EXPECT_NEAR(timeOf(of, turns).waiting, 1 - (51.25 + 15.125) / 70.125, 1e-12);

  const simulate::Distribution noise = simulate::Distribution::logNormal(0.2);
  const auto compute = drawn([&](simulate::Draws& draws) { return 50 * noise.sample(draws); });
  of.workersPerUnit = 1, of.innerExchange = 0;
  EXPECT_NEAR(timeOf(of, compute).step,
              timeOf({8, 800, WorkerSynchronization::Local, 8, 100, {}}, compute).step, 1e-9);
  of.workersPerUnit = 8, of.innerExchange = 100;
  EXPECT_NEAR(timeOf(of, compute).step,
              timeOf({8, 800, WorkerSynchronization::Barrier, 0, 100, {}}, compute).step, 1e-9);
}

// Base and an exponential tail of mean c: without the k slowest base + c(Hn − Hk).
TEST(Workers, WithBackups_WaitForAllButTheSlowest) {
  const auto compute =
      drawn([](simulate::Draws& draws) { return 10 - 5 * std::log(draws.uniform()); });
  for (const int k : {0, 1, 4, 16}) {
    const WorkersTime t = timeOf(
        {64, 5000, WorkerSynchronization::Backup, static_cast<std::uint32_t>(k), 0, {}}, compute);
    EXPECT_NEAR(t.step, 10 + 5 * (harmonic(64) - harmonic(k)), errors * *t.halfWidth());
    EXPECT_DOUBLE_EQ(t.lost, k / 64.0);
  }
}

// 16 workers, 10 ms and an exponential tail of 5: 10 + 5·H16 = 26.90 with a bound of 0; the others
// were simulated elsewhere, to 2 %. None of them beats the mean, 15.
TEST(Workers, WithABound_AbsorbJitterAlone) {
  const auto compute =
      drawn([](simulate::Draws& draws) { return 10 - 5 * std::log(draws.uniform()); });
  double before = INFINITY;
  for (const auto& [bound, expected] :
       {std::pair{0, 26.90}, {1, 17.9}, {2, 16.6}, {5, 15.7}, {10, 15.3}, {50, 15.1}}) {
    const WorkersTime t = timeOf(
        {16, 20'000, WorkerSynchronization::Bounded, static_cast<std::uint32_t>(bound), 0, {}},
        compute);
    EXPECT_NEAR(t.step, expected, 0.02 * expected) << bound;
    EXPECT_LT(t.step, before);
    EXPECT_GT(t.step, 15 - 3 * *t.halfWidth());
    before = t.step;
  }
  // One that is always slow sets the rate of all, whatever the bound.
  const auto slow = [&](std::uint32_t worker, std::uint32_t step) {
    return worker == 3 ? 200 : compute(worker, step);
  };
  for (const std::uint32_t bound : {0U, 5U, 20U, 50U})
    EXPECT_NEAR(timeOf({16, 500, WorkerSynchronization::Bounded, bound, 0, {}}, slow).step, 200,
                0.25);
}

// A step of all, by how many end in it: with a bound of 0 those of a barrier, but for the first two
// and the last.
TEST(Workers, WithABoundOfNone_TakeTheTimesOfABarrier) {
  const simulate::Distribution noise = simulate::Distribution::logNormal(0.3);
  const auto compute = drawn([&](simulate::Draws& draws) { return 100 * noise.sample(draws); });
  const std::vector<double>
      barrier = timeOf({8, 400, WorkerSynchronization::Barrier, 0, 5, {}}, compute).parts,
      bounded = timeOf({8, 400, WorkerSynchronization::Bounded, 0, 5, {}}, compute).parts;
  ASSERT_EQ(bounded.size(), 397U);
  for (std::size_t i = 0; i < bounded.size(); ++i)
    EXPECT_NEAR(bounded[i], barrier[i + 2], 1e-6);
  // Of one that is slow, seven steps of each other end in one of its own.
  const auto mixed = [](std::uint32_t worker, std::uint32_t) { return worker == 0 ? 70.0 : 10.0; };
  const simulate::Sample never(
      timeOf({8, 700, WorkerSynchronization::Never, 0, 0, {}}, mixed).parts);
  EXPECT_NEAR(never.mean(), 8 / (7 / 10.0 + 1 / 70.0), 0.02);
  EXPECT_LE(never.quantile(1), 20);
}

// To the last bit, of the same random numbers; and there is no step from there to a bound that is
// hardly reached.
TEST(Workers, WithABoundThatNobodyReaches_AreAsynchronous) {
  const simulate::Distribution noise = simulate::Distribution::logNormal(0.2);
  const auto compute = drawn([&](simulate::Draws& draws) { return 50 * noise.sample(draws); });
  const WorkersTime never = timeOf({64, 100, WorkerSynchronization::Never, 0, 0, {}}, compute),
                    far = timeOf({64, 100, WorkerSynchronization::Bounded, 1'000'000, 0, {}},
                                 compute);
  EXPECT_EQ(far.step, never.step);
  EXPECT_EQ(far.batches, never.batches);
  EXPECT_EQ(far.ages, never.ages);
  for (const std::uint32_t bound : {8U, 10U, 12U})
    EXPECT_NEAR(timeOf({64, 100, WorkerSynchronization::Bounded, bound, 0, {}}, compute).step,
                never.step, 0.02 * never.step)
        << bound;
}

// Of forty runs the intervals of some 38 hold the mean of all, though steps depend on one another;
// of runs too short to tell there is none.
TEST(Workers, WhoseTimesLast_HaveIntervalsThatHoldTheMean) {
  constexpr std::uint32_t runs = 40, lasts = 10;
  const simulate::Distribution times = simulate::Distribution::logNormal(0.2);
  for (const auto& [waiting, bound] : {std::pair{WorkerSynchronization::Barrier, 0U},
                                       {WorkerSynchronization::Local, 5U},
                                       {WorkerSynchronization::Never, 0U}}) {
    std::vector<WorkersTime> all;
    double mean = 0;
    for (std::uint32_t run = 0; run < runs; ++run) {
      all.push_back(timeOf({4, 400, waiting, bound, 0, {}, lasts},
                           [&](std::uint32_t worker, std::uint32_t step) {
                             const std::uint32_t at = (step + worker * 7 % lasts) / lasts;
                             simulate::Draws draws({run, 0, worker, at});
                             return times.sample(draws);
                           }));
      mean += all.back().step / runs;
    }
    const auto held = llvm::count_if(
        all, [&](const WorkersTime& t) { return std::abs(t.step - mean) <= *t.halfWidth(); });
    EXPECT_GE(held, 35) << static_cast<int>(waiting);
  }
  const auto still = [](std::uint32_t, std::uint32_t) { return 1.0; };
  EXPECT_FALSE(timeOf({8, 100, WorkerSynchronization::Barrier, 0, 0, {}, 20}, still).halfWidth());
  EXPECT_EQ(timeOf({8, 160, WorkerSynchronization::Barrier, 0, 0, {}, 20}, still).batches.size(),
            2U);
}

// Rates add: 7 workers of 10 ms and one of 80 take 8/(7/10 + 1/80) = 11.23 ms a step. An update is
// n − 1 others old on average, for any mix of speeds.
TEST(Workers, ThatNeverWait_AddTheirRates_AndAreOld) {
  const auto mixed = [](std::uint32_t worker, std::uint32_t) { return worker == 0 ? 80.0 : 10.0; };
  EXPECT_NEAR(timeOf({8, 1000, WorkerSynchronization::Never, 0, 0, {}}, mixed).step, 8 / 0.7125,
              1e-9);
  for (const double spread : {0.0, 0.3}) {
    const simulate::Distribution times = simulate::Distribution::logNormal(spread);
    const auto compute = drawn([&](simulate::Draws& draws) { return 50 * times.sample(draws); });
    for (const std::uint32_t workers : {1U, 2U, 8U}) {
      const WorkersTime t =
          timeOf({workers, 4000, WorkerSynchronization::Never, 0, 5, {}}, compute);
      EXPECT_NEAR(meanAge(t), workers - 1, 0.02 * workers) << spread;
      EXPECT_EQ(t.waiting, 0);
    }
  }
}
