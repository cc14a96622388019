//===- RecomputeInAdvanceTest.cpp - Recomputation as an operation of the schedule -------------===//
#include "backends/report/Report.h"
#include "cost/execution/Proof.h"
#include "cost/step/PlanCheck.h"
#include "figures/Figures.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/FollowThePlan.h"
#include "tests/unit/PipelineRun.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using K = ActionKind;

/// Two stages of 10 ms forward, which are recomputed, and 20 ms backward, messages and update of no
/// time.
Plan planOf(const std::string& rest, int batch = 3) {
  return test::completedPlan(
      "advance.dpl",
      "import std.models\nimport std.clusters\n"
      "cluster node from clusters.dgx_h100 { nodes = 1 }\n"
      "model net from models.layer_list {\n"
      "  layer[0..<2] { name = \"layer\", time { forward = 10ms, backward = 20ms }, "
      "saved_activations = 1MB, "
      "message = 0B }\n}\n"
      "layout plan for net on node {\n"
      "  devices = 2\n  mesh { pipeline = 2 }\n  micro_batch = 1sample\n  optimizer_time = 0s\n"
      "  batch = " +
          std::to_string(batch) + "sample\n" + rest + "\n}\n");
}
const std::string ahead = "  recompute = full { in_advance = true }";

/// A dense transformer whose activations are in bytes.
Plan transformer(const std::string& recompute) {
  return test::completedPlan("dense.dpl",
                             "import std.models\nimport std.clusters\n"
                             "cluster nodes from clusters.dgx_h100 { nodes = 2 }\n"
                             "layout plan for models.llama3_8b on nodes {\n"
                             "  mesh { pipeline = 4, data = 2, tensor = 2 }\n  batch = 32seq\n"
                             "  shard.sequence = tensor\n  recompute = " +
                                 recompute + "\n}\n");
}

std::vector<std::string> passes(const Plan& plan, std::uint64_t rank) {
  constexpr std::uint64_t ms = 1'000'000'000;
  std::vector<std::string> out;
  const RankSchedule& schedule = plan.schedule[rank];
  for (std::size_t i = 0; i < schedule.actions.size(); ++i)
    if (const ScheduledAction& op = schedule.actions[i]; isChunkAction(op.kind))
      out.push_back(fmt::format("{}{} {}", "FBIWR"[static_cast<std::size_t>(op.kind)],
                                op.microBatch, schedule.start[i] / ms));
  return out;
}
using Passes = std::vector<std::string>;
} // namespace

// Rank 1 is done with B0 after 10 + 10 + 10 + 20 = 50 ms and has no wait after it, so it ends at
// 10 + 3 x 40 = 130. Rank 0 recomputes while it waits and ends one B behind it: 150. Inside the
// backward passes it would be one R + B behind: 160.
TEST(RecomputeInAdvance, OneForwardOneBackward_OfTwoStagesByHand) {
  const Plan plan = planOf(ahead), inside = planOf("  recompute = full");
  EXPECT_EQ(passes(plan, 0), (Passes{"F0 0", "F1 10", "R0 20", "B0 50", "F2 70", "R1 80", "B1 90",
                                     "R2 110", "B2 130"}));
  EXPECT_EQ(passes(plan, 1), (Passes{"F0 10", "R0 20", "B0 30", "F1 50", "R1 60", "B1 70", "F2 90",
                                     "R2 100", "B2 110"}));
  EXPECT_EQ(passes(inside, 0), (Passes{"F0 0", "F1 10", "B0 50", "F2 80", "B1 90", "B2 130"}));
  figures::Figures now(plan), before(inside);
  EXPECT_NEAR(*now.value("time.makespan"), 0.15, 1e-4); // messages have latency
  EXPECT_NEAR(*before.value("time.makespan"), 0.16, 1e-4);
  // The work is the same.
  EXPECT_NEAR(*now.value("time.recompute"), 0.03, 1e-9);
  EXPECT_EQ(*now.value("time.recompute"), *before.value("time.recompute"));
  EXPECT_EQ(*now.value("time.compute"), *before.value("time.compute"));
  // The closed form is of backward passes that recompute.
  EXPECT_FALSE(now.value("bubble_fraction.equal_stages"));
  EXPECT_TRUE(before.value("bubble_fraction.equal_stages"));
}

