//===- RestoredMemoryTest.cpp - What recomputation brings back of a backward pass in two ------===//
#include "cost/memory/RankMemory.h"
#include "cost/memory/SegmentReplay.h"
#include "cost/step/PlanCheck.h"
#include "figures/Figures.h"
#include "tests/EachHolds.h"
#include "tests/unit/CompiledPlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using K = ActionKind;
using Bytes = std::vector<std::uint64_t>;

/// Bytes that a rank holds while each of its passes runs.
Bytes during(std::initializer_list<ScheduledAction> schedule, const ChunkBytes& bytes) {
  Bytes out;
  visitLive(schedule, bytes, [&](const LiveBytes& now) { out.push_back(now.during); });
  EXPECT_EQ(out.size(), schedule.size());
  const LiveExtras overlap{false, true, !bytes.splitTemporary.empty()};
  EXPECT_EQ(LivePeaks(schedule, 1, overlap).of(bytes).bytes,
            *std::max_element(out.begin(), out.end()));
  return out;
}

/// `ranks` ranks of `layers` layers that keep 500 MB each, and nothing else.
Plan listed(unsigned ranks, unsigned layers, unsigned microBatches, const std::string& rest) {
  return test::completedPlan(
      "restored.dpl",
      fmt::format(
          "import std.models\nimport std.clusters\n"
          "cluster node from clusters.dgx_h100 {{ nodes = 1 }}\n"
          "model net from models.layer_list {{\n  layer[0..<{0}] {{ name = \"layer\", time {{ "
          "forward = 10ms, backward = 20ms }}, saved_activations = 500MB, message = 0B }}\n}}\n"
          "layout plan for net on node {{\n  devices = {1}\n  mesh {{ pipeline = {1} }}\n"
          "  micro_batch = 1sample\n  optimizer_time = 0s\n  batch = {2}sample\n{3}\n}}\n",
          ranks * layers, ranks, microBatches, rest));
}
constexpr std::uint64_t layer = 500'000'000;

Plan transformer(const std::string& rest) {
  return test::completedPlan("dense.dpl",
                             "import std.models\nimport std.clusters\n"
                             "cluster nodes from clusters.dgx_h100 { nodes = 2 }\n"
                             "layout plan for models.llama3_8b on nodes {\n"
                             "  mesh { pipeline = 4, data = 2, tensor = 2 }\n  batch = 32seq\n"
                             "  shard.sequence = tensor\n" +
                                 rest + "\n}\n");
}
} // namespace

// 10 bytes from F to the last backward pass, 25 from I to W, 3 while F, I or W runs, 5 while B
// does, which brings back and drops layer by layer.
TEST(RestoredMemory, FromTheFirstHalfToTheSecond) {
  ChunkBytes bytes = test::eachHolds(1, 10);
  bytes.temporary = {5}, bytes.splitTemporary = {3}, bytes.restored = {25};
  EXPECT_EQ(during({{K::Forward, 0, 0},
                    {K::Forward, 0, 1},
                    {K::BackwardInput, 0, 0},
                    {K::BackwardWeight, 0, 0},
                    {K::Backward, 0, 1}},
                   bytes),
            (Bytes{13, 23, 48, 48, 15}));
  // Weights' gradients behind both.
  EXPECT_EQ(during({{K::Forward, 0, 0},
                    {K::Forward, 0, 1},
                    {K::BackwardInput, 0, 0},
                    {K::BackwardInput, 0, 1},
                    {K::BackwardWeight, 0, 0},
                    {K::BackwardWeight, 0, 1}},
                   bytes),
            (Bytes{13, 23, 48, 73, 73, 38}));
  // A whole pass among them holds nothing behind itself.
  EXPECT_EQ(during({{K::Forward, 0, 0},
                    {K::Forward, 0, 1},
                    {K::Backward, 0, 0},
                    {K::BackwardInput, 0, 1},
                    {K::BackwardWeight, 0, 1}},
                   bytes),
            (Bytes{13, 23, 25, 38, 38}));
  // Nor does a forward or a whole pass between two halves bring back what the other needs.
  EXPECT_EQ(during({{K::Forward, 0, 0},
                    {K::BackwardInput, 0, 0},
                    {K::Forward, 0, 1},
                    {K::Backward, 0, 1},
                    {K::BackwardWeight, 0, 0}},
                   bytes),
            (Bytes{13, 38, 48, 50, 38}));
}

// One layer a rank, inputs of no size. Of `zb_h1` on two ranks, 3 micro-batches, the first rank
// runs F0 F1 I0 W0 F2 …, the last F0 F1 I0 I1 W0 …: it has two micro-batches between I and W, and
// works with the gradient of a layer besides.
TEST(RestoredMemory, ZeroBubble_OfTwoStagesByHand) {
  const Plan plan = listed(2, 1, 3, "  schedule = zb_h1\n  recompute = full");
  EXPECT_EQ(plan.costs[0].restoredBytes, layer);
  EXPECT_EQ(plan.costs[0].temporaryBytes, layer);
  EXPECT_EQ(restoredAtPeak(plan, 0), layer);
  EXPECT_EQ(restoredAtPeak(plan, 1), 2 * layer);
  EXPECT_EQ(plan.memory[1].activations, 0U);
  EXPECT_EQ(plan.memory[1].temporary, 3 * layer);
  figures::Figures figures(plan);
  EXPECT_EQ(*figures.value("memory.rank[1].recomputed_activations"), 2.0 * layer);
}

