//===- SharedJitterTest.cpp - Jitter that devices of a node share, by hand and by simulation --===//
#include "cost/execution/SharedJitter.h"
#include "cost/execution/OrderStatistics.h"
#include "cost/step/StepTimes.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/Jitters.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// 16 equal layers on `nodes` nodes of 8 devices. Messages take no time, and each of `micros`
/// micro-batches of a pipeline takes 3 ms for each layer.
ir::Plan planOf(std::uint64_t nodes, const std::string& jitter, const std::string& mesh,
                std::uint64_t pipelines, std::uint64_t micros) {
  return test::completedPlan("shared.dpl", fmt::format(R"(
import std.textbook
cluster pod from textbook.two_levels {{
  nodes = {}
  jitter = {}
}}
model w from layer_list {{
  layer[0..<16] {{ name = "all", time {{ forward = 1ms, backward = 2ms }}, message = 0B }}
}}
layout plan for w on pod {{
  mesh {{ {} }}
  batch = {}sample
  optimizer_time = 0s
}}
)",
                                                       nodes, jitter, mesh, pipelines * micros));
}
double stepOf(std::uint64_t nodes, const std::string& jitter, const std::string& mesh,
              std::uint64_t pipelines, std::uint64_t micros) {
  return cost::stepTimes(planOf(nodes, jitter, mesh, pipelines, micros)).step;
}
} // namespace

// If all devices of a node have one factor and a pipeline lies in a node, all of a step is
// stretched by the slowest of the nodes: of two, a mean of 2·Φ(σ/√2) = 1 + erf(σ/2).
TEST(SharedJitter, OfPipelinesInNodesThatShareAllOfIt_IsThatOfTheSlowestNode) {
  for (const double cv : {0.1, 0.3}) {
    const double sigma = std::sqrt(std::log1p(cv * cv));
    const std::string jitter = fmt::format("lognormal {{ cv = {}, node_correlation = 1.0 }}", cv);
    for (const std::string mesh : {"data = rest, pipeline = 4", "data = rest, pipeline = 8"}) {
      const std::uint64_t ranks = mesh.back() - '0';
      const double even = stepOf(2, "none", mesh, 16 / ranks, 8);
      EXPECT_NEAR(stepOf(2, jitter, mesh, 16 / ranks, 8) / even, 1 + std::erf(sigma / 2), 0.03 * cv)
          << mesh << " " << cv;
      for (const std::uint64_t nodes : {16U, 512U})
        EXPECT_NEAR(stepOf(nodes, jitter, mesh, 8 * nodes / ranks, 8) / even,
                    cost::barrierAmplification(test::jitter(ir::JitterKind::LogNormal, cv),
                                               static_cast<double>(nodes), 1),
                    0.1 * cv)
            << mesh << " " << cv << " " << nodes;
    }
  }
}

// A node holds some of the pipeline's ranks, all of them, or one of them with many columns.
TEST(SharedJitter, OfAnyPlaceOfPipelines_IsThatOfSimulatedSteps) {
  for (const std::string mesh :
       {"pipeline = 4, data = rest", "pipeline = 16, data = rest", "pipeline = 2, data = rest",
        "data = rest, pipeline = 4", "data = rest, pipeline = 16"})
    for (const double share : {0.3, 0.7, 1.0})
      for (const std::uint64_t micros : {2U, 16U}) {
        const std::uint64_t ranks = mesh.find("16") != std::string::npos  ? 16
                                    : mesh.find("4") != std::string::npos ? 4
                                                                          : 2;
        const ir::Plan plan =
            planOf(4, fmt::format("lognormal {{ cv = 0.1, node_correlation = {} }}", share), mesh,
                   32 / ranks, micros);
        simulation::SimulationRequest request;
        request.steps = 600;
        const simulation::SimulationResult result = simulation::runSteps(plan, request);
        const double mean = result.sample().mean(), half = *result.halfWidth() / mean;
        EXPECT_LT(half, 0.01);
        EXPECT_NEAR(cost::stepTimes(plan).step * 1e12 / mean, 1, 0.01 + half)
            << mesh << " " << share << " " << micros;
      }
}

// Each of the four nodes holds one pipeline rank of all eight columns.
TEST(SharedJitter, ColumnsThatShareNodes_AreASet) {
  const ir::Plan plan = planOf(4, "none", "pipeline = 4, data = rest", 8, 1);
  std::vector<std::vector<std::uint32_t>> joined;
  for (std::uint32_t column = 0; column < 8; ++column)
    joined.push_back({column});
  const cost::ReplicaSet set = cost::replicaSetOf(plan, joined, cost::RelativeTimes(plan));
  EXPECT_EQ(set.replicas.size(), 8U);
  EXPECT_EQ(set.nodes, 4U);
  EXPECT_EQ(set.sets, 1);
  EXPECT_TRUE(set.shares());
  // One simulated rank of all eight devices of a node shares nothing.
  const cost::ReplicaSet whole =
      cost::replicaSetOf(plan, {{0, 1, 2, 3, 4, 5, 6, 7}}, cost::RelativeTimes(plan));
  EXPECT_EQ(whole.replicas.size(), 1U);
  EXPECT_FALSE(whole.shares());
}
