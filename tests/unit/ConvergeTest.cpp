//===- ConvergeTest.cpp - SGD on a quadratic, against closed forms and plain recursions -------===//
#include "simulate/converge/ClosedForms.h"
#include "simulate/converge/Descent.h"
#include "simulate/converge/Replay.h"
#include "support/math/Distribution.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <complex>
#include <deque>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace dpl::converge;
using namespace dpl;

namespace {
Quadratic line(double curvature) {
  Quadratic out;
  out.curvatures = {curvature};
  out.goalValue = 1e-4, out.mostUpdates = 100'000;
  return out;
}

Method sgd(double rate, double momentum = 0) {
  Method out;
  out.rate = rate, out.momentum = momentum;
  return out;
}

/// Whether all roots of z^n + c[n-1]·z^(n-1) + … + c[0] lie in the unit circle, by the Schur–Cohn
/// test: reduce the degree as long as the constant is smaller than the leading coefficient.
bool inUnitCircle(std::vector<double> c) {
  while (c.size() > 1) {
    const double last = c.back(), first = c.front();
    if (std::fabs(first) >= std::fabs(last))
      return false;
    std::vector<double> next;
    for (std::size_t i = 1; i < c.size(); ++i)
      next.push_back(last * c[i] - first * c[c.size() - 1 - i]);
    const double scale = next.back();
    for (double& each : next)
      each /= scale;
    c = std::move(next);
  }
  return true;
}

bool stable(double rate, double momentum, std::size_t staleness) {
  std::vector<double> c(staleness + 2 + (staleness == 0 ? 1 : 0));
  if (staleness == 0) {
    c = {momentum, rate - 1 - momentum, 1};
  } else {
    c[0] += rate, c[staleness - 1] += momentum;
    c[staleness] -= 1 + momentum, c[staleness + 1] = 1;
  }
  return inUnitCircle(std::move(c));
}

/// Steps of x' = x − rate·λ·x(staleness steps before), until the distance is 1e-4.
std::uint64_t plainSteps(double rate, std::size_t staleness) {
  std::deque<double> before(staleness + 1, 1.0);
  for (std::uint64_t step = 1;; ++step) {
    before.push_back(before.back() - rate * before.front());
    before.pop_front();
    if (std::fabs(before.back()) <= 1e-4)
      return step;
  }
}
} // namespace

TEST(Converge, StabilityLimit_IsWhereARootLeavesTheUnitCircle) {
  for (const double momentum : {0.0, 0.5, 0.9, 0.99})
    for (const std::uint64_t staleness : {0, 1, 2, 3, 5, 10, 20, 50}) {
      const double limit = stabilityLimit(momentum, staleness);
      EXPECT_TRUE(stable(limit * (1 - 1e-6), momentum, staleness)) << momentum << " " << staleness;
      EXPECT_FALSE(stable(limit * (1 + 1e-6), momentum, staleness)) << momentum << " " << staleness;
    }
  const double pi = std::acos(-1.0);
  for (const int staleness : {0, 1, 5, 50})
    EXPECT_NEAR(stabilityLimit(0, static_cast<std::uint64_t>(staleness)),
                2 * std::sin(pi / (2 * (2 * staleness + 1))), 1e-12);
  EXPECT_NEAR(stabilityLimit(0.9, 1), 0.1, 1e-12);
}

TEST(Converge, Descent_DivergesAboveTheLimitAlone) {
  for (const std::uint64_t staleness : {0, 1, 5, 20})
    for (const double momentum : {0.0, 0.9}) {
      const double limit = stabilityLimit(momentum, staleness);
      DescentRequest request;
      request.staleness = staleness;
      const Quadratic problem = line(2); // the limit is of rate times curvature
      EXPECT_EQ(descend(problem, sgd(0.95 * limit / 2, momentum), request).ending, Ending::Reached);
      EXPECT_EQ(descend(problem, sgd(1.05 * limit / 2, momentum), request).ending,
                Ending::Diverged);
    }
}

TEST(Converge, Descent_TakesTheStepsOfThePlainRecursion) {
  for (const std::uint64_t staleness : {0, 1, 3, 8})
    for (const double rate : {0.01, 0.05, 0.1}) {
      DescentRequest request;
      request.staleness = staleness;
      EXPECT_EQ(descend(line(1), sgd(rate), request).updates, plainSteps(rate, staleness));
    }
}

