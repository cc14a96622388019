//===- WorkersSimulationTest.cpp - The workers and servers of a plan --------------------------===//
#include "simulate/plan/WorkersSimulation.h"
#include "ir/DataRanks.h"
#include "simulate/plan/ServerLinks.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include <gmock/gmock.h>

using namespace dpl;

namespace {
ir::Plan planWith(const std::string& cluster, const std::string& layout) {
  return test::completedPlan("workers.dpl", fmt::format(R"(
import std.textbook
cluster flat from textbook.flat {{
  nodes = 64
  nic {{ bandwidth = 25GB/s per nic, latency = 10us }}
  collectives = closed_form {{ algorithm = ring }}
  {}
}}
model workload from layer_list {{
  layer[0] {{ name = "all", parameters = 175_000_000, time {{ forward = 20ms, backward = 30ms }} }}
}}
layout plain for workload on flat {{
  mesh {{ data = rest }}
  batch = 64sample
  optimizer_time = 0s
  precision {{ parameters = fp32, gradients = fp32, compute = fp32, master_weights = none }}
  {}
}}
)",
                                                        cluster, layout));
}
simulation::WorkersResult resultOf(const ir::Plan& plan, const char* synchrony) {
  const simulation::WorkersRequest request{*simulation::synchronizationNamed(synchrony), 300, 5};
  EXPECT_EQ(simulation::whyNotSimulated(plan, request), "");
  return simulation::runWorkers(plan, request);
}
} // namespace

TEST(WorkersSimulation, OfAPlanWithABarrier_TakeItsSimulatedSteps) {
  const ir::Plan plan =
      planWith("jitter = lognormal { cv = 0.2 }", "overlap { gradients = false }");
  simulation::SimulationRequest request;
  request.steps = 300, request.seed = 5;
  const double steps = simulation::runSteps(plan, request).sample().mean();
  EXPECT_NEAR(resultOf(plan, "barrier").time.step, steps, 10);
  EXPECT_LT(resultOf(plan, "local=10").time.step, steps);
}

TEST(WorkersSimulation, OfAPlan_ExchangeWhatItReduces) {
  // A ring over 64: 2·63·(10 us + 700 MB/64/25 GB/s) = 56.385 ms.
  const double ring = 56.385e9;
  const ir::Plan serial = planWith("", "overlap { gradients = false }");
  EXPECT_NEAR(resultOf(serial, "barrier").time.step, 50e9 + ring, 1e3);
  EXPECT_NEAR(resultOf(serial, "asynchronous").time.step, 50e9 + ring, 1e3);
  EXPECT_NEAR(resultOf(serial, "detached").time.step, 50e9 + ring / 300, 1e3);
  EXPECT_NEAR(resultOf(serial, "local=30").time.step, 50e9 + ring / 30, 1e3);
  EXPECT_NEAR(resultOf(serial, "backup=8").time.step, 50e9 + ring, 1e3);
  EXPECT_DOUBLE_EQ(resultOf(serial, "backup=8").time.lost, 0.125);
  const ir::Plan beside = planWith("", "");
  // The first step has nothing beside it.
  EXPECT_NEAR(resultOf(beside, "asynchronous").time.step, ring + 50e9 / 300, 1e3);
}

TEST(WorkersSimulation, OnASlowerPart_TakeLonger) {
  const ir::Plan plan = planWith("node_pool[\"old\"] { nodes = 1, node.gpu.speed = 0.5 }",
                                 "overlap { gradients = false }");
  const double ring = 56.385e9;
  EXPECT_NEAR(resultOf(plan, "barrier").time.step, 100e9 + ring, 1e3);
  EXPECT_NEAR(resultOf(plan, "bounded=20").time.step, 100e9 + ring, 1e3);
  const double rate = 63 / (50e9 + ring) + 1 / (100e9 + ring);
  EXPECT_NEAR(resultOf(plan, "asynchronous").time.step, 64 / rate, 1e3);
}

TEST(WorkersSimulation, ThatDoNotHoldTheModel_AreNotSimulated) {
  const simulation::WorkersRequest request{*simulation::synchronizationNamed("asynchronous"), 100,
                                           1};
  const auto why = [&](const std::string& layout) {
    return simulation::whyNotSimulated(planWith("", layout), request);
  };
  EXPECT_EQ(why(""), "");
  EXPECT_NE(why("shard { optimizer = data }"), "");
  EXPECT_NE(why("shard { parameters = data, gradients = data, optimizer = data }"), "");
  simulation::WorkersRequest all = request;
  all.synchronization = *simulation::synchronizationNamed("backup=64");
  EXPECT_NE(simulation::whyNotSimulated(planWith("", ""), all), "");
  all = request, all.steps = 1'000'000;
  EXPECT_NE(simulation::whyNotSimulated(planWith("", ""), all), "");
  for (const char* wrong : {"", "barrier=1", "local", "local=0", "local=-1", "bounded=1.5",
                            "backup=99999999999", "async", "hierarchical", "hierarchical=0"})
    EXPECT_FALSE(simulation::synchronizationNamed(wrong)) << wrong;
}

// Of 100 steps of rounds of 1000 there is a round, whose exchange is that of 1000.
TEST(WorkersSimulation, InRounds_StepWholeOnes) {
  const ir::Plan plan = planWith("", "overlap { gradients = false }");
  const auto run = [&](std::uint64_t steps, const char* synchrony) {
    return simulation::runWorkers(plan, {*simulation::synchronizationNamed(synchrony), steps, 5});
  };
  const simulation::WorkersResult whole = run(1000, "local=1000"), cut = run(100, "local=1000");
  EXPECT_EQ(cut.workers.steps, 1000U);
  EXPECT_EQ(cut.time.step, whole.time.step);
  EXPECT_EQ(run(201, "local=100").workers.steps, 300U);
  EXPECT_EQ(run(201, "barrier").workers.steps, 201U);
  EXPECT_THAT(simulation::renderText(plan, cut, 100),
              testing::HasSubstr("complete rounds of 1000 steps, for 100 steps requested"));
  EXPECT_EQ(simulation::renderText(plan, whole, 100).find("complete rounds"), std::string::npos);
}

