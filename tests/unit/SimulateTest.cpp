//===- SimulateTest.cpp - Events, random numbers, distributions, replications -----------------===//
#include "simulate/engine/EventQueue.h"
#include "support/Threads.h"
#include "support/math/Distribution.h"
#include "support/math/Elementary.h"
#include "support/math/Statistics.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace dpl::simulate;

TEST(Simulate, Philox_GivesTheVectorsOfItsAuthors) {
  // Random123, kat_vectors of philox4x32 with 10 rounds.
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Simulate, LogarithmAndExponential_AreWithinTheirErrors) {
  Draws draws({3, 0, 0, 0});
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(1 + draws.uniform(), static_cast<int>(draws.next() % 200) - 100);
    ASSERT_LE(std::abs(logarithm(x) - std::log(x)), 1e-15 * std::max(1.0, std::abs(std::log(x))))
        << x;
    const double y = 200 * draws.uniform() - 100;
    ASSERT_LE(std::abs(exponential(y) / std::exp(y) - 1), 1e-15) << y;
  }
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(-1000), 0);
}

TEST(Simulate, Events_ComeByTimePhaseAndOrder) {
  EventQueue queue;
  Draws draws({4, 0, 0, 0});
  std::multimap<std::uint64_t, std::uint64_t> sorted; // equal keys stay in the order of insertion
  std::uint64_t now = 0, number = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (sorted.empty() || draws.next() % 5 < 3) {
      const std::uint64_t time = now + draws.next() % (draws.next() % 2 == 0 ? 3 : 1'000'000'000);
      const auto phase =
          time == now ? EventPhase::Settles : static_cast<EventPhase>(draws.next() % 3);
      queue.add(time, phase, number);
      sorted.emplace(4 * time + static_cast<std::uint64_t>(phase), number++);
    } else {
      const Event event = queue.pop();
      ASSERT_EQ(event.key, sorted.begin()->first);
      ASSERT_EQ(event.payload, sorted.begin()->second);
      sorted.erase(sorted.begin());
      now = event.time();
    }
    ASSERT_EQ(queue.size(), sorted.size());
  }
}

// Of a mean of 1 and a coefficient of 0.5 the variance is 0.25, and the median 1/√1.25.
TEST(Simulate, LogNormalTimes_HaveTheirMeanVarianceAndMedian) {
  const Distribution times = Distribution::logNormal(0.5);
  Draws draws({11, 0, 0, 0});
  const int n = 100'000;
  std::vector<double> values, squares;
  double below = 0;
  for (int i = 0; i < n; ++i) {
    values.push_back(times.sample(draws));
    squares.push_back((values.back() - 1) * (values.back() - 1));
    below += values.back() <= 1 / std::sqrt(1.25) ? 1 : 0;
  }
  const Sample sample(values), spread(squares);
  EXPECT_LE(std::abs(sample.mean() - 1), 4 * sample.standardError());
  EXPECT_LE(std::abs(spread.mean() - 0.25), 4 * spread.standardError());
  EXPECT_NEAR(below / n, 0.5, 4 * 0.5 / std::sqrt(n));
}

