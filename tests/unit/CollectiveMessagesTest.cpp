//===- CollectiveMessagesTest.cpp - Collectives run message by message ------------------------===//
#include "driver/collective/CollectiveMessages.h"
#include "support/math/Statistics.h"
#include "tests/unit/SampleNetwork.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::score;
using ir::Algorithm;
using ir::CollectiveKind;

namespace {
constexpr std::uint64_t GBs = 8'000'000'000, us = 1'000'000;

/// All devices of nodes of `each`, in one group.
ir::Plan planOf(std::uint64_t nodes, std::uint64_t each, const test::SampleLink& inside,
                const test::SampleLink& outside, double taper = 1) {
  ir::Plan plan;
  ir::Cluster& cluster = plan.cluster;
  cluster.nodes = nodes, cluster.gpusPerNode = each;
  cluster.nodeTypes.resize(1);
  cluster.nodeTypes.front().nodes = nodes;
  test::setNetwork(cluster, 1, inside, outside, taper);
  ir::Group all;
  all.name = "data", all.size = nodes * each;
  plan.groups.push_back(std::move(all));
  return plan;
}

/// Sets the levels anew, and what of the group is inside them.
void setLevels(ir::Plan& plan) {
  plan.cluster.levels = ir::linkLevels(plan.cluster);
  ir::Group& all = plan.groups.front();
  all.inside.clear();
  for (const ir::LinkLevel& level : plan.cluster.levels)
    all.inside.push_back(std::min(all.size, level.devices));
}

void addLeaves(ir::Plan& plan, std::uint64_t nodes, double taper) {
  plan.cluster.network.units.push_back({ir::Level::Leaf, nodes});
  plan.cluster.network.links.push_back(test::taperOf(ir::LinkKind::Leaf, taper));
}

struct Both {
  double closed = 0; ///< s
  MessagesRun run;
  double difference() const { return 1e12 * (run.seconds.front() - closed); } ///< ps
};

/// What the row makes of the group; none where it needs another shape.
cost::Phases phasesOf(ir::Plan& plan, CollectiveKind kind, Algorithm algorithm) {
  setLevels(plan);
  return cost::phasesOf(kind, algorithm, cost::shapeOf(plan.groups.front()));
}

Both bothOf(ir::Plan& plan, CollectiveKind kind, Algorithm algorithm, std::uint64_t bytes,
            const MessagesRequest& how = {}) {
  setLevels(plan);
  const CollectiveRequest request{kind, bytes, algorithm};
  CollectivePrediction predicted;
  predicted.cost = cost::costOf(kind, algorithm, static_cast<double>(bytes),
                                cost::shapeOf(plan.groups.front()), plan.cluster.levels);
  DiagnosticEngine diags;
  const FailureOr<MessagesRun> run = runMessages(plan, request, predicted, how, diags);
  EXPECT_FALSE(run.failed());
  return {predicted.cost.seconds, run.failed() ? MessagesRun{} : *run};
}

/// Every row of closed forms and what it does.
std::vector<std::pair<Algorithm, CollectiveKind>> rows() {
  std::vector<std::pair<Algorithm, CollectiveKind>> all;
  for (std::size_t i = 0; i < cost::algorithms().size(); ++i)
    if (cost::algorithms()[i]->closedForm)
      for (const CollectiveKind kind : cost::algorithms()[i]->kinds)
        if (kind != CollectiveKind::SendReceive)
          all.emplace_back(static_cast<Algorithm>(i), kind);
  return all;
}
} // namespace

TEST(CollectiveMessages, OfEveryRow_TakeItsClosedFormToThePicosecond) {
  for (const auto& [algorithm, kind] : rows())
    for (const auto& [nodes, each] :
         {std::pair{1, 2}, {1, 5}, {1, 8}, {7, 1}, {2, 2}, {3, 4}, {5, 3}, {4, 8}, {6, 6}})
      for (const std::uint64_t bytes : {1'000ULL, 7'654'321ULL, 1'000'000'000ULL}) {
        // What leaves a node is later and slower than what stays, as a closed form of a ring over
        // both takes it to be.
        ir::Plan plan = planOf(nodes, each, {600 * GBs, 1 * us}, {25 * GBs, 10 * us, 0.9});
        if (phasesOf(plan, kind, algorithm).empty())
          continue;
        const Both both = bothOf(plan, kind, algorithm, bytes);
        EXPECT_NEAR(both.difference(), 0, 1)
            << static_cast<int>(algorithm) << " " << nodes << "×" << each << " " << bytes;
      }
}

TEST(CollectiveMessages, BetweenTwo_AreAMessage) {
  ir::Plan plan = planOf(2, 1, {600 * GBs, 1 * us}, {25 * GBs, 10 * us});
  const Both both = bothOf(plan, CollectiveKind::SendReceive, Algorithm::Direct, 25'000'000);
  EXPECT_EQ(both.run.seconds.front(), 1.010e-3);
  EXPECT_EQ(both.run.messages, 1U);
}

