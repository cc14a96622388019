//===- HostMemoryTest.cpp - Offloaded tensors are on the host and not on the device -----------===//
#include "cost/step/HostMemory.h"
#include "cost/partition/MakeChunks.h"
#include "figures/Figures.h"
#include "passes/MemoryFixes.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
void makeHosts(Plan& plan) {
  for (NodeType& nodes : plan.cluster.nodeTypes)
    nodes.device.hostLink = {{440'000'000'000, 640'000'000'000}};
  plan.cluster.hostMemory = std::uint64_t{1} << 50;
}
/// Offloads all state that the layout's sharding allows to offload.
Offload stateOf(const Layout& layout) {
  const unsigned stage = layout.shard.stage();
  const bool parameters = stage == 3 && layout.shard.reshard;
  return {0, 1, stage >= 2, parameters};
}
} // namespace

/// Without a framework's copies, the host has exactly the bytes of each tensor that the device has
/// less.
TEST(HostMemory, IsWhatTheDeviceHasLess) {
  std::uint64_t plans = 0, sharded = 0;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan base = test::randomPlan(seed);
    makeHosts(base);
    base.layout.offload.clear(), base.layout.recompute.offloaded.clear();
    base.framework = {}, base.layout.buffers = {};
    Plan away = base;
    away.layout.offload = {stateOf(base.layout)};
    DiagnosticEngine unheard;
    if (runPipeline(base, unheard, withoutAdvice()).failed())
      continue;
    // A balanced split may change with the time of the optimizer step.
    cost::writeSplit(away.layout, base);
    if (runPipeline(away, unheard, withoutAdvice()).failed())
      continue;
    ++plans;
    const Offload of = away.layout.offloadSettings();
    const std::vector<cost::OffloadedBytes> host = cost::offloadedOf(away);
    ASSERT_EQ(host.size(), away.memory.size());
    double all = 0;
    for (std::size_t rank = 0; rank < host.size(); ++rank) {
      const RankMemory &with = away.memory[rank], &without = base.memory[rank];
      const auto same = [&](std::uint64_t there, std::uint64_t here, std::uint64_t before) {
        EXPECT_NEAR(static_cast<double>(there + here), static_cast<double>(before), 16)
            << seed << ", rank " << rank;
      };
      same(host[rank].optimizer, with.optimizer, without.optimizer);
      if (of.gradients)
        same(host[rank].gradients, with.gradients, without.gradients);
      if (of.parameters)
        same(host[rank].parameters, with.parameters, without.parameters);
      all += static_cast<double>(host[rank].all());
      sharded += of.parameters;
    }
    if (all == 0)
      continue; // SGD without momentum and master weights has no state
    // Every pipeline rank has the same number of devices, so that the fullest node has at least the
    // mean.
    const auto node = cost::fullestNode(away);
    ASSERT_TRUE(node);
    const auto mean =
        all / static_cast<double>(host.size()) * static_cast<double>(away.cluster.gpusPerNode);
    EXPECT_GE(static_cast<double>(node->needed), mean * (1 - 1e-12)) << seed;
    const figures::Figures figures(away);
    EXPECT_EQ(figures.value("memory.host").value_or(0), static_cast<double>(node->needed)) << seed;
  }
  EXPECT_GT(plans, test::plansToMake() / 3);
  EXPECT_GT(sharded, 0U);
}

/// Fixes of plans that lack some memory are in order: first those that leave headroom, then those
/// that fit. No node has to hold more than its memory.
TEST(HostMemory, OfProposedChanges_FitsTheNodes) {
  std::uint64_t offered = 0;
  const std::uint64_t plans = std::max<std::uint64_t>(test::plansToMake() / 10, 10);
  for (std::uint64_t seed = 1; seed <= plans; ++seed) {
    Plan plan = test::randomPlan(seed);
    makeHosts(plan);
    plan.cluster.hostMemory = std::uint64_t{1} << (30 + seed % 12);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, withoutAdvice()).failed())
      continue;
    const std::uint64_t peak = tightest(plan.memory)->peak();
    for (NodeType& nodes : plan.cluster.nodeTypes)
      nodes.device.memory = peak / 10 * 9;
    if (runPipeline(plan, unheard, withoutAdvice()).succeeded() || plan.memory.empty())
      continue;
    int last = 0;
    for (const MemoryOutcome& out : memoryFixes(plan, {}).found) {
      ++offered;
      if (out.host) {
        EXPECT_TRUE(out.host->fits()) << seed << ": " << out.text;
      }
      const int rank = !out.fits() ? 2 : out.free() < plan.lint.headroom ? 1 : 0;
      EXPECT_GE(rank, last) << seed << ": " << out.text;
      last = rank;
    }
  }
  EXPECT_GT(offered, 0U);
}
