//===- LinkLoadTest.cpp - What groups put on the links of the network -------------------------===//
#include "cost/network/LinkLoad.h"
#include "SampleNetwork.h"
#include "passes/BuildGroups.h"
#include <gmock/gmock.h>
#include <map>
#include <random>
#include <set>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {

/// Pipeline × data × tensor on nodes of 8 that have so many ports.
struct World {
  World(std::uint64_t pipeline, std::uint64_t data, std::uint64_t tensor, std::uint64_t ports) {
    mesh.axes = {{Axis::Pipeline, pipeline, data * tensor, Level::Gpu},
                 {Axis::Data, data, tensor, Level::Gpu},
                 {Axis::Tensor, tensor, 1, Level::Gpu}};
    cluster.gpusPerNode = 8, cluster.nodes = pipeline * data * tensor / 8;
    cluster.nodeTypes.resize(1);
    test::setNetwork(cluster, 1, {3600}, {400});
    test::linkIn(cluster, LinkKind::Port).count = ports;
  }
  void state(Level level, std::uint64_t nodes, const LinkType& link) {
    cluster.network.units.push_back({level, nodes});
    cluster.network.links.push_back(link);
    cluster.levels = linkLevels(cluster);
  }
  Group group(Axis axis) const { return makeGroup(mesh, cluster, "test", {axis}); }
  LinkLoad load(Axis axis, LinkKind kind) const {
    const auto link =
        static_cast<std::size_t>(cluster.network.find(kind) - cluster.network.links.data());
    return group(axis).loads.at(link);
  }
  std::optional<std::uint64_t> rails(Axis axis) const { return railsOf(group(axis), cluster, 1); }
  Mesh mesh;
  Cluster cluster;
};

MATCHER_P2(Load, ranks, groups, "") {
  return arg.ranks == static_cast<std::uint64_t>(ranks) &&
         arg.groups == static_cast<std::uint64_t>(groups);
}
} // namespace

TEST(LinkLoad, WithAPortADevice_EachGroupHasItsOwn) {
  const World w(1, 4, 8, 8);
  EXPECT_THAT(w.load(Axis::Tensor, LinkKind::ScaleUp), Load(1, 1));
  EXPECT_THAT(w.load(Axis::Tensor, LinkKind::Port), Load(0, 0)) << "tensor groups stay in a node";
  EXPECT_THAT(w.load(Axis::Data, LinkKind::ScaleUp), Load(0, 0)) << "no two ranks in a node";
  EXPECT_THAT(w.load(Axis::Data, LinkKind::Port), Load(1, 1));
  EXPECT_EQ(w.rails(Axis::Data), 1U) << "ranks are 8 apart: one place in every node";
  EXPECT_EQ(w.rails(Axis::Tensor), std::nullopt);
}

TEST(LinkLoad, DevicesThatShareAPort_AreOfOneGroupOrOfTwo) {
  // Tensor groups of 16 over two nodes: devices 0 and 1 share a port and a group.
  const World wide(1, 2, 16, 4);
  EXPECT_THAT(wide.load(Axis::Tensor, LinkKind::Port), Load(2, 1));
  EXPECT_EQ(wide.rails(Axis::Tensor), 4U);
  EXPECT_THAT(wide.load(Axis::Data, LinkKind::Port), Load(1, 2));
  EXPECT_EQ(wide.rails(Axis::Data), 1U);
  // Data groups with ranks 4 apart: places 0 and 4, ports 0 and 2.
  const World narrow(1, 8, 4, 4);
  EXPECT_THAT(narrow.load(Axis::Data, LinkKind::Port), Load(1, 2));
  EXPECT_EQ(narrow.rails(Axis::Data), 2U);
}

TEST(LinkLoad, ADeviceWithSeveralPorts_HasThemAlone) {
  const World w(1, 4, 8, 32);
  EXPECT_THAT(w.load(Axis::Data, LinkKind::Port), Load(1, 1));
  EXPECT_EQ(bundleOf(w.cluster, w.cluster.network.links[1]).links, 4U);
  EXPECT_EQ(w.rails(Axis::Data), 4U);
  // 3 ports for 8 devices: all share all.
  const World odd(1, 4, 8, 3);
  EXPECT_THAT(odd.load(Axis::Data, LinkKind::Port), Load(1, 8));
  EXPECT_EQ(bundleOf(odd.cluster, odd.cluster.network.links[1]).links, 3U);
  EXPECT_EQ(odd.rails(Axis::Data), 3U);
}