TEST(CollectiveMessages, WhereAllCrossATaperOrShareAPort_TakeTheirPart) {
  for (const double taper : {1.0, 2.0, 3.5})
    for (const std::uint64_t ports : {8, 4, 1})
      for (const auto& [algorithm, kind] : rows()) {
        ir::Plan plan = planOf(8, 8, {600 * GBs, 1 * us}, {25 * GBs, 10 * us});
        test::linkIn(plan.cluster, ir::LinkKind::Port).count = ports;
        test::linkIn(plan.cluster, ir::LinkKind::Network).bandwidth = 25 * GBs * ports / 8;
        addLeaves(plan, 4, taper);
        const cost::Phases phases = phasesOf(plan, kind, algorithm);
        // One rank of a node sends, where the closed form has all of them send.
        const bool rooted = llvm::any_of(
            phases, [](const cost::AlgorithmPhase& phase) { return phase.pattern->rooted; });
        if (phases.empty() || rooted || kind == CollectiveKind::AllToAll)
          continue;
        const Both both = bothOf(plan, kind, algorithm, 80'000'000);
        EXPECT_NEAR(both.difference(), 0, 1)
            << static_cast<int>(algorithm) << " " << taper << " " << ports;
        if (algorithm == Algorithm::Hierarchical && ports < 8) {
          EXPECT_GT(both.run.shared, 0U);
        }
      }
}

// Four pods of 16 devices, each two with links of their own: a ring has those of one pair, an
// exchange of all.
TEST(CollectiveMessages, WithLinksFromEachPodToEach_TakeTheirClosedForm) {
  for (const std::uint64_t between : {25, 100, 1000})
    for (const auto& [algorithm, kind] : rows()) {
      ir::Plan plan = planOf(8, 8, {600 * GBs, 1 * us}, {25 * GBs, 10 * us});
      plan.cluster.network.units.push_back({ir::Level::Pod, 2});
      ir::LinkType out;
      out.kind = ir::LinkKind::Pod, out.bandwidth = between * GBs, out.count = 3;
      plan.cluster.network.links.push_back(out);
      const cost::Phases phases = phasesOf(plan, kind, algorithm);
      const bool rooted = llvm::any_of(
          phases, [](const cost::AlgorithmPhase& phase) { return phase.pattern->rooted; });
      if (phases.empty() || rooted ||
          (kind == CollectiveKind::AllToAll && algorithm != Algorithm::Direct))
        continue;
      const Both both = bothOf(plan, kind, algorithm, 80'000'000);
      // Where pods do not bound it an exchange is bounded by ports, through which all levels go.
      if (kind != CollectiveKind::AllToAll || between < 1000) {
        EXPECT_NEAR(both.difference(), 0, 1) << static_cast<int>(algorithm) << " " << between;
      }
    }
}

// A ring that leaves a node as often as it is stated: of eight hops two, four and all, over leaves
// too.
TEST(CollectiveMessages, OfAStatedOrder_TakeTheirClosedForm) {
  for (const std::uint64_t nodes : {2, 4, 6})
    for (const std::vector<std::uint64_t>& order :
         {std::vector<std::uint64_t>{3, 2, 1, 0, 7, 6, 5, 4},
          {0, 1, 4, 5, 2, 3, 6, 7},
          {0, 4, 1, 5, 2, 6, 3, 7}}) {
      ir::Plan plan = planOf(nodes, 4, {600 * GBs, 1 * us}, {25 * GBs, 10 * us});
      addLeaves(plan, 2, 2);
      plan.groups.front().order = order;
      const Both both = bothOf(plan, CollectiveKind::AllGather, Algorithm::ListedRing, 80'000'000);
      EXPECT_NEAR(both.difference(), 0, 1) << nodes << " " << order[1];
    }
}

// An unsegmented tree has one rank of each unit send, which then has port and uplink for itself.
TEST(CollectiveMessages, OfATree_FindATaperedLinkFree) {
  ir::Plan plan = planOf(2, 4, {600 * GBs, 1 * us}, {25 * GBs, 10 * us}, 4);
  // 2·2·(1 us + 60 MB at 600 GB/s), and 2·(10 us + 60 MB): at 25 GB/s, for which the closed form
  // has 6.25.
  const Both both = bothOf(plan, CollectiveKind::AllReduce, Algorithm::Tree, 60'000'000);
  EXPECT_NEAR(both.closed, 4 * 101e-6 + 2 * 9.61e-3, 1e-12);
  EXPECT_NEAR(both.run.seconds.front(), 4 * 101e-6 + 2 * 2.41e-3, 1e-12);
}