// All forwards, 40 ms to the last of rank 1; there R0 B0 R1 B1 R2 B2, each 30. Rank 0 gets B0's at
// 70, B1's at 100, B2's at 130.
TEST(RecomputeInAdvance, GPipe_OfTwoStagesByHand) {
  const Plan plan = planOf(ahead + "\n  schedule = gpipe");
  EXPECT_EQ(passes(plan, 0), (Passes{"F0 0", "F1 10", "F2 20", "R0 30", "B0 70", "R1 90", "B1 100",
                                     "R2 120", "B2 130"}));
  EXPECT_EQ(passes(plan, 1), (Passes{"F0 10", "F1 20", "F2 30", "R0 40", "B0 50", "R1 70", "B1 80",
                                     "R2 100", "B2 110"}));
}

// Rank 0 recomputes both at once while it waits for the first gradient, which comes at 50; its
// second at 90.
TEST(RecomputeInAdvance, Lists_MayHaveItEarlier) {
  const Plan plan = planOf(
      ahead + "\n  schedule = custom { actions = [\"F0 F1 R0 R1 B0 B1\", \"F0 R0 B0 F1 R1 B1\"] }",
      2);
  EXPECT_EQ(passes(plan, 0), (Passes{"F0 0", "F1 10", "R0 20", "R1 30", "B0 50", "B1 90"}));
  // What came back of both is held at once.
  const Plan directly =
      planOf(ahead + "\n  schedule = custom { actions = [\"F0 F1 B0 B1\", \"F0 B0 F1 B1\"] }", 2);
  EXPECT_EQ(passes(directly, 0), (Passes{"F0 0", "F1 10", "R0 20", "B0 50", "R1 70", "B1 90"}));
  EXPECT_EQ(plan.memory[0].peak(), directly.memory[0].peak() + 1'000'000);
}

// 10 bytes from forward to backward, 25 from recomputation to backward, 5 while a pass runs.
TEST(RecomputeInAdvance, Memory_CountsFromTheRecomputationOn) {
  ChunkBytes bytes = test::eachHolds(1, 10);
  bytes.temporary = {5}, bytes.restored = {25};
  const auto curve = [&](std::initializer_list<ScheduledAction> schedule) {
    std::vector<std::uint64_t> during;
    visitLive(schedule, bytes, [&](const LiveBytes& now) { during.push_back(now.during); });
    EXPECT_EQ(during.size(), schedule.size());
    EXPECT_EQ(LivePeaks(schedule, 1, {.restored = true}).of(bytes).bytes,
              *std::max_element(during.begin(), during.end()));
    return during;
  };
  using Bytes = std::vector<std::uint64_t>;
  EXPECT_EQ(curve({{K::Forward, 0, 0},
                   {K::Forward, 0, 1},
                   {K::Recomputation, 0, 0},
                   {K::Backward, 0, 0},
                   {K::Recomputation, 0, 1},
                   {K::Backward, 0, 1}}),
            (Bytes{15, 25, 50, 50, 40, 40}));
  // Both early; weight gradients free what was brought back.
  EXPECT_EQ(curve({{K::Forward, 0, 0},
                   {K::Forward, 0, 1},
                   {K::Recomputation, 0, 0},
                   {K::Recomputation, 0, 1},
                   {K::BackwardInput, 0, 0},
                   {K::BackwardWeight, 0, 0},
                   {K::Backward, 0, 1}}),
            (Bytes{15, 25, 50, 75, 75, 75, 40}));
}

TEST(RecomputeInAdvance, WhatIsKeptAndWhatComesBack_AreWhatIsKeptWithoutIt) {
  const Plan none = transformer("none");
  for (const char* recompute :
       {"full { in_advance = true }", "full { method = block, layers = 3, in_advance = true }",
        "full { layers = 4, in_advance = true }", "selective { in_advance = true }",
        "selective { modules = [mlp, norm], in_advance = true }",
        "selective { modules = [every_other_matmul], in_advance = true }"}) {
    const Plan plan = transformer(recompute);
    for (std::size_t i = 0; i < plan.costs.size(); ++i) {
      EXPECT_GT(plan.costs[i].restoredBytes, 0U) << recompute;
      EXPECT_NEAR(static_cast<double>(plan.costs[i].activationBytes + plan.costs[i].restoredBytes),
                  static_cast<double>(none.costs[i].activationBytes), 2)
          << recompute << ' ' << i;
    }
  }
  EXPECT_EQ(none.costs[0].restoredBytes, 0U);
  EXPECT_EQ(transformer("full").costs[0].restoredBytes, 0U);
}