TEST(LinkLoad, WhereOnePartOfANodeRuns_ItsPortsAreWhatTheDevicesHave) {
  World w(1, 8, 8, 4);
  w.cluster.gpusPerNode = 6, w.cluster.nodes = 12;
  EXPECT_EQ(bundleOf(w.cluster, w.cluster.network.links[1]).devices, 2U);
  // Of three devices the last has a port for itself, so blocks of two do not fit the node.
  w.cluster.gpusPerNode = 3, w.cluster.nodes = 24;
  const Bundle all = bundleOf(w.cluster, w.cluster.network.links[1]);
  EXPECT_EQ(all.devices, 3U);
  EXPECT_EQ(all.links, 2U);
}

TEST(LinkLoad, LinksOutOfALeaf_CarryWhatLeavesIt) {
  World w(4, 8, 8, 8); // stages of 8 nodes
  w.state(Level::Leaf, 4, test::taperOf(LinkKind::Leaf, 2));
  w.state(Level::Pod, 16, test::taperOf(LinkKind::Pod, 2));
  EXPECT_THAT(w.load(Axis::Data, LinkKind::Leaf), Load(4, 8)) << "8 places × 4 nodes";
  EXPECT_THAT(w.load(Axis::Data, LinkKind::Pod), Load(0, 0)) << "a pod holds two stages";
  EXPECT_THAT(w.load(Axis::Pipeline, LinkKind::Leaf), Load(1, 32));
  EXPECT_THAT(w.load(Axis::Pipeline, LinkKind::Pod), Load(2, 64));
  EXPECT_THAT(w.load(Axis::Pipeline, LinkKind::Spine), Load(4, 64)) << "all ranks of each";
  EXPECT_THAT(w.load(Axis::Data, LinkKind::Spine), Load(0, 0));
}

TEST(LinkLoad, LinksOutOfALeaf_CarryWhatGoesToANodeBesideIt) {
  // Three nodes of one device each, two of them in a leaf.
  World w(1, 3, 8, 8);
  w.cluster.gpusPerNode = 1;
  test::setNetwork(w.cluster, 1, {3600}, {400});
  w.state(Level::Leaf, 2, test::taperOf(LinkKind::Leaf, 2));
  const LinkType& leaf = *w.cluster.network.find(LinkKind::Leaf);
  ASSERT_EQ(w.cluster.levels.size(), 3U);
  EXPECT_FALSE(carries(w.cluster, leaf, 0)) << "inside a node";
  EXPECT_FALSE(carries(w.cluster, leaf, 1)) << "between the two nodes of the leaf";
  EXPECT_TRUE(carries(w.cluster, leaf, 2)) << "to the third node";
}

TEST(LinkLoad, TheEmbeddingGroup_IsOfTheFirstAndTheLastStage) {
  const World w(4, 2, 8, 4); // a stage is two nodes
  const Group g = makeEmbeddingGroup(w.mesh, {PlacementKind::Linear, 4, 1}, w.cluster);
  EXPECT_THAT(g.loads.at(1), Load(1, 2));
  const World inner(4, 2, 4, 4); // a stage is one node
  EXPECT_THAT(makeEmbeddingGroup(inner.mesh, {PlacementKind::Linear, 4, 1}, inner.cluster).loads[1],
              Load(1, 2));
  // Four stages in a node: the group stays inside.
  const World within(4, 8, 1, 4);
  Mesh mesh = within.mesh;
  mesh.axes = {{Axis::Data, 8, 4, Level::Gpu}, {Axis::Pipeline, 4, 1, Level::Gpu}};
  const Group four = makeEmbeddingGroup(mesh, {PlacementKind::Linear, 4, 1}, within.cluster);
  EXPECT_THAT(four.loads[0], Load(1, 1));
  EXPECT_THAT(four.loads[1], Load(0, 0));
}

// ---- against every rank, one by one