// Messages for other nodes and other leaves leave through one port, whose two shares the closed
// form takes side by side.
TEST(CollectiveMessages, OfAnExchange_ShareThePortOfTheirSender) {
  ir::Plan plan = planOf(4, 1, {600 * GBs, 1 * us}, {25 * GBs, 10 * us});
  addLeaves(plan, 2, 1);
  const Both both = bothOf(plan, CollectiveKind::AllToAll, Algorithm::Direct, 100'000'000);
  EXPECT_NEAR(both.closed, 10e-6 + 50e6 / 25e9, 1e-12);
  EXPECT_NEAR(both.run.seconds.front(), 10e-6 + 75e6 / 25e9, 1e-12);
}

TEST(CollectiveMessages, WithSlowerPortsInOneNode_WaitForThem) {
  ir::Plan plan = planOf(4, 2, {600 * GBs, 1 * us}, {25 * GBs, 10 * us});
  ir::Cluster& cluster = plan.cluster;
  cluster.nodeTypes.push_back(cluster.nodeTypes.front());
  cluster.nodeTypes[0].nodes = 3, cluster.nodeTypes[1].nodes = 1;
  ir::LinkType slow = *cluster.network.find(ir::LinkKind::Port);
  slow.pool = "old", slow.bandwidth = 5 * GBs;
  cluster.nodeTypes[1].ports = cluster.network.links.size();
  cluster.network.links.push_back(slow);
  const Both both = bothOf(plan, CollectiveKind::AllReduce, Algorithm::Hierarchical, 48'000'000);
  // In: 2 · (1 us + 24 MB at 600 GB/s); between: 2·3·(10 us + 6 MB at 5 GB/s).
  EXPECT_NEAR(both.run.seconds.front(), 2 * 41e-6 + 6 * 1.21e-3, 1e-12);
  const CarriedLinkType& ports = both.run.links[1];
  EXPECT_EQ(ports.name, "port");
  EXPECT_EQ(ports.links, 16U);
  EXPECT_NEAR(ports.busiest, 36e6 / 5e9 / both.run.seconds.front(), 1e-9);
  EXPECT_NEAR(ports.mean, ports.busiest * (4 + 12 / 5.0) / 16, 1e-9);
}

// HGX-H100-validated of ASTRA-sim: 8 devices on a switch, 400 GB/s and 936.25 ns, a ring that takes
// 1 MB in four parts, whose simulator says 57,426 ns.
TEST(CollectiveMessages, OfTheValidatedPointOfAstraSim_TakeItsTime) {
  ir::Plan plan = planOf(1, 8, {400 * GBs, 936'250}, {50 * GBs, 10 * us});
  const Both part = bothOf(plan, CollectiveKind::AllReduce, Algorithm::Ring, 1'048'576 / 4);
  EXPECT_NEAR(4 * part.run.seconds.front(), 57'426e-9, 0.02 * 57'426e-9);
  EXPECT_NEAR(4 * part.run.seconds.front(), 57'017.52e-9, 1e-12);
}

TEST(CollectiveMessages, ThatAreLate_AddWhatOrderStatisticsSay) {
  MessagesRequest how{20 * us, 3, 4000, 0};
  ir::Plan two = planOf(2, 1, {600 * GBs, 1 * us}, {25 * GBs, 10 * us});
  const auto expectMean = [&](CollectiveKind kind, Algorithm algorithm, double late) {
    const Both both = bothOf(two, kind, algorithm, 25'000);
    const simulate::Sample sample(bothOf(two, kind, algorithm, 25'000, how).run.seconds);
    EXPECT_NEAR(sample.mean() - both.closed, late, 3 * sample.standardError());
  };
  expectMean(CollectiveKind::SendReceive, Algorithm::Direct, 20e-6);
  // The later of two messages: 1 + 1/2; twice.
  expectMean(CollectiveKind::ReduceScatter, Algorithm::Ring, 30e-6);
  expectMean(CollectiveKind::AllReduce, Algorithm::Ring, 60e-6);
  // One message up, one down.
  expectMean(CollectiveKind::AllReduce, Algorithm::Tree, 40e-6);
}

TEST(CollectiveMessages, OnAnyNumberOfThreads_AreTheSame) {
  ir::Plan plan = planOf(4, 4, {600 * GBs, 1 * us}, {25 * GBs, 10 * us}, 2);
  MessagesRequest how{5 * us, 9, 12, 1};
  const Both one = bothOf(plan, CollectiveKind::AllReduce, Algorithm::Hierarchical, 1 << 20, how);
  how.threads = 5;
  const Both five = bothOf(plan, CollectiveKind::AllReduce, Algorithm::Hierarchical, 1 << 20, how);
  EXPECT_EQ(one.run.seconds, five.run.seconds);
  how.seed = 10;
  EXPECT_NE(
      one.run.seconds,
      bothOf(plan, CollectiveKind::AllReduce, Algorithm::Hierarchical, 1 << 20, how).run.seconds);
}
