//===- BoundTest.cpp - Bounds from wider divisions are never above those of the point ---------===//
#include "planner/Bound.h"
#include "CompiledPlan.h"
#include "planner/PlanBound.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using cost::LayoutCandidate;

namespace {
struct Compared {
  planner::Bound own, cheap, any;
};
/// The bounds of one micro-batch of a sequence on each device, by its own division and by `wider`.
Compared compared(const char* model, const char* ofModel, const char* field,
                  const LayoutCandidate& wider) {
  const ir::Plan plan = test::completedPlan(
      "plan.dpl",
      fmt::format("import std.models\nimport std.clusters\n"
                  "model m from models.{} {{ layers = 4\n{} }}\ncluster c from clusters.dgx_h100\n"
                  "layout l for m on c {{\n  mesh {{ pipeline = 2, data = 4 }}\n"
                  "  batch = 64seq\n  {}\n}}\n",
                  model, ofModel, field));
  const std::vector<planner::OpenChoice> choices = planner::openChoices(plan, {});
  planner::Bounds bounds(plan, choices);
  bounds.choose(0);
  LayoutCandidate candidate;
  candidate.pipeline = 2, candidate.data = 4, candidate.microBatch = 1;
  return {bounds.of(candidate, plan.chunks), bounds.of(candidate, plan.chunks, wider),
          bounds.ofAny(candidate, wider)};
}
void areInOrder(const Compared& of) {
  EXPECT_LE(of.cheap.step, of.own.step * (1 + 1e-9));
  EXPECT_LE(of.cheap.memory, of.own.memory * (1 + 1e-9));
  EXPECT_LE(of.any.step, of.cheap.step * (1 + 1e-9));
  EXPECT_LE(of.any.memory, of.cheap.memory * (1 + 1e-9));
}
} // namespace

TEST(Bound, OfExpertsWithACapacity_IsNotThatOfMoreTokens) {
  // In a larger micro-batch chance fills the experts more evenly, so that a capacity drops a
  // smaller share of the rows: each token of a small micro-batch keeps fewer bytes.
  LayoutCandidate wider;
  wider.microBatch = 8;
  const Compared of =
      compared("mixtral_8x7b", "ffn { capacity_factor = 1.0, popularity = lognormal { cv = 0.5 } }",
               "", wider);
  areInOrder(of);
  EXPECT_EQ(of.cheap.memory, of.own.memory);
}

TEST(Bound, OfOneContextRank_IsNotThatOfSeveral) {
  // 1.5 sequences a device of two context ranks merge two parts of attention; one rank merges none.
  LayoutCandidate wider;
  wider.microBatch = 3, wider.context = 2;
  areInOrder(compared("llama3_8b", "",
                      "communication_options.context_exchange = all_gather { repeat_kv = false }",
                      wider));
}

TEST(Bound, OfADenseModel_ComesFromTheWiderDivision) {
  LayoutCandidate wider;
  wider.microBatch = 8;
  const Compared of = compared("llama3_8b", "", "", wider);
  areInOrder(of);
  EXPECT_LT(of.cheap.step, of.own.step); // a larger product computes faster
}

// A stage of two layers and an end of the model; a layer has 2·4096² + 2·4096·1024 parameters of
// attention, 3·4096·14336 of its feed-forward part and 8192 gains, an end 128256·4096. A parameter
// has 2 bytes in bf16, 4 of its gradient and 12 of the optimizer in fp32.
TEST(Bound, OfMemory_HasTheStatesThatAStageShards) {
  const double layer = 2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336 + 8192,
               parameters = 2 * layer + 128256.0 * 4096;
  const auto boundOf = [](const char* shard) {
    return compared("llama3_8b", "", shard, LayoutCandidate{.microBatch = 1}).own.memory;
  };
  const double whole = boundOf("");
  EXPECT_GT(whole, (2 + 4 + 12) * parameters);
  // Of four data ranks each has a quarter of what is sharded.
  const double norm = 18 * 4096; // of the last stage alone
  EXPECT_NEAR(whole - boundOf("shard { optimizer = data }"), 0.75 * 12 * parameters, norm);
  // The layer that runs has its gradient in bf16 and in fp32. Sharded parameters are gathered too,
  // and with overlap those of the next layer.
  const double running = (2 + 4) * layer, gathered = 2 * layer;
  EXPECT_NEAR(whole - boundOf("shard { optimizer = data, gradients = data }"),
              0.75 * (12 + 4) * parameters - running, norm);
  const char* const sharded = "shard { optimizer = data, gradients = data, parameters = data }\n";
  EXPECT_NEAR(whole - boundOf((std::string(sharded) + "overlap.parameters = false").c_str()),
              0.75 * (12 + 4 + 2) * parameters - running - gathered, norm);
  EXPECT_NEAR(whole - boundOf((std::string(sharded) + "overlap.parameters = true").c_str()),
              0.75 * (12 + 4 + 2) * parameters - running - 2 * gathered, norm);
}

// Without sharding the bound misses only what the ends of the model and communicators take.
TEST(Bound, OfMemory_HasTheActivationsAndTheTemporaryMemoryOfALayer) {
  for (const char* const field :
       {"", "recompute = full", "recompute = selective { modules = [norm] }"}) {
    const ir::Plan plan = test::completedPlan(
        "plan.dpl", fmt::format("import std.models\nimport std.clusters\n"
                                "model m from models.llama3_8b {{ layers = 8, vocab = 1000 }}\n"
                                "cluster c from clusters.dgx_h100\n"
                                "layout l for m on c {{\n  mesh {{ pipeline = 2, data = 4 }}\n"
                                "  batch = 64seq\n  micro_batch = 1seq\n  {}\n}}\n",
                                field));
    double inAllocator = 0;
    for (const ir::RankMemory& rank : plan.memory)
      inAllocator = std::max(inAllocator, static_cast<double>(rank.peak() - rank.reserved));
    const double device = static_cast<double>(plan.cluster.nodeTypes.front().device.reserved);
    const double bound = planner::boundOf(plan).memory - device;
    EXPECT_LE(bound, inAllocator) << field;
    EXPECT_GT(bound, 0.97 * inAllocator) << field;
  }
}

// The last rank of a pipeline of four waits for three forward passes, whatever the order of
// gradients.
TEST(Bound, OfASplitBackwardPass_HasTheWayToTheLastRank) {
  const auto stepOf = [](const char* schedule, int batch) {
    return planner::boundOf(
               test::completedPlan(
                   "plan.dpl",
                   fmt::format("import std.models\nimport std.clusters\n"
                               "model m from models.llama3_8b {{ layers = 8, vocab = 1000 }}\n"
                               "cluster c from clusters.dgx_h100\n"
                               "layout l for m on c {{\n  mesh {{ pipeline = 4, data = 2 }}\n"
                               "  batch = {}seq\n  micro_batch = 1seq\n  schedule = {}\n}}\n",
                               batch, schedule)))
        .step;
  };
  // The way of the last gradient back takes twice as long as that of the first micro-batch.
  const double work = stepOf("zb_h1", 16) - stepOf("zb_h1", 8);
  const double way = stepOf("zb_h1", 8) - work, both = stepOf("1f1b", 8) - work;
  EXPECT_GT(way, 0.25 * both);
  EXPECT_LT(way, 0.45 * both);
}
