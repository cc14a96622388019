//===- SpaceTest.cpp - Searches, studies and runs as data of the plan -------------------------===//
#include "SamplePlan.h"
#include "driver/workspace/Workspace.h"
#include "ir/Verify.h"
#include <gmock/gmock.h>
#include <set>

using namespace dpl;
using testing::ElementsAre;

namespace {
ir::OpenField listed(const char* path, std::vector<std::string> values) {
  ir::OpenField field;
  field.path = path, field.values = std::move(values);
  return field;
}
ir::Space sampleSpace() {
  ir::Space space;
  space.name = "best";
  space.open = {listed("mesh.tensor", {"2", "4", "8"}),
                {"micro_batch", false, {}, true, 1, 4, "seq"}};
  space.objectives = {{true, "mfu", {}}};
  space.constraints = {{"mfu > 0.1", "slow", {}, {}, "", {}}};
  space.keep = 5;
  return space;
}

/// A run of 2 phases, a study of it and a search, each with every field given.
constexpr const char* file = R"(
import std.models
import std.clusters

param shift: Real = 0.5

model llm from models.gpt2_small
cluster node from clusters.dgx_h100 { nodes = 1 }

layout plain for llm on node {
  mesh { data = 8 }
  batch = 64seq
}

layout other from plain { micro_batch = 2seq }

search layout best for llm on node {
  micro_batch in 1seq..4seq
  mesh { data = rest, tensor in [1, 2, 4] }
  batch = 64seq
  recompute in [none, full { layers = 2 }]
  precision { reduce in [fp32, bf16] }
  let twice = mesh.tensor * 2
  require memory.peak <= 70GB, "room"
  assert twice <= 4
  minimize [step_time, cost.per_token * twice]
  keep = 3
}

run train for plain {
  phase[0] { tokens = 10Gtok, batch = 32seq }
  phase[1] { layout = plain, tokens = 20Gtok }
  optimizer = adamw { beta1 = 0.8, beta2 = 0.9, weight_decay = 0.2, lr = cosine { peak = 1e-4, end = 1e-5, warmup = 10step } }
  checkpoint { interval = 500step, keep = 3, mode = async }
  budget = 1000usd
}

study scale for train {
  vary { node.nodes in [1, 2], plain.batch = 64seq }
  scaling = fixed_per_worker_batch
  seeds = [1, 2]
  outputs = [mfu.mean]
  plot { x = node.nodes, y = mfu, series = plain.batch }
  assert mfu >= shift
}
)";

/// The printed front-end part of the plans of layouts and search.
std::string printed(std::string source) {
  Workspace workspace;
  DiagnosticEngine diags;
  workspace.overlay("plan.dpl", std::move(source));
  const auto unit = workspace.compile("plan.dpl", diags);
  if (diags.errors() > 0 || unit->file.failed()) {
    ADD_FAILURE() << renderText(diags, workspace.sources(), false);
    return "";
  }
  EXPECT_EQ(unit->file->searched.size(), 1U);
  std::string text;
  for (const std::vector<ir::Plan>* plans : {&unit->file->plans, &unit->file->searched})
    for (const ir::Plan& plan : *plans)
      text += ir::print(plan);
  return text;
}

ir::Space spaceOf(const std::vector<ir::Plan>& plans) {
  return plans.at(0).spaces.empty() ? ir::Space() : plans.at(0).spaces.front();
}

struct Change {
  const char *from, *to;
};
} // namespace

TEST(Space, Candidates_AreTheProductOfTheOpenFields) {
  ir::Space space = sampleSpace();
  EXPECT_EQ(space.candidates(), 12U); // 3 × 4
  EXPECT_EQ(space.open[0].at(2), "8");
  EXPECT_EQ(space.open[1].at(0), "1seq");
  EXPECT_EQ(space.open[1].at(3), "4seq");
  space.open.push_back({"a", false, {}, true, 0, UINT64_MAX - 1, ""});
  space.open.push_back(listed("b", {"1", "2"}));
  EXPECT_EQ(space.candidates(), UINT64_MAX);
}

TEST(Space, OfAPlan_ReadsBackAndIsNoPartOfTheHash) {
  ir::Plan plan = test::samplePlan();
  const std::string hash = ir::contentHash(plan);
  plan.spaces = {sampleSpace()};
  DiagnosticEngine diags;
  const FailureOr<ir::Plan> back = ir::read(ir::print(plan), "plan.ir", diags);
  ASSERT_FALSE(back.failed()) << diags.diagnostics().front().message;
  EXPECT_TRUE(ir::equal(*back, plan));
  EXPECT_EQ(back->search()->open.at(1).unit, "seq");
  EXPECT_EQ(ir::contentHash(plan), hash);
  EXPECT_THAT(ir::verify(plan), testing::IsEmpty());
}

TEST(Space, ThatSaysNothing_BreaksRulesOfTheVerifier) {
  ir::Plan plan = test::samplePlan();
  plan.spaces = {sampleSpace(), sampleSpace()};
  plan.spaces[0].open[0].values.clear();
  plan.spaces[1].kind = ir::SpaceKind::Study, plan.spaces[1].run = "train";
  EXPECT_THAT(ir::verify(plan),
              ElementsAre("a field of `best` has no path or no candidate",
                          "study `best` is of run `train`, which the plan does not have"));
}