namespace {
/// A group of a random mesh on a random cluster, with all its groups as lists of ranks.
class Enumerated {
public:
  explicit Enumerated(std::mt19937& random) : random(random) {
    const std::uint64_t outer = one({1, 2, 3}), pipeline = one({1, 2, 4}), data = one({1, 2, 3, 4}),
                        tensor = one({1, 2, 4, 8});
    mesh.axes = {{Axis::Replica, outer, pipeline * data * tensor, Level::Gpu},
                 {Axis::Pipeline, pipeline, data * tensor, Level::Gpu},
                 {Axis::Data, data, tensor, Level::Gpu},
                 {Axis::Tensor, tensor, 1, Level::Gpu}};
    const std::uint64_t devices = outer * pipeline * data * tensor;
    cluster.gpusPerNode = std::gcd(devices, one({2, 4, 6, 8}));
    cluster.nodes = devices / cluster.gpusPerNode;
    cluster.nodeTypes.resize(1);
    const std::uint64_t domain = cluster.nodes % 2 == 0 ? one({1, 2}) : 1;
    test::setNetwork(cluster, domain, {3600}, {400});
    cluster.network.links[1].count = one({1, 2, 3, 4, 8, 16});
    if (cluster.nodes % (2 * domain) == 0) {
      cluster.network.units.push_back({Level::Leaf, 2 * domain});
      cluster.network.links.push_back(test::taperOf(LinkKind::Leaf, 2));
    }
    cluster.levels = linkLevels(cluster);
    copies = pipeline > 1 && chance(4);
    group = copies      ? makeGroup(mesh, cluster, "test", withoutPipeline(axes()), true)
            : chance(4) ? makeEmbeddingGroup(mesh, {PlacementKind::Linear, pipeline, 1}, cluster)
                        : makeGroup(mesh, cluster, "test", axes());
    std::set<std::vector<std::uint64_t>> all;
    for (std::uint64_t rank = 0; rank < devices; ++rank)
      if (group.name == "test" || atAnEnd(rank / (data * tensor) % pipeline, pipeline))
        all.insert(group.members(rank));
    groups.assign(all.begin(), all.end());
  }

  /// Of each bundle of `devices`, the ranks that each group has there.
  std::vector<std::vector<std::uint64_t>> ranksIn(std::uint64_t devices) const {
    std::vector<std::vector<std::uint64_t>> found((cluster.devices() + devices - 1) / devices);
    for (const auto& members : groups) {
      std::map<std::uint64_t, std::uint64_t> here;
      for (const std::uint64_t rank : members)
        ++here[rank / devices];
      for (const auto& [bundle, ranks] : here)
        found[bundle].push_back(ranks);
    }
    return found;
  }

  Mesh mesh;
  Cluster cluster;
  Group group;
  bool copies = false; ///< over opposite pipeline ranks
  std::vector<std::vector<std::uint64_t>> groups;

private:
  static std::vector<Axis> withoutPipeline(std::vector<Axis> some) {
    some.erase(std::remove(some.begin(), some.end(), Axis::Pipeline), some.end());
    return some;
  }
  static bool atAnEnd(std::uint64_t stage, std::uint64_t stages) {
    return stage == 0 || stage + 1 == stages;
  }
  std::uint64_t one(std::vector<std::uint64_t> of) { return of[random() % of.size()]; }
  bool chance(unsigned of) { return random() % of == 0; }
  std::vector<Axis> axes() {
    std::vector<Axis> some;
    for (const MeshAxis& axis : mesh.axes)
      if (chance(2))
        some.push_back(axis.axis);
    return some;
  }
  std::mt19937& random;
};
} // namespace

