//===- WorkersTest.cpp - Workers that wait for one another, or do not -------------------------===//
#include "ir/DataRanks.h"
#include "simulate/plan/ServerLinks.h"
#include "simulate/plan/Simulation.h"
#include "simulate/plan/WorkersSimulation.h"
#include "support/math/Distribution.h"
#include "tests/unit/CompiledPlan.h"
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

TEST(Workers, OfAPlanWithABarrier_TakeItsSimulatedSteps) {
  const ir::Plan plan =
      planWith("jitter = lognormal { cv = 0.2 }", "overlap { gradients = false }");
  simulation::SimulationRequest request;
  request.steps = 300, request.seed = 5;
  const double steps = simulation::runSteps(plan, request).sample().mean();
  EXPECT_NEAR(resultOf(plan, "barrier").time.step, steps, 10);
  EXPECT_LT(resultOf(plan, "local=10").time.step, steps);
}

TEST(Workers, OfAPlan_ExchangeWhatItReduces) {
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

TEST(Workers, OnASlowerPart_TakeLonger) {
  const ir::Plan plan = planWith("node_pool[\"old\"] { nodes = 1, node.gpu.speed = 0.5 }",
                                 "overlap { gradients = false }");
  const double ring = 56.385e9;
  EXPECT_NEAR(resultOf(plan, "barrier").time.step, 100e9 + ring, 1e3);
  EXPECT_NEAR(resultOf(plan, "bounded=20").time.step, 100e9 + ring, 1e3);
  const double rate = 63 / (50e9 + ring) + 1 / (100e9 + ring);
  EXPECT_NEAR(resultOf(plan, "asynchronous").time.step, 64 / rate, 1e3);
}

TEST(Workers, ThatDoNotHoldTheModel_AreNotSimulated) {
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
TEST(Workers, InRounds_StepWholeOnes) {
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
              testing::HasSubstr("whole ones of 1000 steps, for 100 steps asked for"));
  EXPECT_EQ(simulation::renderText(plan, whole, 100).find("whole ones"), std::string::npos);
}

TEST(Workers, MeetInUnits_OfSeveralOfThemAndNotOfAll) {
  ir::Plan plan = planWith("", "");
  EXPECT_THAT(ir::whyNoUnits(plan, ir::Level::Node), testing::HasSubstr("is one device"));
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
TEST(Workers, SendServersWhatIsCompressed_AndGetParameters) {
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

TEST(Workers, ComeToServersThroughTheirOwnPorts) {
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
TEST(Workers, OfOneNode_ComeToServersThroughItsPorts) {
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