TEST(WorkersSimulation, MeetInUnits_OfSeveralOfThemAndNotOfAll) {
  ir::Plan plan = planWith("", "");
  EXPECT_THAT(ir::whyNoUnits(plan, ir::Level::Node), testing::HasSubstr("has only one device"));
  EXPECT_THAT(ir::whyNoUnits(plan, ir::Level::Leaf), testing::HasSubstr("has no leaf"));
  // What a layout may not say the command line may not either.
  EXPECT_NE(simulation::whyNotSimulated(
                plan, {*simulation::synchronizationNamed("hierarchical=4"), 8, 1}),
            "");
  plan.cluster.gpusPerNode = 8, plan.cluster.nodes = 8;
  EXPECT_EQ(ir::whyNoUnits(plan, ir::Level::Node), "");
  EXPECT_EQ(simulation::whyNotSimulated(
                plan, {*simulation::synchronizationNamed("hierarchical=4"), 8, 1}),
            "");
  plan.cluster.gpusPerNode = 64, plan.cluster.nodes = 1;
  EXPECT_THAT(ir::whyNoUnits(plan, ir::Level::Node), testing::HasSubstr("holds all"));
}

namespace {
simulation::WorkersResult twoStepsOf(const ir::Plan& plan) {
  const simulation::WorkersRequest request{simulation::synchronizationOf(plan), 2, 5};
  EXPECT_EQ(simulation::whyNotSimulated(plan, request), "");
  return simulation::runWorkers(plan, request);
}
} // namespace

// 175 M gradients of 4 bytes to 4 servers. A hundredth of them with an index of 4 bytes is 14 MB;
// of one byte each and a scale of 4 bytes for 256 it is 175 MB and 2.7. All parameters come back.
TEST(WorkersSimulation, SendServersWhatIsCompressed_AndGetParameters) {
  const auto serversOf = [](const std::string& layout) {
    return *twoStepsOf(
                planWith("", "overlap { gradients = false }\n parameter_servers { count = 4 }\n" +
                                 layout))
                .servers;
  };
  EXPECT_DOUBLE_EQ(serversOf("").bytes.front(), 175e6);
  EXPECT_DOUBLE_EQ(serversOf("").back, 1);
  const simulate::Servers sparse = serversOf("compression = top_k { density = 0.01 }");
  EXPECT_DOUBLE_EQ(sparse.bytes.front(), 3.5e6);
  EXPECT_DOUBLE_EQ(sparse.bytes.front() * sparse.back, 175e6);
  EXPECT_NEAR(serversOf("compression = quantized { bits = 8, block = 256 }").bytes.front(),
              175e6 / 4 * (1 + 4 / 256.0), 10);
  ir::Plan narrow = planWith("", "overlap { gradients = false }\n parameter_servers { count = 4 }");
  narrow.layout.precision.parameters = ir::DataType::BF16;
  EXPECT_DOUBLE_EQ(twoStepsOf(narrow).servers->back, 0.5);
}

TEST(WorkersSimulation, ComeToServersThroughTheirOwnPorts) {
  const std::string layout = "overlap { gradients = false }\n parameter_servers { count = 8 }";
  const auto stepOf = [&](const std::string& cluster) {
    return twoStepsOf(planWith(cluster, layout)).time.step;
  };
  // 64 × 700 MB over 8 ports of 25 GB/s, each way.
  EXPECT_NEAR(stepOf(""), 50e9 + 2 * 224e9, 1e9);
  // 700 MB over a port of 1 GB/s.
  EXPECT_NEAR(stepOf("node_pool[\"old\"] { nodes = 1, nic.bandwidth = 1GB/s per nic }"),
              50e9 + 2 * 700e9, 2e9);
  // 32 × 700 MB over the 12.5 GB/s of a site.
  EXPECT_NEAR(stepOf("site { nodes = 32, bandwidth = 100Gbps per site, latency = 10us, "
                     "efficiency = 1.0 }"),
              50e9 + 2 * 1792e9, 4e9);
}

// Of one node the servers stand behind its ports of 25 GB/s, not on the links inside it.
TEST(WorkersSimulation, OfOneNode_ComeToServersThroughItsPorts) {
  ir::Plan plan = planWith("", "overlap { gradients = false }\n parameter_servers { count = 4 }");
  ir::Cluster& cluster = plan.cluster;
  cluster.nodes = cluster.nodeTypes.front().nodes = 8, cluster.gpusPerNode = 8;
  cluster.network.nodeDevices = 8, cluster.network.units.front().nodes = 8;
  cluster.network.links[1].count = 8;
  for (ir::LinkType& link : cluster.network.links)
    if (link.kind == ir::LinkKind::ScaleUp)
      link.bandwidth *= 20;
  cluster.levels = ir::linkLevels(cluster);
  ASSERT_EQ(cluster.levels.size(), 1U);
  simulate::Servers servers;
  simulation::addLinks(cluster, servers);
  ASSERT_EQ(servers.links.size(), 64U);
  EXPECT_DOUBLE_EQ(servers.links.front(), 0.025);
  EXPECT_DOUBLE_EQ(servers.rate, 0.025);
}
