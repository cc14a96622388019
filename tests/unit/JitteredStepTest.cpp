//===- JitteredStepTest.cpp - Cost of jitter by hand and by simulation ------------------------===//
#include "cost/execution/OrderStatistics.h"
#include "cost/execution/SlowestDeviceDistribution.h"
#include "cost/step/StepTimes.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/Jitters.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// A plan of 16 layers whose forward pass takes `work` and whose backward pass twice as long.
ir::Plan planOn(std::uint64_t devices, const std::string& jitter, const std::string& mesh,
                std::uint64_t batch, std::uint64_t parameters = 0, const std::string& pool = "") {
  return test::completedPlan("jittered.dpl",
                             fmt::format(R"(
import std.textbook
cluster flat from textbook.flat {{
  nodes = {}
  jitter = {}
  {}
  collectives = closed_form {{ algorithm = ring }}
}}
model w from layer_list {{
  layer[0..<16] {{ name = "all", parameters = {}, time {{ forward = 1ms, backward = 2ms }}, message = 0B }}
}}
layout plan for w on flat {{
  mesh {{ {} }}
  batch = {}sample
  optimizer_time = 0s
  overlap.gradients = false
}}
)",
                                         devices, jitter, pool, parameters, mesh, batch));
}
} // namespace

TEST(JitteredStep, OfDataRanks_IsOneBarrierOverWhatTheyCompute_AndNotOverWhatTheySend) {
  for (const std::string jitter :
       {"lognormal { cv = 0.1 }", "gamma { cv = 0.3 }", "exponential { cv = 0.2 }",
        "pareto { shape = 3.0 }", "bimodal { fraction = 0.01, slowdown = 2 }",
        "measured { times = [1, 2, 3, 4] }"})
    for (const std::uint64_t devices : {1U, 2U, 8U, 64U, 1024U, 16384U}) {
      const ir::Plan plan = planOn(devices, jitter, "data = rest", devices, 10'000'000);
      const double barrier =
          cost::barrierAmplification(plan.cluster.jitter, static_cast<double>(devices), 1);
      const ir::StepResult times = cost::stepTimes(plan);
      EXPECT_NEAR(times.step, times.schedule + 0.048 * (barrier - 1), 1e-6 * times.step)
          << jitter << " on " << devices;
    }
}

TEST(JitteredStep, OfPipelines_IsThatOfSimulatedSteps_OnAnyNumberOfDevices) {
  for (const std::uint64_t devices : {4U, 16U, 256U, 4096U, 16384U})
    for (const std::uint64_t micros : {1U, 8U}) {
      const ir::Plan plan = planOn(devices, "lognormal { cv = 0.1 }", "pipeline = 4, data = rest",
                                   devices / 4 * micros);
      simulation::SimulationRequest request;
      request.steps = devices > 1000 ? 12 : 200;
      const simulation::SimulationResult result = simulation::runSteps(plan, request);
      const double mean = result.sample().mean(), half = *result.halfWidth() / mean;
      EXPECT_NEAR(cost::stepTimes(plan).step * 1e12 / mean, 1, 0.01 + half)
          << devices << " " << micros;
    }
}

// Of 256 columns of four ranks some have the longest time on every rank, nearly for sure, so the
// step is the one without jitter with all computation as long as that: 3 over a mean of 2.8, 1 over
// a mean of 11.2/12, 2 over a mean of 1.5. No step can be longer.
TEST(JitteredStep, OfTimesThatAreMostlyTheLongest_IsTheLongestOfManyColumns) {
  const auto stepOf = [](const std::string& jitter) {
    return cost::stepTimes(planOn(1024, jitter, "pipeline = 4, data = rest", 2048)).step;
  };
  const double even = stepOf("none");
  EXPECT_NEAR(stepOf("bimodal { fraction = 0.9, slowdown = 3 }") / even, 3 / 2.8, 0.003);
  EXPECT_NEAR(stepOf("measured { times = [0.2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] }") / even,
              1 / (11.2 / 12), 0.003);
  EXPECT_NEAR(stepOf("bimodal { fraction = 0.5, slowdown = 2 }") / even, 2 / 1.5, 0.003);
}

// Few devices, of which most steps have none that is slow, or one that is fast.
TEST(JitteredStep, OfFewTimes_IsThatOfSimulatedSteps) {
  for (const std::string jitter :
       {"bimodal { fraction = 0.01, slowdown = 2 }", "bimodal { fraction = 0.9, slowdown = 3 }",
        "measured { times = [1, 1, 1, 1, 1, 1, 1, 3] }",
        "measured { times = [0.2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] }"})
    for (const std::uint64_t devices : {4U, 16U}) {
      const ir::Plan plan = planOn(devices, jitter, "pipeline = 4, data = rest",
                                   devices / 4 * (devices == 4 ? 4 : 8));
      simulation::SimulationRequest request;
      request.steps = 4000;
      const simulation::SimulationResult result = simulation::runSteps(plan, request);
      const double mean = result.sample().mean(), half = *result.halfWidth() / mean;
      EXPECT_NEAR(cost::stepTimes(plan).step * 1e12 / mean, 1, 0.01 + half)
          << jitter << " on " << devices;
    }
}

