//===- BucketsTest.cpp - Reductions that join the gradients of several layers -----------------===//
#include "cost/programs/ProgramTime.h"
#include "cost/programs/ProgramWalk.h"
#include "cost/programs/StageProgramWriter.h"
#include "cost/step/StepTimes.h"
#include "ir/Arithmetic.h"
#include "simulate/diagnosis/Rewrites.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr std::uint64_t layers = 96;

/// A backward pass of 96 layers of 5 ms, then what still runs of a ring of 256 ranks, 10 us and
/// 50 GB/s, that reduces 700 MB in buckets of so many layers; ms.
double backward(std::uint64_t each, double latency) {
  const Segment compute{ComputeSegment{ComputeKind::Layer, 5'000'000'000}};
  ChunkSegments units;
  units.layers = {{{}, layers}};
  units.layers.front().segments.backward = {compute};
  const auto ring = [&](std::uint64_t count) {
    return toPicoseconds(2 * 255 * latency +
                         2 * 255.0 / 256 * 700e6 * real(count) / real(layers) / 50e9);
  };
  const auto at = [&](std::uint64_t index, std::uint64_t count) {
    StateCollectives::StateReductions reductions;
    StateCollectives::StateCollective made;
    made.collective = {ChunkCollectiveId(index), ring(count)},
    made.selection = MicroBatchSelection::Last;
    reductions.shares = made;
    return reductions;
  };
  StateCollectives state;
  state.layers = each, state.full = (layers - 1) / each;
  state.reduce = at(0, each), state.last = at(1, layers - state.full * each);
  const auto takes = [](const Segment&) { return true; };
  ProgramClock clock({false, true}, takes);
  StageProgramWriter<ProgramClock> writer(clock, units, state, 0);
  writer.reversed(&ActionSegments::backward, true, true);
  Clocks ends;
  clock.time().advance(ends);
  return 1e-9 * real(std::max(ends.computation, ends.data));
}

/// A small model on so many nodes of eight.
Plan smallPlan(const std::string& fields, const std::string& mesh = "data = rest",
               std::uint64_t nodes = 16) {
  return test::completedPlan(
      "small.dpl",
      fmt::format("import std.models\nimport std.clusters\n"
                  "cluster pod from clusters.dgx_h100 {{ nodes = {} }}\n"
                  "model tiny from models.gpt2_small {{ hidden = 512, heads = 8, layers = 48 }}\n"
                  "layout train for tiny on pod {{\n  mesh {{ {} }}\n  batch = 256seq\n{}}}\n",
                  nodes, mesh, fields));
}
} // namespace

TEST(Buckets, OfSeveralLayers_TakeWhatTheRecurrenceSays) {
  // finish_j = max(ready_j, finish_{j−1}) + T(bucket): the least lies between one layer and all.
  const std::pair<std::uint64_t, double> known[] = {
      {1, 522.490625},   {2, 485.681054688}, {4, 486.262109375}, {8, 487.42421875},
      {16, 489.7484375}, {48, 499.0453125},  {96, 512.990625}};
  for (const auto& [each, milliseconds] : known)
    EXPECT_NEAR(backward(each, 10e-6), milliseconds, 1e-6) << each;
  EXPECT_NEAR(backward(1, 1e-6), 480.80, 0.01) << "with a tenth of the latency one layer is best";
  for (std::uint64_t each = 2; each <= layers; ++each)
    EXPECT_GE(backward(each, 1e-6), backward(1, 1e-6)) << each;
}

TEST(Buckets, TheBestSizeOfAPlan_LiesInside) {
  const Plan plan = smallPlan("");
  const diagnosis::RewriteTable table = diagnosis::rewritesOf(plan);
  ASSERT_GT(table.buckets.size(), 3U);
  double least = table.buckets.front().step;
  for (const diagnosis::BucketStep& bucket : table.buckets)
    least = std::min(least, bucket.step);
  EXPECT_LT(least, table.buckets.front().step) << "joined they wait for fewer latencies";
  EXPECT_LT(least, table.buckets.back().step) << "in one they hide behind nothing";
  const auto row = llvm::find_if(table.rows, [](const diagnosis::Rewritten& r) {
    return llvm::StringRef(r.rewrite->key) == "gradient_buckets";
  });
  ASSERT_NE(row, table.rows.end());
  EXPECT_EQ(row->with, least);
  // `auto` finds the same.
  const Plan found = smallPlan("  gradient_bucket_size = auto\n");
  EXPECT_EQ(fmt::format("gradient_bucket_size = {}MiB", found.layout.gradientBucket >> 20),
            row->field);
  EXPECT_EQ(cost::stepTimes(found).step, least);
}

TEST(Buckets, ThatNothingGainsFrom_AreNone) {
  const Plan alone = smallPlan("  gradient_bucket_size = auto\n", "tensor = rest", 1);
  EXPECT_EQ(alone.layout.gradientBucket, 0U) << "nothing is reduced";
}

TEST(Rewrites, AreOnOrOffAsTheLayoutSays) {
  const Plan plan = test::completedPlan(
      "small.dpl", "import std.models\nimport std.clusters\n"
                   "cluster pod from clusters.dgx_h100 { nodes = 2 }\n"
                   "layout train for models.gpt2_small on pod {\n  mesh { data = 4, tensor = 4 }\n"
                   "  batch = 64seq\n  shard.optimizer = data\n}\n");
  const diagnosis::RewriteTable table = diagnosis::rewritesOf(plan);
  std::map<std::string, const diagnosis::Rewritten*> rows;
  for (const diagnosis::Rewritten& row : table.rows) {
    rows[row.rewrite->key] = &row;
    EXPECT_EQ(row.on ? row.with : row.without, table.step) << row.field;
  }
  EXPECT_TRUE(rows.count("sequence_parallel") && rows.count("distributed_optimizer") &&
              rows.count("parameter_prefetch"));
  EXPECT_FALSE(rows.count("expert_overlap")) << "there are no experts";
  EXPECT_FALSE(rows["sequence_parallel"]->on);
  EXPECT_TRUE(rows["distributed_optimizer"]->on && rows["gradient_overlap"]->on);
  // An all-reduce of gradients becomes a reduce-scatter, and parameters are gathered.
  ASSERT_EQ(rows["distributed_optimizer"]->before.size(), 1U);
  EXPECT_EQ(rows["distributed_optimizer"]->before[0].path,
            "communication[data].gradients.all_reduce");
  ASSERT_EQ(rows["distributed_optimizer"]->after.size(), 2U);
  // Hoisting changes no collective, only when it runs.
  EXPECT_TRUE(rows["gradient_overlap"]->before.empty());
  EXPECT_LE(rows["gradient_overlap"]->with, rows["gradient_overlap"]->without);
}
