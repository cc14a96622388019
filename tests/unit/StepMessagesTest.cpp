//===- StepMessagesTest.cpp - Messages of a step on the links of a cluster, by hand -----------===//
#include "simulate/plan/StepMessages.h"
#include "tests/unit/SampleNetwork.h"
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// Two nodes of two devices.
ir::Cluster clusterOf(std::uint64_t ports, double taper) {
  ir::Cluster cluster;
  cluster.nodes = 2, cluster.gpusPerNode = 2;
  cluster.nodeTypes.resize(1);
  cluster.nodeTypes.front().nodes = 2;
  test::setNetwork(cluster, 1, {8'000'000'000'000, 0}, {80'000'000'000, 0}, taper);
  if (ports == 1) {
    ir::LinkType& port = test::linkIn(cluster, ir::LinkKind::Port);
    port.count = 1, port.bandwidth *= 2;
  }
  cluster.levels = ir::linkLevels(cluster);
  return cluster;
}

/// A message of 1000 ps through a device's share of the network, behind a latency of 100.
PreparedMessages message(std::uint32_t level) {
  cost::MessageSequence program;
  program.time = 1100, program.members = 2;
  cost::MessagePhase stage;
  stage.time = 1100, stage.latency = 100.0 / 1100;
  stage.messages = {{0, 1, level, 1, 1}};
  program.phases = {stage};
  return PreparedMessages(program);
}

struct Sent {
  std::uint32_t from, to;
  std::uint64_t begin;
};

/// When each of them has arrived; `met` gets how many shared their links.
std::vector<std::uint64_t> arrivals(const ir::Cluster& cluster, std::vector<Sent> all,
                                    const Sharing& sharing = {}, std::uint32_t level = 1,
                                    std::vector<std::uint64_t>* met = nullptr) {
  const StepLinks links(cluster, 4, 1);
  simulate::EventQueue queue;
  StepMessages messages(links, sharing, queue);
  const PreparedMessages program = message(level);
  for (std::size_t i = 0; i < all.size(); ++i)
    messages.begin(program, 1, {all[i].from, all[i].to}, all[i].begin, 0, i);
  std::vector<std::uint64_t> out(all.size());
  while (!queue.empty())
    if (messages.handle(queue.pop()))
      out[messages.ended()] = messages.endedAt();
  if (met)
    *met = messages.shared();
  return out;
}
using Times = std::vector<std::uint64_t>;
} // namespace

TEST(StepMessages, WithAPortForEachDevice_DoNotMeet) {
  EXPECT_EQ(arrivals(clusterOf(2, 1), {{0, 2, 0}, {1, 3, 0}}), (Times{1100, 1100}));
}

TEST(StepMessages, ThroughThePortOfOneDevice_HaveHalfOfItEach) {
  // The second comes when half of the first is done: 500 alone, 1000 at half rate, 500 alone.
  EXPECT_EQ(arrivals(clusterOf(2, 1), {{0, 2, 0}, {0, 3, 500}}), (Times{2100 - 500, 2100}));
}

TEST(StepMessages, OnePortOfTwoDevices_BringsOneOfThemTwiceAsMuch) {
  EXPECT_EQ(arrivals(clusterOf(1, 1), {{0, 2, 0}}), (Times{600}));
  EXPECT_EQ(arrivals(clusterOf(1, 1), {{0, 2, 0}, {1, 3, 0}}), (Times{1100, 1100}));
}

TEST(StepMessages, OutOfATaperedNode_OneDeviceHasWhatItsPortBrings) {
  // 1000 ps of the plan are at half of the port's rate.
  EXPECT_EQ(arrivals(clusterOf(2, 2), {{0, 2, 0}}), (Times{600}));
  EXPECT_EQ(arrivals(clusterOf(2, 2), {{0, 2, 0}, {1, 3, 0}}), (Times{1100, 1100}));
  // Where nothing is shared it takes what the plan says.
  EXPECT_EQ(arrivals(clusterOf(2, 2), {{0, 2, 0}}, {{}, true}), (Times{1100}));
}

TEST(StepMessages, InsideATaperedNode_HaveMoreThanThePlanGivesThemAndCountAsShared) {
  // Stages elsewhere cross the taper, so the plan counts it for all.
  Times met;
  EXPECT_EQ(arrivals(clusterOf(2, 2), {{0, 1, 0}}, {}, 1, &met), (Times{600}));
  EXPECT_EQ(met, (Times{0, 0, 1}));
  EXPECT_EQ(arrivals(clusterOf(2, 2), {{0, 1, 0}}, {{false, false, true}, false}, 1, &met),
            (Times{1100}));
  EXPECT_EQ(met, (Times{0, 0, 0}));
}

TEST(StepMessages, InADomain_CrossNoPort) {
  EXPECT_EQ(arrivals(clusterOf(1, 2), {{0, 1, 0}, {0, 2, 0}}, {}, 0), (Times{2100, 2100}));
}

TEST(StepMessages, ACollectiveThatCouldHaveBegunBefore_EndsAsMuchEarlier) {
  cost::MessageSequence ring;
  ring.time = 4000, ring.members = 2;
  cost::MessagePhase stage;
  stage.steps = 4, stage.time = 4000, stage.latency = 0.25;
  stage.messages = {{0, 1, 1, 1, 1}, {1, 0, 1, 1, 1}};
  ring.phases = {stage};
  const PreparedMessages program(ring);
  const ir::Cluster cluster = clusterOf(2, 1);
  const StepLinks links(cluster, 4, 1);
  // Of 4000 ps 0, some latency, some bytes, whole steps and all have gone by when it is asked for.
  for (const std::uint64_t late : {0, 100, 600, 1000, 2300, 3999, 4000, 5000}) {
    simulate::EventQueue queue;
    StepMessages messages(links, {}, queue);
    const std::uint32_t devices[] = {0, 2};
    queue.add(10'000, simulate::EventPhase::Begins, 7);
    (void)queue.pop();
    messages.begin(program, 1, devices, 10'000 - late, 10'000, 0);
    std::uint64_t end = 0;
    while (!queue.empty())
      if (messages.handle(queue.pop()))
        end = messages.endedAt();
    EXPECT_EQ(end, 14'000 - late) << late;
  }
}

TEST(StepMessages, OfManyRounds_TakeAllOfThem) {
  const PreparedMessages program = message(1);
  const ir::Cluster cluster = clusterOf(2, 1);
  const StepLinks links(cluster, 4, 1);
  simulate::EventQueue queue;
  StepMessages messages(links, {}, queue);
  const std::uint32_t devices[] = {0, 2};
  messages.begin(program, 5, devices, 0, 0, 3);
  std::uint64_t end = 0;
  while (!queue.empty())
    if (messages.handle(queue.pop()))
      end = messages.endedAt();
  EXPECT_EQ(end, 5500U);
  EXPECT_EQ(messages.messages(), 5U);
}

TEST(StepMessages, ToPortsOfOtherPlaces_ShareTheWayThroughTheHost) {
  ir::Cluster cluster = clusterOf(2, 1);
  const std::uint64_t rate = cluster.levels[1].bandwidth;
  cluster.network.affinity = {{{1, 0}}};
  ir::LinkType host;
  host.kind = ir::LinkKind::Host, host.bandwidth = rate;
  cluster.network.links.push_back(host);
  cluster.levels = ir::linkLevels(cluster);
  EXPECT_EQ(cluster.levels[1].bandwidth, rate / 2);
  // Both have their half, of which the plan knows; one alone has twice as much.
  EXPECT_EQ(arrivals(cluster, {{0, 2, 0}, {1, 3, 0}}), (Times{1100, 1100}));
  EXPECT_EQ(arrivals(cluster, {{0, 2, 0}}), (Times{600}));
  const StepLinks links(cluster, 4, 1);
  EXPECT_EQ(links.linkTypes().size(), 3U);
  EXPECT_EQ(links.linkTypes()[2].name, "host");
}

// The plan's levels are those of the faster ports, and its times tell who has slower ones.
TEST(StepMessages, ToPortsOfOtherPlaces_OfNodesOfTwoClasses_TakeWhatThePlanSays) {
  ir::Cluster cluster = clusterOf(2, 1);
  cluster.network.affinity = {{{0, 1}}};
  ir::LinkType faster = test::linkIn(cluster, ir::LinkKind::Port);
  faster.pool = "new", faster.bandwidth *= 2;
  cluster.nodeTypes.resize(2);
  cluster.nodeTypes[0].nodes = cluster.nodeTypes[1].nodes = 1;
  cluster.nodeTypes[1].name = "new", cluster.nodeTypes[1].ports = cluster.network.links.size();
  cluster.network.links.push_back(faster);
  cluster.levels = ir::linkLevels(cluster);
  EXPECT_EQ(arrivals(cluster, {{0, 2, 0}}), (Times{1100}));
}

TEST(StepMessages, OfAPipelineLink_CountWhereThePlanHasThemWait) {
  const ir::Cluster cluster = clusterOf(2, 1);
  const StepLinks links(cluster, 4, 1);
  const PreparedMessages program = message(1); // 100 of latency, 1000 of bytes
  for (const auto& [second, met] : {std::pair(1050U, 1U), {1100U, 0U}}) {
    simulate::EventQueue queue;
    StepMessages messages(links, {}, queue);
    messages.send(program, 0, 2, 0, 0, 0);
    messages.send(program, 0, 2, 0, second, 1);
    std::uint64_t end = 0;
    while (!queue.empty())
      if (messages.handle(queue.pop()))
        end = messages.endedAt();
    EXPECT_EQ(end, second + 1100U); // bytes do not meet
    EXPECT_EQ(messages.shared()[1], met);
  }
}
