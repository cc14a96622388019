//===- MixedClusterTest.cpp - Clusters whose nodes differ -------------------------------------===//
//
// Figures worked out by hand: a layer of 1 TFLOP a sample takes 1 ms forward and 2 ms backward on a
// device of 1000 TFLOPS, twice that on one of 500; nothing else takes time worth naming.
#include "cost/compute/OperatorTime.h"
#include "cost/network/RankLinks.h"
#include "driver/workspace/Workspace.h"
#include "passes/Pass.h"
#include "passes/PlaceRanks.h"
#include "tests/unit/ValueOf.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace dpl;
using ir::Axis;

namespace {
const char* const machines = R"(
import std.models
device fast {
  memory = 80GiB, memory_bandwidth = 3TB/s
  peak[bf16] = 1000TFLOPS
  peak[fp8] = 2000TFLOPS
  sustained { matmul = 1, attention = 1, memory = 1 }
  launch_overhead = 0s
}
device slow {
  memory = 40GiB, memory_bandwidth = 2TB/s
  peak[bf16] = 500TFLOPS
  sustained { matmul = 1, attention = 1, memory = 1 }
  launch_overhead = 0s
  non_tensor_memory = 2GiB
}
cluster one {
  collectives = closed_form
  nodes = 16
  node { gpus = 8, gpu = fast }
  domain { bandwidth = 450GB/s per gpu, latency = 0s }
  nic { count = 1 per gpu, bandwidth = 400Gbps per nic, latency = 0s }
}
cluster two from one { node_pool["old"] { nodes = 8, node.gpu = slow } }
cluster old from one { nic.bandwidth = 100Gbps per nic }
cluster ports from one { node_pool["old"] { nodes = 8, nic.bandwidth = 100Gbps per nic } }
model wide from models.layer_list {
  layer[0] { name = "all", repeat = 4, parameters = 100_000_000, forward = 1TFLOP, output = 1_000_000 }
}
model net from models.layer_list {
  layer[0] { name = "all", repeat = 4, parameters = 1, forward = 1TFLOP, output = 1 }
}
)";

/// A plan of `layout plan for net on CLUSTER { … }`, and the codes of what was said.
struct Planned {
  explicit Planned(const std::string& layout) {
    Workspace workspace;
    workspace.overlay("main.dpl", machines + layout);
    const std::unique_ptr<CompiledUnit> unit = workspace.compile("main.dpl", diags);
    if (!unit->file.failed() && !unit->file->plans.empty()) {
      plan = unit->file->plans.front();
      (void)Workspace::complete(plan, diags);
    }
    for (const Diagnostic& d : diags.diagnostics())
      if (d.info.severity == Severity::Error)
        said += std::string(said.empty() ? "" : " ") + d.info.code + " " + d.message;
  }
  double value(const char* path) const { return test::valueOf(plan, path); }
  double milliseconds() const { return 1e3 * value("step_time"); }
  DiagnosticEngine diags;
  ir::Plan plan;
  std::string said;
};

std::string layout(const char* cluster, const char* mesh, const char* rest = "") {
  return std::string("layout plan for net on ") + cluster + " {\n mesh { " + mesh + " }\n " + rest +
         "\n}\n";
}
const char* const stages = "pipeline = 2, data = 64";
const char* const eightPasses = "batch = 512sample, micro_batch = 1sample";
} // namespace

