//===- JitteredStepTest.cpp - Predicted mean steps against simulated steps --------------------===//
#include "cost/step/StepTimes.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "simulate/plan/Simulation.h"
#include "tests/property/RandomPlan.h"
#include "tests/unit/Jitters.h"
#include <array>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::simulation;

namespace {
ir::Jitter jitterFor(std::uint64_t seed) {
  using enum ir::JitterKind;
  const double spreads[] = {0.02, 0.05, 0.1, 0.2};
  const double spread = spreads[seed / 5 % 4];
  if (seed % 7 == 0) { // few values, most of them short or most of them long
    ir::Jitter measured = test::jitter(Measured, 0);
    measured.times = seed % 2 == 0 ? std::vector<double>{0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.7}
                                   : std::vector<double>{0.12, 1.08, 1.08, 1.08, 1.08, 1.08,
                                                         1.08, 1.08, 1.08, 1.08, 1.08, 1.08};
    return measured;
  }
  switch (seed % 5) {
  case 0:
    return test::jitter(Gamma, spread);
  case 1:
    return test::jitter(Exponential, spread);
  case 2: {
    ir::Jitter rare = test::jitter(Rare, 0.02);
    rare.share = 0.01, rare.slowdown = 1.5;
    return rare;
  }
  default:
    // A share of the jitter is common to the devices of a node: none, a part or all of it.
    return test::jitter(LogNormal, spread, std::array{0.3, 0.7, 1.0, 0.0}[seed / 20 % 4]);
  }
}
} // namespace

// Compares a tenth of the random plans: 300 of 3000.
TEST(JitteredStep, IsThatOfSimulatedStepsWithinTwoPercent) {
  const std::uint64_t wanted = test::plansToMake() / 10;
  std::uint64_t compared = 0;
  double worst = 0, sum = 0;
  for (std::uint64_t seed = 1; compared < wanted && seed <= test::plansToMake(); ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    plan.cluster.jitter = jitterFor(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed() || !plan.steady.empty() ||
        StepShape(plan, Detail::Operation).segments() > 3e5)
      continue;
    ++compared;
    const SimulationResult result = runSteps(plan, {Detail::Operation, 200, seed, 1});
    const double mean = result.sample().mean();
    const double predicted = cost::stepTimes(plan).step * 1e12;
    // Only the simulation knows links that messages share.
    const double shared =
        static_cast<double>(result.steady) / (cost::stepTimes(plan).schedule * 1e12);
    const double off = predicted / (mean / shared) - 1;
    const double half = result.halfWidth().value_or(0) / mean;
    worst = std::max(worst, std::abs(off) - half), sum += off;
    EXPECT_LE(std::abs(off), 0.02 + half) << seed << " " << ir::name(plan.layout.schedule);
  }
  EXPECT_EQ(compared, wanted);
  RecordProperty("plans", std::to_string(compared));
  RecordProperty("largest_difference", std::to_string(worst));
  RecordProperty("bias", std::to_string(sum / static_cast<double>(compared)));
}