// Moved out of the backward pass, not made or lost: segments and calls of collectives.
TEST(RecomputeInAdvance, Bodies_HaveTheSameWork) {
  for (const char* method : {"uniform", "block"}) {
    const std::string full = fmt::format("full {{ method = {}, layers = 2", method);
    const Plan plan = transformer(full + ", in_advance = true }"),
               inside = transformer(full + " }");
    const auto work = [](const Plan& of, std::size_t chunk) {
      std::uint64_t time = 0;
      for (const StageProgramId body : of.chunkPrograms[chunk].stagePrograms)
        for (const SegmentLoop& block : of.stagePrograms[body].loops)
          for (const Segment& s : block.segments)
            time += s.asCompute() ? block.count * s.time() : 0;
      return time;
    };
    ASSERT_EQ(plan.collectives.size(), inside.collectives.size());
    for (std::size_t i = 0; i < plan.collectives.size(); ++i)
      EXPECT_EQ(plan.collectives[i].count, inside.collectives[i].count) << i;
    for (std::size_t i = 0; i < plan.chunkPrograms.size(); ++i)
      EXPECT_EQ(work(plan, i), work(inside, i)) << i;
    const auto body = stageProgramOf(plan, plan.chunkPrograms[0], K::Recomputation);
    ASSERT_TRUE(body);
    for (const SegmentLoop& block : plan.stagePrograms[*body].loops)
      for (const Segment& s : block.segments)
        EXPECT_TRUE(!s.asCompute() || s.computes(ComputeKind::Recomputation));
  }
}

TEST(RecomputeInAdvance, SimulationAndTrace_FollowThePlan) {
  for (const std::string& rest : {ahead, ahead + "\n  schedule = gpipe"})
    test::simulationAndTraceFollow(planOf(rest));
}

TEST(RecomputeInAdvance, OtherOrders_AreRefused) {
  const Plan sound = planOf(ahead);
  ASSERT_TRUE(whatIsUnsound(sound).empty());
  const auto edited = [&](auto edit) {
    Plan plan = sound;
    edit(plan.schedule[0].actions);
    return whatIsUnsound(plan);
  };
  using List = std::vector<ScheduledAction>;
  // F0 F1 R0 B0 F2 R1 B1 R2 B2
  for (const auto& broken :
       {edited([](List& list) { std::swap(list[0], list[2]); }), // before its forward
        edited([](List& list) { std::swap(list[2], list[3]); }), // behind its backward
        edited([](List& list) { list[5] = list[2]; }),           // twice, and once not
        edited([](List& list) { list[2].microBatch = 1; })})
    EXPECT_FALSE(broken.empty());
  Plan nothing = sound;
  nothing.layout.recompute.kind = RecomputeKind::None;
  EXPECT_EQ(whatIsUnsound(nothing).size(), 1U);
  // A message is sent in the wait of no other: the exchanges go on around it.
  EXPECT_EQ(whatBreaks(sound), "");
  EXPECT_TRUE(edited([](List&) {}).empty());
}

TEST(RecomputeInAdvance, TakesPredictionLayersToo) {
  const Plan plan = test::completedPlan(
      "predicts.dpl", "import std.models\nimport std.clusters\n"
                      "model net from models.llama3_8b { mtp_layers = 1 }\n"
                      "cluster nodes from clusters.dgx_h100 { nodes = 2 }\n"
                      "layout plan for net on nodes {\n"
                      "  mesh { pipeline = 4, data = 2, tensor = 2 }\n  batch = 32seq\n"
                      "  recompute = full { in_advance = true }\n}\n");
  const ChunkPrograms& last = plan.chunkPrograms.back();
  const StageProgram& program = plan.stagePrograms[*stageProgramOf(plan, last, K::Recomputation)];
  std::uint64_t computes = 0;
  for (const SegmentLoop& block : program.loops)
    for (const Segment& s : block.segments)
      computes += s.asCompute() ? block.count * s.time() : 0;
  EXPECT_NEAR(static_cast<double>(computes), static_cast<double>(plan.costs.back().recompute), 10);
  EXPECT_GT(plan.costs.back().recompute, plan.costs.front().recompute);
}
