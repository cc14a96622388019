//===- OrderStatisticsGridTest.cpp - Drawn barriers are as long as the exact ones -------------===//
//
// A step of j pieces, each behind a barrier, of mean T/j and variance σ²/j of the same family: a
// piece varies by cv·√j. A few cells by default; DPL_LONG=1 tries 8 to 16,384 ranks and
// 1 to 10,000 barriers (minutes).
#include "cost/execution/OrderStatistics.h"
#include "support/Threads.h"
#include "support/math/Distribution.h"
#include "support/math/Statistics.h"
#include "tests/unit/Jitters.h"
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace dpl;
using ir::JitterKind;
using simulate::Distribution;

namespace {
constexpr double cv = 0.05;

bool whole() { return std::getenv("DPL_LONG") != nullptr; } // NOLINT
std::vector<std::uint32_t> ranks() {
  return whole() ? std::vector<std::uint32_t>{8, 64, 512, 4096, 16384}
                 : std::vector<std::uint32_t>{8, 64};
}
std::vector<std::uint32_t> barriers() {
  return whole() ? std::vector<std::uint32_t>{1, 10, 100, 1000, 10000}
                 : std::vector<std::uint32_t>{1, 100};
}
std::uint32_t samplesOf(std::uint32_t n) {
  return whole() ? std::min(4000U, 30'000'000 / n) : 2000;
}

std::vector<double> maxima(const Distribution& of, std::uint32_t n, std::uint32_t samples,
                           std::uint64_t seed) {
  std::vector<double> out(samples);
  onThreads(samples, 0, [&](unsigned, std::uint64_t i) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      simulate::Draws draws({seed, 0, rank, static_cast<std::uint32_t>(i)});
      out[i] = std::max(out[i], of.sample(draws));
    }
  });
  return out;
}

struct Family {
  JitterKind kind;
  Distribution (*of)(double cv);
  double most; ///< of its variation
};
const Family families[] = {
    {JitterKind::LogNormal, [](double v) { return Distribution::logNormal(v); }, 10},
    {JitterKind::Gamma, Distribution::gamma, 10},
    {JitterKind::Exponential, Distribution::exponential, 1},
};

/// Cells within three standard errors and half a percent, and those beyond five.
struct Judge {
  unsigned cells = 0, wrong = 0, far = 0;
  void take(std::vector<double> drawn, double exact) {
    const simulate::Sample sample(std::move(drawn));
    const double off = std::abs(sample.mean() - exact), slack = 0.005 * exact;
    ++cells;
    wrong += off > 3 * sample.standardError() + slack;
    far += off > 5 * sample.standardError() + slack;
  }
};
} // namespace

TEST(OrderStatistics, OfDrawnBarriersAreTheExactOnes) {
  Judge judge;
  std::uint64_t seed = 1;
  for (const Family& family : families)
    for (const std::uint32_t n : ranks())
      for (const std::uint32_t j : barriers()) {
        const double piece = cv * std::sqrt(j);
        if (piece > family.most)
          continue; // a positive time cannot vary by more in this family
        judge.take(maxima(family.of(piece), n, samplesOf(n), seed++),
                   cost::barrierAmplification(test::jitter(family.kind, piece), n, 1));
      }
  EXPECT_EQ(judge.far, 0U) << "of " << judge.cells;
  EXPECT_LE(judge.wrong, judge.cells / 100) << "of " << judge.cells;
  RecordProperty("cells", static_cast<int>(judge.cells));
  RecordProperty("wrong", static_cast<int>(judge.wrong));
}

// Two shapes without a variance: shares of the maxima below exact quantiles.
TEST(OrderStatistics, OfParetoTimesWithoutVariance_HaveTheirQuantiles) {
  for (const double shape : {1.5, 2.0})
    for (const std::uint32_t n : ranks()) {
      const std::vector<double> drawn = maxima(Distribution::pareto(shape), n, samplesOf(n), 7);
      for (const double q : {0.1, 0.5, 0.9}) {
        const double least = (shape - 1) / shape,
                     quantile = least * std::pow(-std::expm1(std::log(q) / n), -1 / shape);
        double below = 0;
        for (const double x : drawn)
          below += x <= quantile;
        const auto samples = static_cast<double>(drawn.size());
        EXPECT_NEAR(below / samples, q, 3 * std::sqrt(q * (1 - q) / samples) + 0.005)
            << shape << " of " << n;
      }
    }
}

// Half of the variance is common to the eight devices of a node.
TEST(OrderStatistics, OfNodesThatVaryTogether) {
  Judge judge;
  for (const double spread : {0.1, 0.3})
    for (const std::uint32_t n : ranks()) {
      const Distribution own = Distribution::logNormal(spread, 0.5),
                         common = Distribution::logNormal(spread, 0.5);
      std::vector<double> drawn(samplesOf(n));
      onThreads(drawn.size(), 0, [&](unsigned, std::uint64_t i) {
        const auto step = static_cast<std::uint32_t>(i);
        for (std::uint32_t node = 0; node < n / 8; ++node) {
          simulate::Draws ofNode({3, 0, node, step});
          const double factor = common.sample(ofNode);
          for (std::uint32_t rank = 0; rank < 8; ++rank) {
            simulate::Draws draws({4, 0, node * 8 + rank, step});
            drawn[i] = std::max(drawn[i], factor * own.sample(draws));
          }
        }
      });
      judge.take(std::move(drawn), cost::barrierAmplification(
                                       test::jitter(JitterKind::LogNormal, spread, 0.5), n, 8));
    }
  EXPECT_EQ(judge.wrong, 0U) << "of " << judge.cells;
}