TEST(Converge, AveragingForm_IsASmallerRate) {
  Method averaging = sgd(1, 0.9);
  averaging.averages = true;
  EXPECT_EQ(descend(line(1), averaging, {}).updates, descend(line(1), sgd(0.1, 0.9), {}).updates);
  EXPECT_NEAR(stableBelow(line(2), averaging, 0, true), 19, 1e-12);
}

// A weight of constant staleness is a smaller rate, whichever side of momentum it is on.
TEST(Converge, Weights_OfConstantStaleness_AreASmallerRate) {
  DescentRequest request;
  request.staleness = 4;
  const std::uint64_t plain = descend(line(1), sgd(0.06, 0.3), request).updates;
  for (const WeightKind kind : {WeightKind::Gradient, WeightKind::Step}) {
    Method weighted = sgd(0.3, 0.3);
    weighted.weight = kind;
    EXPECT_EQ(descend(line(1), weighted, request).updates, plain);
    EXPECT_NEAR(stableBelow(line(1), weighted, 4, true), 5 * stabilityLimit(0.3, 4), 1e-12);
  }
}

TEST(Converge, NoiseFloor_IsWhereTheExpectationSettles) {
  EXPECT_NEAR(*noiseFloor(line(10),
                          [] {
                            Method m = sgd(0.05);
                            m.variance = 1;
                            return m;
                          }()),
              0.05 / (2 * (2 - 0.5)), 1e-12);
  for (const double momentum : {0.0, 0.5, 0.9}) {
    Method noisy = sgd(0.1, momentum);
    noisy.variance = 3;
    Moments settled;
    for (int i = 0; i < 20'000; ++i)
      settled.step(noisy, noisy.rate, 0.7);
    EXPECT_NEAR(*noiseFloor(line(0.7), noisy) / (0.7 * settled.x2 / 2), 1, 1e-9) << momentum;
  }
  EXPECT_FALSE(noiseFloor(line(1), sgd(2)).has_value());
}

// Of 4000 descents of a plain loop with the generator of the standard library.
TEST(Converge, ExpectedLoss_IsTheMeanOfDrawnDescents) {
  constexpr int draws = 4000, steps = 60;
  Method noisy = sgd(0.05, 0.8);
  noisy.variance = 2;
  Moments expected;
  for (int i = 0; i < steps; ++i)
    expected.step(noisy, noisy.rate, 0.6);
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal(0, std::sqrt(2.0));
  double sum = 0, squares = 0;
  for (int draw = 0; draw < draws; ++draw) {
    double x = 1, m = 0;
    for (int i = 0; i < steps; ++i) {
      m = 0.8 * m + 0.6 * x + normal(generator);
      x -= 0.05 * m;
    }
    sum += x * x, squares += x * x * x * x;
  }
  const double mean = sum / draws;
  const double error = std::sqrt((squares / draws - mean * mean) / draws);
  EXPECT_NEAR(expected.x2, mean, 3 * error);
}

TEST(Converge, Drift_IsTheSpreadOfWorkersThatAverage) {
  constexpr int workers = 8, period = 20, draws = 4000;
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  double sum = 0, squares = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> x(workers, 1.0);
    for (double& each : x)
      for (int i = 0; i < period; ++i)
        each -= 0.1 * (0.5 * each + normal(generator));
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / workers;
    double spread = 0;
    for (const double each : x)
      spread += (each - mean) * (each - mean) / workers;
    sum += spread, squares += spread * spread;
  }
  const double mean = sum / draws, error = std::sqrt((squares / draws - mean * mean) / draws);
  EXPECT_NEAR(drift(line(0.5), sgd(0.1), 1, workers, period), mean, 3 * error);
  EXPECT_NEAR(drift(line(1e-9), sgd(0.1), 1, 8, 20), 0.175, 1e-6);
  EXPECT_NEAR(drift(line(1e-9), sgd(0.1), 1, 64, 20), 0.196875, 1e-6);
}

namespace {
/// Workers that read, compute and update in continuous time, by a loop over the earliest event.
struct PlainAsync {
  std::uint64_t accepted = 0, rejected = 0;
  double time = 0;
};
PlainAsync plainAsync(const std::vector<std::vector<double>>& times, double rate,
                      std::uint64_t bound) {
  const std::size_t workers = times.size();
  PlainAsync out;
  double x = 1;
  std::vector<double> read(workers, 1.0), due(workers);
  std::vector<std::uint64_t> version(workers);
  std::vector<std::size_t> step(workers);
  for (std::size_t worker = 0; worker < workers; ++worker)
    due[worker] = times[worker][0];
  while (std::fabs(x) > 1e-4) {
    const auto first =
        static_cast<std::size_t>(std::min_element(due.begin(), due.end()) - due.begin());
    out.time = due[first];
    if (out.accepted - version[first] <= bound)
      x -= rate * read[first], ++out.accepted;
    else
      ++out.rejected;
    read[first] = x, version[first] = out.accepted;
    due[first] += times[first][++step[first]];
  }
  return out;
}
} // namespace