// 4 layers of a rank come back together. A row that may have whole backwards, as lists may, holds
// what its passes hold.
TEST(RestoredMemory, AForwardBetweenTwoHalves_BringsNothingBack) {
  const auto transient = [](const std::string& first, const std::string& last) {
    const Plan plan = listed(2, 4, 2,
                             fmt::format("  schedule = custom {{ actions = [\"{}\", \"{}\"] }}\n"
                                         "  recompute = full {{ layers = 4 }}",
                                         first, last));
    EXPECT_TRUE(whatIsUnsound(plan).empty());
    return std::vector<std::uint64_t>{plan.memory[0].temporary, plan.memory[1].temporary};
  };
  EXPECT_EQ(transient("F0 F1 I0 W0 I1 W1", "F0 I0 F1 W0 I1 W1"),
            (std::vector<std::uint64_t>{5 * layer, 5 * layer}));
  // The whole one works with 4 layers of its own besides.
  EXPECT_EQ(transient("F0 F1 I0 W0 B1", "F0 I0 F1 B1 W0"),
            (std::vector<std::uint64_t>{5 * layer, 9 * layer}));
}

TEST(RestoredMemory, ListsOfASplitRow_HoldWhatTheRowHolds) {
  const std::string recompute = "\n  recompute = full { layers = 4 }";
  const Plan row = listed(2, 8, 4, "  schedule = v_min" + recompute);
  const Plan lists = listed(
      2, 8, 4,
      "  schedule = custom {\n    chunks = 2\n    placement = v_shaped\n    actions = [\n"
      "      \"0F0 0F1 3F0 3I0 3W0 0I0 0W0 3F1 3I1 3W1 0F2 0I1 0W1 3F2 3I2 3W2 0F3 0I2 0W2 3F3 3I3 "
      "3W3 0I3 0W3\",\n      \"1F0 2F0 2I0 1I0 1F1 2F1 2W0 1W0 2I1 1I1 1F2 2F2 2W1 1W1 2I2 1I2 1F3 "
      "2F3 2W2 1W2 2I3 1I3 2W3 1W3\"\n    ]\n  }" +
          recompute);
  for (std::size_t rank = 0; rank < 2; ++rank)
    EXPECT_EQ(lists.memory[rank].peak(), row.memory[rank].peak());
}

// 8 micro-batches of 4 layers are back on the last rank; without recomputation they are live on
// the first.
TEST(RestoredMemory, ZeroBubble_NeedsWhatItNeedsWithoutRecomputation) {
  const std::string row = "  schedule = zb_h1\n";
  const auto peakOf = [&](const std::string& recompute) {
    const Plan plan = listed(8, 4, 32, row + recompute);
    std::uint64_t most = 0;
    for (const RankMemory& m : plan.memory)
      most = std::max(most, m.activations + m.temporary);
    return most;
  };
  EXPECT_EQ(peakOf("  recompute = full"), 33 * layer);
  EXPECT_EQ(peakOf("  recompute = full { in_advance = true }"), 33 * layer);
  EXPECT_EQ(peakOf(""), 33 * layer);
}

TEST(RestoredMemory, WhatIsKeptAndWhatComesBack_AreWhatIsKeptWithoutRecomputation) {
  for (const char* row : {"schedule = zb_h1", "schedule = zb_v", "schedule = dualpipe_v",
                          "schedule = interleaved_zb { chunks = 2 }"}) {
    const Plan none = transformer(row);
    for (const char* recompute :
         {"full", "full { layers = 4 }", "full { method = block, layers = 3 }", "selective",
          "selective { modules = [mlp, norm] }"}) {
      const Plan plan = transformer(fmt::format("  {}\n  recompute = {}", row, recompute));
      const bool mixed = plan.layout.schedule == ScheduleKind::DualPipeV;
      for (std::size_t i = 0; i < plan.costs.size(); ++i) {
        const ChunkCost& cost = plan.costs[i];
        EXPECT_GT(cost.restoredBytes, 0U) << row << ' ' << recompute;
        EXPECT_NEAR(static_cast<double>(cost.activationBytes + cost.restoredBytes),
                    static_cast<double>(none.costs[i].activationBytes), 2)
            << row << ' ' << recompute << ' ' << i;
        // What a half works with is what it works with where all was kept: nothing counts twice.
        EXPECT_EQ(cost.splitTemporaryBytes, none.costs[i].temporaryBytes)
            << row << ' ' << recompute;
        EXPECT_TRUE(mixed ? cost.temporaryBytes >= cost.splitTemporaryBytes
                          : cost.temporaryBytes == cost.splitTemporaryBytes)
            << row << ' ' << recompute;
      }
      EXPECT_TRUE(whatIsUnsound(plan).empty()) << row << ' ' << recompute;
    }
    EXPECT_EQ(none.costs[0].restoredBytes, 0U);
  }
  EXPECT_EQ(transformer("recompute = full").costs[0].restoredBytes, 0U);
}

// The allocator of the last rank has the graphs of all micro-batches between I and W.
TEST(RestoredMemory, Allocator_HoldsIt) {
  const auto usedBy = [](const std::string& rest) {
    const Plan plan = transformer(rest);
    const std::optional<SegmentBytes> segments = segmentsOf(plan, plan.memory[3]);
    EXPECT_TRUE(segments);
    const RankMemory& m = plan.memory[3];
    return segments ? static_cast<double>(segments->allocated + m.reserved - m.persistent()) : 0;
  };
  const double none = usedBy("  schedule = zb_h1"),
               full = usedBy("  schedule = zb_h1\n  recompute = full"),
               whole = usedBy("  schedule = 1f1b\n  recompute = full");
  EXPECT_NEAR(full / none, 1, 0.1);
  EXPECT_LT(whole, 0.8 * none);
}