// Of 100,000 draws: mean and variance, and how many are below x by the distribution's own formula.
TEST(Simulate, OtherTimes_HaveTheirMeanVarianceAndShares) {
  struct Case {
    Distribution times;
    double variance, x, below;
  };
  const auto exponentialBelow = [](double x) { return 1 - std::exp(-x); };
  const Case cases[] = {
      {Distribution::gamma(1), 1, 0.7, exponentialBelow(0.7)},
      // Of shape 4: 1 − e^{−4x}(1 + 4x + 8x² + 32x³/3).
      {Distribution::gamma(0.5), 0.25, 1.2,
       1 - std::exp(-4.8) * (1 + 4.8 + 4.8 * 4.8 / 2 + 4.8 * 4.8 * 4.8 / 6)},
      // Of shape 1/2 half the square of a normal number, times 2.
      {Distribution::gamma(std::sqrt(2.0)), 2, 1, std::erf(std::sqrt(0.5))},
      {Distribution::exponential(0.25), 0.0625, 1.5, exponentialBelow(3)},
      // Variance a/((a − 1)²(a − 2)) of a least of 1; the least is (a − 1)/a.
      {Distribution::pareto(6), 1 / 24.0, 1, 1 - std::pow(5 / 6.0, 6)},
      {Distribution::logNormal(0.5, 0.5), std::sqrt(1.25) - 1, std::pow(1.25, -0.25), 0.5},
  };
  for (const Case& c : cases) {
    Draws draws({3, 0, 0, 0});
    const int n = 100'000;
    std::vector<double> values, squares;
    double below = 0;
    for (int i = 0; i < n; ++i) {
      values.push_back(c.times.sample(draws));
      squares.push_back((values.back() - 1) * (values.back() - 1));
      below += values.back() <= c.x ? 1 : 0;
    }
    const Sample sample(values), spread(squares);
    const auto which = &c - cases;
    EXPECT_LE(std::abs(sample.mean() - 1), 4 * sample.standardError()) << which;
    EXPECT_LE(std::abs(spread.mean() - c.variance), 4 * spread.standardError()) << which;
    EXPECT_NEAR(below / n, c.below, 4 * std::sqrt(c.below * (1 - c.below) / n)) << which;
  }
}

// The largest of n times is at most x as often as the n-th power of the probability of one.
TEST(Simulate, TheLargestOfMany_IsAsOrderStatisticsSay) {
  const double deviation = std::sqrt(std::log(1.25)), center = -std::log(1.25) / 2;
  const Distribution times = Distribution::logNormal(0.5);
  for (const std::uint32_t n : {1U, 8U, 64U, 1024U})
    for (const double x : {1.0, 2.0, 3.2}) {
      const std::uint32_t steps = 1000;
      double below = 0;
      for (std::uint32_t step = 0; step < steps; ++step) {
        double most = 0;
        for (std::uint32_t rank = 0; rank < n; ++rank) {
          Draws draws({5, 0, rank, step});
          most = std::max(most, times.sample(draws));
        }
        below += most <= x ? 1 : 0;
      }
      const double one = std::erfc((center - std::log(x)) / deviation / std::sqrt(2)) / 2;
      const double all = std::pow(one, n);
      EXPECT_NEAR(below / steps, all, 4 * std::sqrt(all * (1 - all) / steps) + 1e-3) << n;
    }
}

TEST(Simulate, Sample_GivesTheFiguresOfAShortList) {
  const Sample sample({4, 1, 3, 2});
  EXPECT_EQ(sample.mean(), 2.5);
  EXPECT_NEAR(sample.deviation(), std::sqrt(5.0 / 3), 1e-15);
  EXPECT_NEAR(*sample.halfWidth(), 3.18245 * std::sqrt(5.0 / 3) / 2, 1e-9);
  EXPECT_EQ(sample.quantile(0.5), 2);
  EXPECT_EQ(sample.quantile(0.99), 4);
  EXPECT_FALSE(Sample({7}).halfWidth());
  // That are alike by chance, but for rounding.
  EXPECT_FALSE(Sample({0.3, 0.1 + 0.2, 0.3}).halfWidth());
  EXPECT_TRUE(Sample({0.3, 0.1 + 0.2, 0.3}).alike());
  EXPECT_FALSE(Sample({7}).alike());
  // t of 4 and of 30 degrees of freedom, from the tables.
  const std::vector<double> five{0, 0, 0, 0, 5};
  EXPECT_NEAR(*Sample(five).halfWidth() / Sample(five).standardError(), 2.77645, 0.003);
  std::vector<double> many(31, 0.0);
  many[0] = 1;
  EXPECT_NEAR(*Sample(many).halfWidth() / Sample(many).standardError(), 2.04227, 0.0001);
}

TEST(Simulate, Replications_AreTheSameOnAnyNumberOfThreads) {
  const Distribution noise = Distribution::logNormal(1);
  const auto run = [&](unsigned threads) {
    std::vector<double> found(1000);
    dpl::onThreads(found.size(), threads, [&](unsigned, std::uint64_t i) {
      Draws draws({9, static_cast<std::uint32_t>(i), 0, 0});
      for (int k = 0; k < 10; ++k)
        found[i] += noise.sample(draws);
    });
    return found;
  };
  const std::vector<double> one = run(1);
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(7), one);
}
