//===- PipelineTest.cpp - All passes on one plan, verified after each -------------------------===//
#include "SamplePlan.h"
#include "figures/Figures.h"
#include "ir/Names.h"
#include "planner/CompletePlan.h"
#include "support/Diagnostics.h"
#include <gtest/gtest.h>

using namespace dpl;
using ir::Axis;

namespace {

ir::Plan small() {
  ir::Plan plan = test::samplePlan();
  plan.model.hidden = 1024, plan.model.context = 2048;
  ir::LayerType& layer = plan.model.layerTypes[0];
  layer.attention.heads = layer.attention.kvHeads = 16, layer.attention.headDim = 64;
  layer.feedForward.width = 4096;
  plan.model.runs = {{0, 16}};
  return plan;
}

/// Runs everything; returns the errors.
std::string errorsOf(ir::Plan& plan) {
  DiagnosticEngine diags;
  PipelineOptions options;
  options.verify = true;
  const bool failed = planner::completePlan(plan, diags, options).failed();
  std::string errors;
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      errors += std::string(d.info.code) + " " + d.message + "\n";
  EXPECT_EQ(failed, !errors.empty());
  return errors;
}

void expectReadsBack(const ir::Plan& plan) {
  DiagnosticEngine diags;
  const FailureOr<ir::Plan> back = ir::read(ir::print(plan), "plan.ir", diags);
  ASSERT_FALSE(back.failed()) << diags.diagnostics().front().message;
  EXPECT_EQ(ir::print(*back), ir::print(plan));
}

/// A pass alone, on a plan that was read, needs what those before it leave; the one that begins the
/// mesh anew needs that nothing stands on it.
TEST(Pipeline, APassAlone_IsRefusedWithoutThoseBeforeIt) {
  ir::Plan whole = small();
  ASSERT_EQ(errorsOf(whole), "");
  for (const PassInfo& pass : allPasses()) {
    ir::Plan bare = small();
    DiagnosticEngine diags;
    const bool first = llvm::StringRef(pass.name) == "take-devices" ||
                       llvm::StringRef(pass.name) == "resolve-mesh";
    EXPECT_EQ(runPass(bare, diags, pass).failed(), !first) << pass.name;
    ir::Plan again = whole;
    const bool begins = llvm::StringRef(pass.name) == "resolve-mesh";
    const unsigned errors = diags.errors();
    EXPECT_EQ(runPass(again, diags, pass).failed(), begins) << pass.name << diags.firstError();
    EXPECT_EQ(diags.errors() - errors, begins ? 1U : 0U) << pass.name;
  }
}

} // namespace

TEST(Pipeline, OfALegalPlan_KeepsEveryRuleAfterEachPass) {
  ir::Plan plan = small();
  EXPECT_EQ(errorsOf(plan), "");
  EXPECT_GT(figures::Figures(plan).value("step_time").value_or(0), 0);
  expectReadsBack(plan);
}

TEST(Pipeline, OfEachSchedule_KeepsEveryRule) {
  for (const ir::ScheduleKind kind :
       {ir::ScheduleKind::GPipe, ir::ScheduleKind::OneForwardOneBackward,
        ir::ScheduleKind::Interleaved}) {
    ir::Plan plan = small();
    plan.layout.schedule = kind;
    plan.layout.chunks = kind == ir::ScheduleKind::Interleaved ? 2 : 1;
    EXPECT_EQ(errorsOf(plan), "") << ir::name(kind);
    expectReadsBack(plan);
  }
}

TEST(Pipeline, WithExperts_KeepsEveryRule) {
  ir::Plan plan = small();
  ir::FeedForward& ffn = plan.model.layerTypes[0].feedForward;
  ffn.kind = ir::FeedForwardKind::Experts, ffn.experts = 8, ffn.active = 2, ffn.width = 1024;
  plan.layout.split = ir::SplitKind::Balanced;
  EXPECT_EQ(errorsOf(plan), "");
  EXPECT_FALSE(plan.mesh.expertAxes.empty());
  expectReadsBack(plan);
}

TEST(Pipeline, RunTwice_GivesTheSamePlan) {
  ir::Plan plan = small();
  EXPECT_EQ(errorsOf(plan), "");
  const std::string once = ir::print(plan);
  EXPECT_EQ(errorsOf(plan), "");
  EXPECT_EQ(ir::print(plan), once);
}

TEST(Pipeline, RunTwice_ForgetsTheFirstRunAndKeepsOneRowEach) {
  ir::Plan plan = small();
  ir::Degradation half;
  half.speed = 0.5;
  plan.cluster.failureDetails.emplace_back().degradations = {half};
  ir::RunPhase phase;
  phase.steps = 1000, phase.batch = plan.layout.batch;
  plan.runs.emplace_back().name = "long";
  plan.runs.front().phases = {phase};
  std::vector<std::string> begun, ended;
  PipelineOptions options;
  options.before = [&](llvm::StringRef pass, const ir::Plan& p) {
    if (pass == allPasses().front().name)
      begun.push_back(ir::print(p));
  };
  for (int run = 0; run < 2; ++run) {
    DiagnosticEngine diags;
    EXPECT_TRUE(runPipeline(plan, diags, options).succeeded()) << diags.firstError();
    EXPECT_EQ(plan.degraded.size(), 1U);
    ended.push_back(ir::print(plan));
  }
  EXPECT_EQ(begun[1], begun[0]);
  EXPECT_EQ(ended[1], ended[0]);
  plan.runs.clear();
  DiagnosticEngine diags;
  EXPECT_TRUE(runPipeline(plan, diags, options).succeeded()) << diags.firstError();
  EXPECT_TRUE(plan.degraded.empty());
}

TEST(Pipeline, OfMeshAuto_FindsOne) {
  ir::Plan plan = small();
  plan.layout.mesh.axes.clear();
  plan.layout.mesh.automatic = true;
  EXPECT_EQ(errorsOf(plan), "");
  EXPECT_TRUE(plan.mesh.found);
  EXPECT_EQ(plan.mesh.devices, 16U);
  expectReadsBack(plan);
}

TEST(Pipeline, OfMeshAutoOnTooLittleMemory_SaysWhatTheNearestLacked) {
  ir::Plan plan = small();
  plan.layout.mesh.axes.clear();
  plan.layout.mesh.automatic = true;
  plan.cluster.nodeTypes[0].device.memory = 100'000'000;
  const std::string errors = errorsOf(plan);
  EXPECT_EQ(errors, "DPL0332 no mesh of 16 devices fits\n");
}

TEST(Passes, AreListedInTheirOrder) {
  ASSERT_EQ(allPasses().size(), 13U);
  for (const PassInfo& info : allPasses())
    EXPECT_EQ(info.create()->name(), info.name);
  EXPECT_STREQ(allPasses().front().name, "take-devices");
  EXPECT_STREQ(allPasses().back().name, "check-asserts");
}
