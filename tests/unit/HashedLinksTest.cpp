//===- HashedLinksTest.cpp - Flows that are hashed onto the links out of a unit ---------------===//
#include "ir/Uplinks.h"
#include "simulate/plan/StepMessages.h"
#include "support/math/Statistics.h"
#include "tests/unit/SampleNetwork.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace dpl;
using namespace dpl::simulation;

namespace {
constexpr std::uint32_t inside = 8;

/// Two leaves of eight single devices.
ir::Cluster clusterOf(std::uint64_t uplinks, double taper) {
  ir::Cluster cluster;
  cluster.nodes = 2 * inside, cluster.gpusPerNode = 1;
  cluster.nodeTypes.resize(1);
  cluster.nodeTypes.front().nodes = cluster.nodes;
  test::setNetwork(cluster, 1, {8'000'000'000'000, 0}, {80'000'000'000, 0});
  cluster.network.units.push_back({ir::Level::Leaf, inside});
  cluster.network.links.push_back(test::taperOf(ir::LinkKind::Leaf, taper));
  cluster.network.links.back().count = uplinks;
  cluster.levels = ir::linkLevels(cluster);
  return cluster;
}

/// Each device of one leaf sends one of the other leaf a message of 1000 ps, as the plan has it,
/// at once: when the last has arrived.
std::uint64_t lastOf(const ir::Cluster& cluster, std::uint64_t seed) {
  cost::MessageSequence program;
  program.time = 1000, program.members = 2;
  cost::MessagePhase stage;
  stage.time = 1000;
  stage.messages = {{0, 1, 2, 1, 1}};
  program.phases = {stage};
  const PreparedMessages message(program);
  const StepLinks links(cluster, 2 * inside, seed);
  simulate::EventQueue queue;
  StepMessages messages(links, {}, queue);
  for (std::uint32_t device = 0; device < inside; ++device)
    messages.begin(message, 1, {device, inside + device}, 0, 0, device);
  std::uint64_t last = 0;
  while (!queue.empty())
    if (messages.handle(queue.pop()))
      last = messages.endedAt();
  return last;
}

/// Mean of the most that one of `places` has, of which each of `balls` takes one by chance: the
/// chance that none has more than k is balls! / places^balls times what x^balls has in the power
/// `places` of 1 + x + x^2 / 2 + … + x^k / k!.
double meanOfMost(std::size_t balls, std::size_t places) {
  double mean = 0;
  for (std::size_t k = 0; k < balls; ++k) {
    std::vector<double> power(balls + 1);
    power[0] = 1;
    for (std::size_t place = 0; place < places; ++place)
      for (std::size_t n = balls + 1; n-- > 0;) {
        double sum = 0;
        for (std::size_t i = 0; i <= std::min(k, n); ++i)
          sum += power[n - i] / std::tgamma(static_cast<double>(i) + 1);
        power[n] = sum;
      }
    const auto all = static_cast<double>(balls);
    mean += 1 - power[balls] * std::tgamma(all + 1) / std::pow(static_cast<double>(places), all);
  }
  return mean;
}
} // namespace

TEST(HashedLinks, TakeAsLongAsTheLinkThatMostFlowsHave) {
  for (const std::uint64_t uplinks : {2, 4, 8}) {
    const ir::Cluster cluster = clusterOf(uplinks, 1);
    std::vector<double> most;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) // one flow has its part of a link at least
      most.push_back(static_cast<double>(lastOf(cluster, seed) * inside) /
                     static_cast<double>(1000 * uplinks));
    const simulate::Sample sample(most);
    EXPECT_NEAR(sample.mean(), meanOfMost(inside, uplinks), 4 * sample.standardError()) << uplinks;
  }
}

TEST(HashedLinks, OfATaperedUnit_ShareWhatItCarriesOut) {
  // One link: all have the half that the plan gives them. Two, of which each carries as much as two
  // devices send: as the plan has it where four flows take each.
  EXPECT_EQ(lastOf(clusterOf(1, 2), 1), 1000U);
  std::set<std::uint64_t> times;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed)
    times.insert(lastOf(clusterOf(2, 2), seed));
  EXPECT_EQ(*times.begin(), 1000U);
  EXPECT_EQ(*times.rbegin(), 2000U);
  EXPECT_EQ(times.size(), 5U); // four to eight of one link
}

TEST(HashedLinks, AreTheSameForTheSameSeedAlone) {
  const ir::Cluster cluster = clusterOf(8, 1);
  const StepLinks links(cluster, 2 * inside, 7), again(cluster, 2 * inside, 7),
      other(cluster, 2 * inside, 8);
  bool differs = false;
  std::set<std::uint32_t> out;
  for (std::uint32_t to = inside; to < 2 * inside; ++to) {
    StepLinks::LinkRoute one, two, three;
    links.route(0, to, 2, one), again.route(0, to, 2, two), other.route(0, to, 2, three);
    EXPECT_EQ(one, two);
    differs = differs || one != three;
    ASSERT_EQ(one.size(), 4U); // two ports, a link up and one down
    const StepLinks::LinkTypeRange& leaf = links.linkTypes()[2];
    // Into the other leaf from the switch that the link out of this one leads to.
    EXPECT_EQ(one[3] - leaf.first - leaf.count() - leaf.each, one[2] - leaf.first);
    out.insert(one[2]);
  }
  EXPECT_TRUE(differs);
  EXPECT_GT(out.size(), 1U);
  EXPECT_EQ(links.nameOf(links.linkTypes()[2].first + 11), "uplink 3 of leaf 1, out");
  EXPECT_TRUE(ir::hashesFlows(cluster));
  EXPECT_FALSE(ir::hashesFlows(clusterOf(1, 2)));
}
