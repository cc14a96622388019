//===- SimulationTest.cpp - Simulated steps beside exact order statistics ---------------------===//
#include "simulate/plan/Simulation.h"
#include "cost/execution/OrderStatistics.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/Jitters.h"
#include <cmath>

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// Devices that compute alone and meet behind their passes: one barrier a step.
ir::Plan oneBarrier(std::uint64_t nodes, const std::string& cv, const std::string& mesh) {
  return test::completedPlan("barrier.dpl", fmt::format(R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{ nodes = {}, jitter = lognormal {{ cv = {} }} }}
layout plain for models.gpt2_small on pod {{
  batch = {}seq
  micro_batch = 1seq
  mesh {{ {} }}
  overlap {{ gradients = false, parameters = false }}
}}
)",
                                                        nodes, cv, 16 * nodes, mesh));
}
} // namespace

TEST(Simulation, OfOneBarrier_AmplifiesAsTheLargestOfAllDevices) {
  for (const std::uint64_t nodes : {1, 4, 16})
    for (const char* cv : {"0.02", "0.1", "0.4"})
      for (const Detail detail : {Detail::Operation, Detail::Collective}) {
        const ir::Plan plan = oneBarrier(nodes, cv, "data = rest");
        SimulationRequest request;
        request.detail = detail, request.steps = 400, request.seed = nodes;
        const SimulationResult result = runSteps(plan, request);
        ASSERT_EQ(result.simulatedRanks, nodes * 8);
        // What is not computed takes as long as ever.
        SimulationRequest steady = request;
        ir::Plan quiet = plan;
        quiet.cluster.jitter = {};
        const SimulationResult one = runSteps(quiet, steady);
        const double computes = one.ranks[0].compute;
        const double exact =
            static_cast<double>(one.steady) +
            computes *
                (cost::barrierAmplification(test::jitter(ir::JitterKind::LogNormal, std::stod(cv)),
                                            8.0 * nodes, 8) -
                 1);
        const simulate::Sample sample = result.sample();
        EXPECT_LE(std::abs(sample.mean() - exact), 3 * sample.standardError() + 0.005 * exact)
            << nodes << " nodes, cv " << cv;
      }
}

TEST(Simulation, OfAGroupThatMeetsInEachLayer_IsAsSlowAsItsSlowestAtBothLevels) {
  const ir::Plan plan = oneBarrier(1, "0.1", "data = 2, tensor = 4");
  SimulationRequest operation, collective;
  operation.steps = collective.steps = 50;
  collective.detail = Detail::Collective;
  const SimulationResult folded = runSteps(plan, operation), all = runSteps(plan, collective);
  EXPECT_EQ(folded.simulatedRanks, 2U);
  EXPECT_EQ(all.simulatedRanks, 8U);
  EXPECT_NEAR(folded.sample().mean() / all.sample().mean(), 1, 0.01);
  // Only replicas, which meet once a step, wait for one another there.
  EXPECT_GT(folded.ranks[0].peerWait, 0);
  EXPECT_GT(all.ranks[0].peerWait, folded.ranks[0].peerWait);
}

TEST(Simulation, IsTheSameOnAnyNumberOfThreads) {
  const ir::Plan plan = oneBarrier(2, "0.1", "pipeline = 2, data = 4, tensor = 2");
  SimulationRequest one, many;
  one.threads = 1, many.threads = 5;
  one.steps = many.steps = 23;
  one.detail = many.detail = Detail::Collective;
  EXPECT_EQ(textOf(renderJson(plan, runSteps(plan, one))),
            textOf(renderJson(plan, runSteps(plan, many))));
  many.seed = 2;
  EXPECT_NE(runSteps(plan, one).steps, runSteps(plan, many).steps);
}