TEST(Converge, Replay_IsTheLoopOverTheEarliestWorker) {
  constexpr std::uint32_t workers = 5, steps = 3000;
  std::vector<std::vector<double>> times(workers, std::vector<double>(steps));
  const simulate::Distribution jitter = simulate::Distribution::logNormal(0.3);
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    for (std::uint32_t step = 0; step < steps; ++step) {
      simulate::Draws draws({11, 0, worker, step});
      times[worker][step] = jitter.sample(draws);
    }
  simulate::Workers of;
  of.workers = workers, of.steps = steps, of.keepsUpdates = true;
  of.synchronization = simulate::WorkerSynchronization::Never;
  const simulate::WorkersTime recorded = simulate::run(
      of, [&](std::uint32_t worker, std::uint32_t step) { return times[worker][step]; });
  for (const std::uint64_t bound : {0, 2, 4, 100}) {
    const PlainAsync plain = plainAsync(times, 0.05, bound);
    ReplayRequest request;
    request.updates = recorded.updates, request.rejectAbove = bound;
    const Outcome outcome = replay(line(1), sgd(0.05), request);
    EXPECT_EQ(outcome.ending, Ending::Reached);
    EXPECT_EQ(outcome.updates, plain.accepted) << bound;
    EXPECT_EQ(outcome.rejected, plain.rejected) << bound;
    EXPECT_NEAR(outcome.time, plain.time, 1e-9 * plain.time) << bound;
    EXPECT_LE(outcome.stalenessAt(1), static_cast<double>(bound));
  }
  EXPECT_EQ(replay(line(1), sgd(1e-5), {recorded.updates, {}}).ending, Ending::OutOfData);
}

TEST(Converge, TopK_KeepsWhatItDoesNotSend) {
  Method method = sgd(1);
  Compression how;
  how.kind = CompressorKind::TopK, how.density = 0.25;
  Compressor compressor(how, method, 4);
  Vector gradient{1, -3, 2, 3};
  compressor.compress(gradient, 0);
  EXPECT_EQ(gradient, (Vector{0, -3, 0, 0})); // of equal ones the first
  EXPECT_NEAR(compressor.keptNorm(), std::sqrt(1 + 4 + 9), 1e-12);
  gradient = {0, 0, 0, 0};
  compressor.compress(gradient, 1);
  EXPECT_EQ(gradient, (Vector{0, 0, 0, 3}));
}

TEST(Converge, OneBitWithFeedback_IsTheSignTimesTheMeanMagnitude) {
  Method method = sgd(1);
  Compression how;
  how.kind = CompressorKind::Quantized, how.bits = 1, how.block = 2;
  Compressor compressor(how, method, 4);
  Vector gradient{1, -3, 5, 5};
  compressor.compress(gradient, 0);
  EXPECT_EQ(gradient, (Vector{2, -2, 5, 5}));
  EXPECT_NEAR(compressor.keptNorm(), std::sqrt(2), 1e-12);
}

TEST(Converge, UnbiasedCompressors_AreRightOnAverage) {
  Method method = sgd(1);
  for (const auto& [kind, bits] :
       {std::pair(CompressorKind::Quantized, 3), std::pair(CompressorKind::Quantized, 1)}) {
    Compression how;
    how.kind = kind, how.density = 0.5, how.feedback = false;
    how.bits = static_cast<std::uint64_t>(bits);
    Compressor compressor(how, method, 3);
    Vector sum(3);
    constexpr int updates = 20'000;
    for (std::uint64_t update = 0; update < updates; ++update) {
      Vector gradient{1, -0.4, 0.25};
      compressor.compress(gradient, update);
      for (std::size_t i = 0; i < 3; ++i)
        sum[i] += gradient[i] / updates;
    }
    EXPECT_NEAR(sum[0], 1, 0.02);
    EXPECT_NEAR(sum[1], -0.4, 0.025);
    EXPECT_NEAR(sum[2], 0.25, 0.025);
  }
}