// Of two log-normal factors of mean 1 whose logarithms have variance v and correlation r, the
// larger has the mean 2·Φ(√(v(1 − r)/2)), and its square 2·e^v·Φ(2·√(v(1 − r)/2)).
TEST(JitteredStep, LawOfTwoDevicesOfANode_HasTheMomentsOfTheLargerOfThem) {
  const auto normalBelow = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (const double common : {0.2, 0.5, 0.9})
    for (const double cv : {0.1, 0.3}) {
      const double v = std::log1p(cv * cv), apart = std::sqrt(v * (1 - common) / 2);
      const cost::SlowestDeviceDistribution law(test::jitter(ir::JitterKind::LogNormal, cv, common),
                                                2, 2);
      const double mean = 2 * normalBelow(apart), square = 2 * std::exp(v) * normalBelow(2 * apart);
      EXPECT_NEAR(law.mean(), mean, 1e-6);
      EXPECT_NEAR(std::sqrt(law.second.back() - mean * mean), std::sqrt(square - mean * mean),
                  0.01 * cv)
          << common << " " << cv;
    }
}

// The response of the step is measured for 32 of the 48 stages.
TEST(JitteredStep, OfStagesThatAllDiffer_IsThatOfSimulatedSteps) {
  std::string layers;
  for (int i = 0; i < 48; ++i)
    layers +=
        fmt::format("  layer[{}] {{ name = \"l\", time {{ forward = {}us, backward = 2ms }} }}\n",
                    i, 1000 + 20 * (i * 37 % 48));
  for (const std::string jitter :
       {"lognormal { cv = 0.1 }", "measured { times = [1, 1.1, 1.02, 1.4] }"}) {
    const std::string text = fmt::format(
        "import std.textbook\nmodel net from layer_list {{\n{}}}\n"
        "cluster flat from textbook.flat {{ nodes = 96, jitter = {} }}\n"
        "layout plan for net on flat {{\n"
        "  mesh {{ pipeline = 48, data = 2 }}\n  batch = 192sample\n  optimizer_time = 0s\n}}\n",
        layers, jitter);
    const ir::Plan plan = test::completedPlan("stages.dpl", text);
    simulation::SimulationRequest request;
    request.steps = 40;
    const double mean = simulation::runSteps(plan, request).sample().mean();
    EXPECT_NEAR(cost::stepTimes(plan).step * 1e12 / mean, 1, 0.01) << jitter;
  }
}

TEST(JitteredStep, LawOfTheSlowestOfSeveral_HasItsMean) {
  for (const auto& [kind, spread] :
       {std::pair(ir::JitterKind::LogNormal, 0.2), std::pair(ir::JitterKind::Gamma, 0.3),
        std::pair(ir::JitterKind::Pareto, 2.5)})
    for (const double devices : {1.0, 8.0, 1024.0}) {
      const ir::Jitter jitter = test::jitter(kind, spread);
      const cost::SlowestDeviceDistribution law(jitter, devices, 1);
      EXPECT_NEAR(law.mean(), cost::barrierAmplification(jitter, devices, 1), 1e-9);
      EXPECT_NEAR(law.zeroth.back(), 1, 1e-9);
      // A tenth of the sets has a device above the value.
      const double x = law.exceededBy(0.1);
      EXPECT_NEAR(1 - std::pow(1 - cost::shareAbove(jitter, x), devices), 0.1, 0.03);
    }
}

// One device of 64 has the speed 0.7. The largest of all factors, 0.7 times those of the others, is
// integrated here from the distribution function of the log-normal factor.
TEST(JitteredStep, OneSlowDevice_IsSlowAlone) {
  constexpr double cv = 0.2, speed = 0.7;
  const double variance = std::log1p(cv * cv);
  const auto below = [&](double x) {
    return x <= 0 ? 0 : 0.5 * std::erfc(-(std::log(x) + variance / 2) / std::sqrt(2 * variance));
  };
  double largest = 0;
  for (double x = 0; x < 5; x += 1e-4)
    largest += 1e-4 * (1 - below(x + 5e-5) * std::pow(below((x + 5e-5) / speed), 63));
  const std::string slow = R"(node_pool["slow"] { nodes = 1, node.gpu.speed = 0.7 })";
  const ir::Plan plan = planOn(64, "lognormal { cv = 0.2 }", "data = rest", 64, 0, slow);
  const double expected = 0.048 / speed * largest;
  EXPECT_NEAR(cost::stepTimes(plan).step, expected, 0.002 * expected);
  simulation::SimulationRequest request;
  request.steps = 2000;
  const simulation::SimulationResult result = simulation::runSteps(plan, request);
  EXPECT_NEAR(result.sample().mean() * 1e-12, expected, 3e-12 * result.sample().standardError());
  ASSERT_TRUE(result.slowest);
  EXPECT_EQ(result.slowest->device, 63U);
  // Of four stages on 16 devices each, the column of the slow device is slower.
  for (const char* const mesh : {"pipeline = 4, data = rest", "data = rest, pipeline = 4"}) {
    const ir::Plan stages = planOn(64, "lognormal { cv = 0.2 }", mesh, 128, 0, slow);
    const simulation::SimulationResult steps = simulation::runSteps(stages, request);
    const double mean = steps.sample().mean() * 1e-12;
    EXPECT_NEAR(cost::stepTimes(stages).step, mean, 0.01 * mean) << mesh;
    EXPECT_LT(mean,
              0.85 * cost::stepTimes(planOn(64, "lognormal { cv = 0.2 }", mesh, 128)).step / speed)
        << mesh;
  }
}