TEST(MixedCluster, StagesOnParts_GoAtThePaceOfTheirOwn) {
  const Planned c(layout("two", stages, eightPasses));
  ASSERT_EQ(c.said, "");
  ASSERT_EQ(c.plan.mesh.rankNodeTypes.size(), 2U);
  EXPECT_EQ(c.plan.mesh.rankNodeTypes[0].nodeTypes, std::vector<std::uint64_t>{0});
  EXPECT_EQ(c.plan.mesh.rankNodeTypes[1].nodeTypes, std::vector<std::uint64_t>{1});
  EXPECT_EQ(c.plan.costs[0].forward, 2'000'000'000U);
  EXPECT_EQ(c.plan.costs[1].forward, 4'000'000'000U);
  // Stage 1 waits 2 ms for its first input, works 8 × (4 + 8) ms, and stage 0 ends 4 ms later.
  EXPECT_NEAR(c.milliseconds(), 102, 0.1);
  // 3 × 4 TFLOP × 512 samples over 64 × 1000 and 64 × 500 TFLOPS.
  EXPECT_NEAR(c.value("device.peak"), 750e12, 1);
  EXPECT_NEAR(c.value("mfu"), 6.144e15 / (128 * 750e12 * c.value("step_time")), 1e-12);
}

TEST(MixedCluster, DataOverParts_WaitsForTheSlowerReplicas) {
  const char* passes = "batch = 1024sample, micro_batch = 1sample";
  const Planned c(layout("two", "data = 128", passes));
  ASSERT_EQ(c.said, "");
  ASSERT_EQ(c.plan.mesh.rankNodeTypes.size(), 1U);
  EXPECT_EQ(c.plan.mesh.rankNodeTypes[0].nodeTypes, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_NEAR(c.milliseconds(), 8 * 4 * (2 + 4), 0.1);
  // Pipelines inside of the parts' order: every stage has replicas on both.
  const Planned inner(layout("two", "data = 64, pipeline = 2", eightPasses));
  ASSERT_EQ(inner.plan.mesh.rankNodeTypes.size(), 1U);
  EXPECT_NEAR(inner.milliseconds(), (8 + 1) * 2 * (2 + 4), 0.1);
}

TEST(MixedCluster, ComputeBesideCommunication_LosesWhatMakesTheLastLate) {
  ir::Device fast, slow;
  fast.peak[ir::DataType::BF16] = 1000, fast.memoryBandwidth = 4000, fast.contention = 0.3;
  slow.peak[ir::DataType::BF16] = 500, slow.memoryBandwidth = 2000, slow.contention = 0.05;
  // At 0.7 of its rate the fast device still ends first.
  EXPECT_DOUBLE_EQ(cost::contentionOf({fast, slow}), 0.05);
  EXPECT_DOUBLE_EQ(cost::contentionOf({slow, fast}), 0.05);
  EXPECT_DOUBLE_EQ(cost::contentionOf({fast}), 0.3);
  fast.contention = 0.6; // at 0.4 of its rate it has 0.8 of the other's
  EXPECT_DOUBLE_EQ(cost::contentionOf({fast, slow}), 0.2);
  fast.memoryBandwidth = slow.memoryBandwidth; // as slow where memory decides
  EXPECT_DOUBLE_EQ(cost::contentionOf({fast, slow}), 0.6);
}

TEST(MixedCluster, OfOneKind_HasTheFiguresOfThatKind) {
  const Planned c(layout("one", stages, eightPasses));
  ASSERT_EQ(c.said, "");
  EXPECT_NEAR(c.milliseconds(), (8 + 1) * 2 * (1 + 2), 0.1);
  // A part that differs in nothing changes nothing.
  Planned parted(std::string("cluster parted from one { node_pool[\"more\"] { nodes = 8 } }\n") +
                 layout("parted", stages, eightPasses));
  ASSERT_EQ(parted.said, "");
  EXPECT_EQ(parted.value("step_time"), c.value("step_time"));
  EXPECT_EQ(parted.value("mfu"), c.value("mfu"));
}

TEST(MixedCluster, MemoryOfARank_IsThatOfTheSmallestDeviceThatHoldsIt) {
  const Planned apart(layout("two", stages, eightPasses));
  ASSERT_EQ(apart.plan.memory.size(), 2U);
  EXPECT_EQ(apart.plan.memory[0].usable, 80ULL << 30);
  EXPECT_EQ(apart.plan.memory[0].reserved, 1ULL << 30);
  EXPECT_EQ(apart.plan.memory[1].usable, 40ULL << 30);
  EXPECT_EQ(apart.plan.memory[1].reserved, 2ULL << 30);
  EXPECT_EQ(apart.value("memory.usable"), static_cast<double>(40ULL << 30));
  const Planned both(layout("two", "data = 128", "batch = 128sample, micro_batch = 1sample"));
  EXPECT_EQ(both.plan.memory.at(0).usable, 40ULL << 30);
}

TEST(MixedCluster, AFormatThatOnePartLacks_IsRefused) {
  const Planned c(layout("two", stages, "batch = 512sample\n precision.compute = fp8"));
  EXPECT_NE(c.said.find("DPL0337 `precision.compute` is fp8, device `slow`"), std::string::npos)
      << c.said;
  EXPECT_EQ(Planned(layout("one", stages, "batch = 512sample\n precision.compute = fp8")).said, "");
}

namespace {
std::string wide(const char* cluster, const char* mesh, const char* more = "") {
  std::string text = std::string(more) + layout(cluster, mesh, "batch = 512sample");
  return text.replace(text.find("for net"), 7, "for wide");
}

/// ps of one collective of a purpose on a pipeline rank.
std::uint64_t timeOf(const Planned& c, ir::CollectivePurpose purpose, std::uint64_t rank) {
  for (const ir::Collective& one : c.plan.collectives)
    if (one.purpose == purpose && one.rank == rank)
      return one.time;
  ADD_FAILURE() << "no such collective on rank " << rank;
  return 0;
}
constexpr auto gradients = ir::CollectivePurpose::GradientReduce;
constexpr auto message = ir::CollectivePurpose::PipelineActivation;
} // namespace

TEST(MixedCluster, StagesOnPartsWithOtherPorts_ReduceThroughTheirOwn) {
  const Planned mixed(wide("ports", stages)), fast(wide("one", stages)), slow(wide("old", stages));
  ASSERT_EQ(mixed.said + fast.said + slow.said, "");
  EXPECT_LT(timeOf(fast, gradients, 0), timeOf(slow, gradients, 0));
  EXPECT_EQ(timeOf(mixed, gradients, 0), timeOf(fast, gradients, 0));
  EXPECT_EQ(timeOf(mixed, gradients, 1), timeOf(slow, gradients, 1));
  // 10^6 bf16 at 0.8 of 50 GB/s, and of 12.5 GB/s: both ends send through the slower.
  EXPECT_EQ(timeOf(fast, message, 0), 50'000'000U);
  EXPECT_EQ(timeOf(mixed, message, 0), 200'000'000U);
  EXPECT_EQ(timeOf(mixed, message, 1), 200'000'000U);
  EXPECT_GT(mixed.milliseconds(), fast.milliseconds());
  EXPECT_LE(mixed.milliseconds(), slow.milliseconds());
}

TEST(MixedCluster, AGroupOverPartsWithOtherPorts_GoesAtTheSlowest) {
  const Planned mixed(wide("ports", "data = 128")), slow(wide("old", "data = 128"));
  ASSERT_EQ(mixed.said + slow.said, "");
  EXPECT_EQ(timeOf(mixed, gradients, 0), timeOf(slow, gradients, 0));
  EXPECT_EQ(mixed.value("step_time"), slow.value("step_time"));
  EXPECT_EQ(mixed.value("link[old port].bandwidth"), 12.5e9);
  EXPECT_EQ(mixed.value("group[data].link[old port].ranks"), 1);
  EXPECT_EQ(mixed.value("group[data].rails"), 8) << "consecutive ranks: every place of a node";
}

TEST(MixedCluster, FasterPortsOfAPart_HelpWhereTheNetworkKeepsUp) {
  const char* more =
      "cluster fresh from one { node_pool[\"new\"] { nodes = 8, nic.bandwidth = 800Gbps "
      "per nic, nic.latency = 3us } }\n"
      "cluster tight from fresh { network.bandwidth = 300Gbps per gpu }\n";
  const auto bandwidth = [](const Planned& c, std::uint64_t from, std::uint64_t to) {
    return cost::levelsBetween(c.plan, from, to).back().bandwidth;
  };
  const Planned fresh(wide("fresh", stages, more)), tight(wide("tight", stages, more));
  ASSERT_EQ(fresh.said + tight.said, "");
  EXPECT_EQ(bandwidth(fresh, 0, 0), 400'000'000'000U);
  EXPECT_EQ(bandwidth(fresh, 1, 1), 800'000'000'000U);
  EXPECT_EQ(bandwidth(fresh, 0, 1), 400'000'000'000U);
  EXPECT_EQ(cost::levelsBetween(fresh.plan, 0, 1).back().latency, 3'000'000U);
  EXPECT_EQ(cost::levelsBetween(fresh.plan, 0, 0).back().latency, 0U);
  EXPECT_EQ(fresh.plan.cluster.levels.back().bandwidth, 800'000'000'000U) << "the fastest";
  for (const std::uint64_t rank : {0, 1})
    EXPECT_EQ(bandwidth(tight, rank, rank), 300'000'000'000U) << "the network is the limit of all";
}

TEST(MixedCluster, APartThatStatesTheSamePorts_HasThoseOfTheOthers) {
  const Planned c(
      wide("same", stages,
           "cluster same from one { node_pool[\"more\"] { nodes = 8, nic.count = 1 per gpu } }\n"));
  ASSERT_EQ(c.said, "");
  EXPECT_EQ(c.plan.cluster.nodeTypes.at(1).ports, c.plan.cluster.nodeTypes[0].ports);
  EXPECT_EQ(c.value("step_time"), Planned(wide("one", stages)).value("step_time"));
}

TEST(MixedCluster, HeldRanks_AreThoseOfEveryDevice) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) { return std::uniform_int_distribution(1UL, n)(random); };
  for (int trial = 0; trial < 300; ++trial) {
    ir::Mesh mesh;
    const std::uint64_t outer = below(5), ranks = below(6), inner = below(12);
    mesh.axes = {{Axis::Data, outer, ranks * inner, ir::Level::Gpu},
                 {Axis::Pipeline, ranks, inner, ir::Level::Gpu},
                 {Axis::Tensor, inner, 1, ir::Level::Gpu}};
    ir::Cluster cluster;
    cluster.gpusPerNode = 1;
    cluster.nodes = outer * ranks * inner;
    std::vector<std::set<std::uint64_t>> wanted(ranks);
    for (std::uint64_t device = 0; device < cluster.nodes;) {
      ir::NodeType c;
      c.nodes = std::min(below(40), cluster.nodes - device);
      for (std::uint64_t end = device + c.nodes; device < end; ++device)
        wanted[device / inner % ranks].insert(cluster.nodeTypes.size());
      cluster.nodeTypes.push_back(c);
    }
    mesh.rankNodeTypes = rankNodeTypes(mesh, cluster);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const std::vector<std::uint64_t>& found =
          mesh.rankNodeTypes[mesh.rankNodeTypesIndex(rank)].nodeTypes;
      EXPECT_EQ(std::set(found.begin(), found.end()), wanted[rank]);
    }
  }
}