TEST(Space, OfASearch_HasWhatTheFileWritesInItsOrder) {
  Workspace workspace;
  DiagnosticEngine diags;
  workspace.overlay("plan.dpl", file);
  const auto unit = workspace.compile("plan.dpl", diags);
  ASSERT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
  const ir::Space space = spaceOf(unit->file->searched);
  std::vector<std::string> paths;
  for (const ir::OpenField& field : space.open)
    paths.push_back(field.path);
  EXPECT_THAT(paths, ElementsAre("micro_batch", "mesh.tensor", "recompute", "precision.reduce"));
  EXPECT_THAT(space.open.at(2).values,
              ElementsAre("none", "full { method = uniform, layers = 2, in_advance = false }"));
  EXPECT_EQ(space.candidates(), 48U); // 4 × 3 × 2 × 2
  EXPECT_EQ(space.keep, 3U);
  ASSERT_EQ(space.constraints.size(), 2U);
  EXPECT_EQ(space.constraints[0].reason, "room");
  // `twice` is no constant: it is what its `let` says of the candidate.
  ASSERT_EQ(space.constraints[1].nodes.size(), 5U);
  EXPECT_EQ(space.constraints[1].nodes[0].path, "layout.mesh.tensor");
  ASSERT_EQ(space.objectives.size(), 2U);
  EXPECT_FALSE(space.objectives[0].maximize);
  EXPECT_EQ(space.objectives[0].nodes.at(0).path, "step_time");
  EXPECT_EQ(space.objectives[1].source, "cost.per_token * twice");
  // The plan is that of the first candidate.
  const ir::Plan& plan = unit->file->searched.front();
  EXPECT_EQ(plan.layout.microBatch, 1U);
  EXPECT_EQ(plan.layout.recompute.kind, ir::RecomputeKind::None);
  EXPECT_THAT(ir::verify(plan), testing::IsEmpty());
}

TEST(Space, OfAStudy_IsInThePlanOfEachLayoutOfItsRun) {
  Workspace workspace;
  DiagnosticEngine diags;
  workspace.overlay("plan.dpl", file);
  const auto unit = workspace.compile("plan.dpl", diags);
  ASSERT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
  const ir::Space space = spaceOf(unit->file->plans);
  EXPECT_EQ(space.name, "scale");
  EXPECT_EQ(space.run, "train");
  ASSERT_EQ(space.open.size(), 2U);
  EXPECT_EQ(space.open[0].path, "node.nodes");
  EXPECT_THAT(space.open[1].values, ElementsAre("64seq"));
  EXPECT_THAT(space.seeds, ElementsAre(1U, 2U));
  EXPECT_EQ(space.plot.series, "plain.batch");
  ASSERT_EQ(unit->file->plans.front().runs.size(), 1U);
  EXPECT_EQ(unit->file->plans.front().runs[0].budget, 1000);
}

TEST(Space, EachFieldOfSearchStudyAndRun_ChangesThePrintedPlan) {
  const std::string before = printed(file);
  const Change changes[] = {
      {"1seq..4seq", "1seq..2seq"},
      {"tensor in [1, 2, 4]", "tensor in [1, 2]"},
      {"keep = 3\n}", "keep = 4\n}"},
      {"minimize", "maximize"},
      {"[step_time,", "[mfu,"},
      {"<= 70GB", "<= 71GB"},
      {"twice <= 4", "twice <= 2"},
      {"mesh.tensor * 2", "mesh.tensor * 3"},
      {"10Gtok", "11Gtok"},
      {"batch = 32seq", "batch = 16seq"},
      {"phase[1] { layout = plain,", "phase[2] { tokens = 1Gtok }\n  phase[1] {"},
      {"layout = plain,", "layout = other,"},
      {"beta1 = 0.8", "beta1 = 0.7"},
      {"beta2 = 0.9", "beta2 = 0.8"},
      {"weight_decay = 0.2", "weight_decay = 0.3"},
      {"peak = 1e-4", "peak = 2e-4"},
      {"end = 1e-5", "end = 2e-5"},
      {"10step", "20step"},
      {"500step", "600step"},
      {"keep = 3, mode", "keep = 2, mode"},
      {"mode = async", "mode = blocking"},
      {"1000usd", "2000usd"},
      {"nodes in [1, 2]", "nodes in [1, 2, 4]"},
      {"plain.batch = 64seq", "plain.batch = 32seq"},
      {"fixed_per_worker_batch", "fixed_global_batch"},
      {"seeds = [1, 2]", "seeds = [1]"},
      {"seeds = [1, 2]", "seeds = [1, 2], steps = 7"},
      {"seeds = [1, 2]", "seeds = [1, 2], target_half_width = 1pct"},
      {"seeds = [1, 2]", "seeds = [1, 2], level = collective"},
      {"seeds = [1, 2]", "seeds = [1, 2], sampling = random { points = 1 }"},
      {"scale for train", "scale for plain"},
      {"outputs = [mfu.mean]", "outputs = [mfu.mean, step_time]"},
      {"x = node.nodes, y = mfu, series = plain.batch", "x = plain.batch, y = mfu"},
      {"y = mfu", "y = step_time"},
      {", series = plain.batch", ""},
      {"mfu >= shift", "mfu > shift"},
  };
  for (const Change& change : changes) {
    std::string text = file;
    const std::size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    text.replace(at, std::string(change.from).size(), change.to);
    EXPECT_NE(printed(text), before) << change.from;
  }
}