TEST(LinkLoad, OfRandomGroups_IsThatOfTheirRanks) {
  std::mt19937 random(11);
  unsigned used = 0, railed = 0, mirrored = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Enumerated e(random);
    if (e.group.size == 1)
      continue;
    const std::uint64_t domain = e.cluster.levels.front().devices;
    for (std::size_t i = 0; i < e.cluster.network.links.size(); ++i) {
      const LinkType& link = e.cluster.network.links[i];
      if (link.kind == LinkKind::Spine)
        continue;
      const LinkLoad load = e.group.loads[i];
      const Bundle bundle = bundleOf(e.cluster, link);
      const auto found = e.ranksIn(bundle.devices);
      if (e.copies) { // of the group of the first rank, on the links of the first devices
        std::uint64_t first = 0;
        for (const std::uint64_t rank : e.group.members(0))
          first += rank < bundle.devices ? 1 : 0;
        if (load.ranks > 0) {
          ++mirrored;
          EXPECT_EQ(load.ranks, first) << "trial " << trial << ", " << link.displayName();
          EXPECT_EQ(load.groups, found[0].size())
              << "trial " << trial << ", " << link.displayName();
        }
        continue;
      }
      std::uint64_t most = 0;
      for (const auto& here : found)
        for (const std::uint64_t ranks : here)
          most = std::max(most, ranks);
      // Who leaves what the links lead out of.
      bool leaves = false;
      for (const auto& here : e.ranksIn(link.kind == LinkKind::Leaf ? bundle.devices : domain))
        for (const std::uint64_t ranks : here)
          leaves = leaves || (link.kind == LinkKind::ScaleUp ? ranks > 1 : ranks < e.group.size);
      EXPECT_EQ(load.ranks > 0, leaves) << "trial " << trial << ", " << link.displayName();
      if (load.ranks == 0)
        continue;
      ++used;
      EXPECT_EQ(load.ranks, most) << "trial " << trial << ", " << link.displayName();
      EXPECT_EQ(load.groups, found[0].size()) << "trial " << trial << ", " << link.displayName();
    }
    const std::uint64_t node = e.cluster.gpusPerNode;
    if (const auto rails = railsOf(e.group, e.cluster, 1)) {
      const Bundle bundle = bundleOf(e.cluster, e.cluster.network.links[1]);
      std::set<std::uint64_t> places;
      for (const std::uint64_t rank : e.group.members(0))
        places.insert(rank % node / bundle.devices);
      EXPECT_EQ(*rails, places.size() * bundle.links) << "trial " << trial;
      ++railed;
    }
  }
  EXPECT_GT(used, 1000U);
  EXPECT_GT(mirrored, 200U);
  EXPECT_GT(railed, 300U);
}

TEST(LinkLoad, WithPortsInAnotherOrder_IsThatOfTheBusiestPortAndOfTheHost) {
  const auto with = [](std::vector<std::uint64_t> ports, std::uint64_t count) {
    World w(1, 4, 8, count);
    w.cluster.network.affinity = {{std::move(ports)}};
    LinkType host;
    host.kind = LinkKind::Host, host.bandwidth = 800;
    w.cluster.network.links.push_back(host);
    w.cluster.levels = linkLevels(w.cluster);
    return w;
  };
  // In order it is as if nothing was said.
  const World inOrder = with({0, 1, 2, 3, 4, 5, 6, 7}, 8), plain(1, 4, 8, 8);
  EXPECT_THAT(inOrder.load(Axis::Data, LinkKind::Port), Load(1, 1));
  EXPECT_THAT(inOrder.load(Axis::Data, LinkKind::Host), Load(0, 0));
  EXPECT_EQ(inOrder.cluster.levels.back().bandwidth, plain.cluster.levels.back().bandwidth);
  // Changed over between two sockets, all cross the host: 800 of eight.
  const World swapped = with({4, 5, 6, 7, 0, 1, 2, 3}, 8);
  EXPECT_THAT(swapped.load(Axis::Data, LinkKind::Port), Load(1, 1));
  EXPECT_THAT(swapped.load(Axis::Data, LinkKind::Host), Load(1, 8));
  EXPECT_THAT(swapped.load(Axis::Tensor, LinkKind::Host), Load(0, 0)) << "it stays in the node";
  EXPECT_EQ(swapped.cluster.levels.back().bandwidth, 100);
  EXPECT_EQ(swapped.rails(Axis::Data), 1U);
  const LinkType& narrowest = swapped.cluster.network.links[narrowestLink(swapped.cluster, {0}, 1)];
  EXPECT_EQ(narrowest.kind, LinkKind::Host);
  // Two that change places have half of it each.
  EXPECT_EQ(with({1, 0, 2, 3, 4, 5, 6, 7}, 8).cluster.levels.back().bandwidth, 400);
  // Three on one port have a third of it.
  const World three = with({0, 0, 0, 3, 4, 5, 6, 7}, 8);
  EXPECT_THAT(three.load(Axis::Data, LinkKind::Port), Load(1, 3));
  EXPECT_THAT(three.load(Axis::Data, LinkKind::Host), Load(1, 2));
  EXPECT_EQ(three.cluster.levels.back().bandwidth, 400 / 3);
}
