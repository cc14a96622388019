//===- RandomMachine.cpp - The cluster of a random plan ---------------------------------------===//
#include "tests/property/PlanMaker.h"
#include "tests/unit/Jitters.h"
#include <numeric>

using namespace dpl;
using namespace dpl::test;
using namespace dpl::ir;

void PlanMaker::cluster() {
  Cluster& c = plan.cluster;
  c.name = "machine";
  c.gpusPerNode = std::gcd(devices(), random.size({1, 2, 4, 8, 8, 8}));
  c.nodes = devices() / c.gpusPerNode;
  NodeType nominal;
  nominal.nodes = c.nodes;
  device(nominal.device);
  c.nodeTypes = {nominal};
  if (c.nodes > 1 && random.oneIn(4)) {
    NodeType other = nominal;
    other.name = "other";
    other.nodes = 1 + random.below(c.nodes - 1);
    other.device.speed = random.between(0.5, 1);
    c.nodeTypes[0].nodes -= other.nodes;
    c.nodeTypes.push_back(other);
  }
  if (!kept.oneIn(3))
    for (NodeType& nodes : c.nodeTypes)
      keep(nodes.device);
  links();
  if (random.oneIn(8))
    c.jitter = test::jitter(facts.pick({JitterKind::LogNormal, JitterKind::LogNormal,
                                        JitterKind::Gamma, JitterKind::Exponential}),
                            0.05);
  if (c.jitter.kind == JitterKind::LogNormal && facts.oneIn(3))
    c.jitter.node = 0.5;
}

void PlanMaker::device(Device& d) {
  d.name = "device";
  d.memory = std::uint64_t{1} << 50;
  d.hostLink = {{63'000'000'000ULL * 8, 77'000'000'000ULL * 8}};
  d.memoryBandwidth = random.size({16, 27, 64}) * 1'000'000'000'000;
  const std::uint64_t peak = random.size({125, 312, 989, 2500}) * 1'000'000'000'000;
  d.peak[DataType::BF16] = peak;
  if (random.oneIn(2))
    d.peak[DataType::FP8] = 2 * peak;
  d.sustainedMatmul = random.between(0.5, 0.9), d.sustainedLowPrecision = random.between(0.4, 0.8);
  d.sustainedFp8Gradients = random.between(0.8, 1);
  d.sustainedAttention = random.between(0.3, 0.7);
  d.sustainedMemory = random.between(0.6, 0.95);
  d.efficiencyHalfSize = random.size({0, 64, 128, 256});
  d.contention = random.oneIn(3) ? 0 : random.between(0, 0.2);
  d.launch = random.size({0, 2, 5, 10, 40}) * 1'000'000;
  d.speed = random.oneIn(3) ? random.between(0.5, 1) : 1;
}

void PlanMaker::keep(Device& d) {
  const auto mebibytes = [&](std::initializer_list<int> of) { return kept.size(of) << 20; };
  d.reserved = mebibytes({0, 1024, 4096});
  d.context = mebibytes({0, 512, 3072});
  d.workspace = mebibytes({0, 64, 30 * 1024});
}

void PlanMaker::links() {
  Cluster& c = plan.cluster;
  Network& n = c.network;
  n.nodeDevices = c.gpusPerNode;
  n.units = {{Level::Node, 1}};
  n.links = {link(LinkKind::ScaleUp, {600, 3600, 7200})};
  if (random.oneIn(4))
    n.links.back().bandwidth /= 2;
  if (c.nodes % 2 == 0 && random.oneIn(3)) {
    n.units.push_back({Level::Leaf, 2});
    n.links.push_back(tapered(LinkKind::Leaf));
  }
  LinkType network = n.links.front(); // which one node never uses
  if (c.nodes > 1) {
    network = link(LinkKind::Network, {50, 100, 200, 400});
    n.links.push_back(tapered(LinkKind::Spine));
  }
  network.kind = LinkKind::Network, n.links.push_back(network);
  network.kind = LinkKind::Port, network.count = c.gpusPerNode, n.links.push_back(network);
  for (NodeType& nodes : c.nodeTypes)
    nodes.ports = n.links.size() - 1;
  if (c.nodeTypes.size() > 1 && random.oneIn(2))
    ownPorts(c.nodeTypes.back());
  if (!random.oneIn(4)) {
    n.library = CollectiveLibrary::Nccl;
    n.collectiveOverhead = random.size({0, 0, 25}) * 1'000'000;
    n.inStep = random.oneIn(2) ? 0.65 : 1;
    n.links.front().inSwitch = random.oneIn(2) ? random.between(0.4, 0.7) : 0;
  } else if (facts.oneIn(3)) {
    n.algorithm = facts.pick({AlgorithmChoice::Ring, AlgorithmChoice::Hierarchical,
                              AlgorithmChoice::Tree, AlgorithmChoice::HalvingDoubling});
  }
  if (c.nodes > 1 && later.oneIn(5)) {
    n.affinity = {{}};
    for (std::uint64_t device = 0; device < c.gpusPerNode; ++device)
      n.affinity.front().ports.push_back(later.below(c.gpusPerNode));
    LinkType host;
    host.kind = LinkKind::Host, host.bandwidth = later.size({200, 800}) * 1'000'000'000;
    n.links.push_back(host);
  }
  for (LinkType& out : n.links)
    if (out.kind == LinkKind::Leaf && later.oneIn(3))
      out.taper = 1, out.bandwidth = later.size({25, 100, 800}) * 1'000'000'000,
      out.count = std::max<std::uint64_t>(c.nodes / 2 - 1, 1);
  if (n.links.front().inSwitch == 0 && random.oneIn(6))
    n.links.front().peerLinks = random.size({3, 7});
  c.levels = linkLevels(c);
}

void PlanMaker::ownPorts(NodeType& nodes) {
  LinkType own = plan.cluster.network.links.back();
  own.pool = nodes.name;
  own.bandwidth = own.bandwidth / 4 * random.size({1, 2, 8});
  own.latency += random.size({0, 3}) * 1'000'000;
  nodes.ports = plan.cluster.network.links.size();
  plan.cluster.network.links.push_back(own);
}

LinkType PlanMaker::link(LinkKind kind, std::initializer_list<int> gigabits) {
  LinkType l;
  l.kind = kind, l.bandwidth = random.size(gigabits) * 1'000'000'000;
  l.latency = random.size({0, 1, 5, 20}) * 1'000'000;
  l.efficiency = random.between(0.5, 1);
  return l;
}

LinkType PlanMaker::tapered(LinkKind kind) {
  LinkType l;
  l.kind = kind, l.taper = random.oneIn(4) ? 2 : 1;
  return l;
}
