//===- AutoMeshTest.cpp - The order of `mesh = auto` ------------------------------------------===//
#include "passes/AutoMesh.h"
#include "SamplePlan.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Layout.h"
#include <gmock/gmock.h>

using namespace dpl;

namespace {

ir::Plan open() {
  ir::Plan plan = test::samplePlan();
  plan.layout.mesh.axes.clear();
  plan.layout.mesh.automatic = true;
  return plan;
}

/// Passes that accept what `fits` accepts and say "too large" of the rest.
template <class F> TryPasses accepting(F fits) {
  return [fits](ir::Plan& plan, DiagnosticEngine& diags) -> std::size_t {
    if (fits(plan.layout))
      return 1;
    diags.report<diag::FieldIsZero>(
        SourceRange{}, fmt::format("free memory of {}", plan.layout.mesh.axes[0].size));
    return 0;
  };
}
std::uint64_t sizeOf(const ir::Layout& layout, ir::Axis axis) {
  for (const ir::AxisRequest& request : layout.mesh.axes)
    if (request.axis == axis)
      return request.size;
  return 1;
}

} // namespace

TEST(AutoMesh, TriesTheLeastTensorFirst_ThenTheLeastPipeline) {
  const std::vector<MeshCandidate> all = meshCandidates(open());
  const std::vector<MeshCandidate> first = {{1, 1, 16, 1}, {1, 2, 8, 1},  {1, 4, 4, 1},
                                            {1, 8, 2, 1},  {1, 16, 1, 1}, {2, 1, 8, 1}};
  ASSERT_GT(all.size(), first.size());
  EXPECT_EQ((std::vector<MeshCandidate>{all.begin(), all.begin() + 6}), first);
  EXPECT_EQ(all.back().tensor, 8U) << "tensor groups stay inside the fast domain of 8";
}

TEST(AutoMesh, LeavesOutDegreesThatTheModelForbids) {
  ir::Plan plan = open();
  plan.model.classes[0].attention.heads = 12;
  plan.model.runs = {{0, 12}};
  for (const MeshCandidate& c : meshCandidates(plan)) {
    EXPECT_EQ(12 % c.tensor, 0U);
    EXPECT_EQ(12 % c.pipeline, 0U);
  }
}

TEST(AutoMesh, LeavesOutDataDegreesThatDoNotDivideTheBatch) {
  ir::Plan plan = open();
  plan.layout.batch = 4;
  for (const MeshCandidate& c : meshCandidates(plan))
    EXPECT_LE(c.data, 4U);
}

TEST(AutoMesh, WithAPipeline_KeepsFourMicroBatchesAStage) {
  ir::Plan plan = open();
  plan.layout.batch = 256;
  EXPECT_EQ(microBatchCandidates(plan, {1, 1, 16, 1}),
            (std::vector<std::uint64_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(microBatchCandidates(plan, {1, 2, 8, 1}), (std::vector<std::uint64_t>{1, 2, 4}));
  EXPECT_EQ(microBatchCandidates(plan, {1, 16, 1, 1}), (std::vector<std::uint64_t>{1, 2, 4}));
}

TEST(AutoMesh, AGivenMicroBatch_IsKept) {
  ir::Plan plan = open();
  plan.layout.microBatch = 2, plan.layout.microBatchGiven = true;
  EXPECT_EQ(microBatchCandidates(plan, {1, 1, 16, 1}), (std::vector<std::uint64_t>{2}));
  EXPECT_TRUE(microBatchCandidates(plan, {1, 1, 64, 1}).empty());
}

TEST(AutoMesh, TakesTheFirstThatFits_WithItsLargestMicroBatch) {
  ir::Plan plan = open();
  plan.layout.batch = 256;
  DiagnosticEngine diags;
  const TryPasses passes = accepting([](const ir::Layout& l) {
    return sizeOf(l, ir::Axis::Pipeline) * sizeOf(l, ir::Axis::Tensor) >= 2 && l.microBatch <= 2;
  });
  EXPECT_FALSE(findMesh(plan, diags, passes).failed());
  EXPECT_EQ(sizeOf(plan.layout, ir::Axis::Tensor), 1U);
  EXPECT_EQ(sizeOf(plan.layout, ir::Axis::Pipeline), 2U);
  EXPECT_EQ(sizeOf(plan.layout, ir::Axis::Data), 8U);
  EXPECT_EQ(plan.layout.microBatch, 2U);
  EXPECT_TRUE(diags.diagnostics().empty());
}

TEST(AutoMesh, WhereNothingFits_SaysWhatTheNearestLacked) {
  ir::Plan plan = open();
  DiagnosticEngine diags;
  EXPECT_TRUE(findMesh(plan, diags, accepting([](const ir::Layout&) { return false; })).failed());
  ASSERT_EQ(diags.diagnostics().size(), 1U);
  const Diagnostic& d = diags.diagnostics()[0];
  EXPECT_EQ(d.message, "no mesh of 16 devices fits");
  ASSERT_EQ(d.notes.size(), 1U);
  EXPECT_EQ(d.notes[0].message,
            "nearest was tensor 1 × pipeline 1 × data 16, micro-batch 1: `free memory of 1` is "
            "0, needed at least 1");
}

TEST(AutoMesh, AMistakeThatNoDegreeMends_IsReportedAsItself) {
  ir::Plan plan = open();
  DiagnosticEngine diags;
  const TryPasses passes = [](ir::Plan&, DiagnosticEngine& unheard) -> std::size_t {
    unheard.report<diag::HeadsPerKvHead>(SourceRange{}, 12, 5);
    return 0;
  };
  EXPECT_TRUE(findMesh(plan, diags, passes).failed());
  ASSERT_EQ(diags.diagnostics().size(), 1U);
  EXPECT_STREQ(diags.diagnostics()[0].info.code, "DPL0313");
}

TEST(AutoMesh, AMicroBatchThatLeavesNoHeadroom_IsPassedOver) {
  ir::Plan plan = open();
  plan.layout.batch = 256;
  DiagnosticEngine diags;
  // From 4 sequences on the memory is nearly full.
  const TryPasses passes = [](ir::Plan& attempt, DiagnosticEngine& unheard) -> std::size_t {
    if (attempt.layout.microBatch >= 4)
      unheard.report<diag::LittleHeadroom>(SourceRange{}, 0, "1 GiB", "80 GiB", "10 %",
                                           "std default");
    return 1;
  };
  EXPECT_FALSE(findMesh(plan, diags, passes).failed());
  EXPECT_EQ(plan.layout.microBatch, 2U);
}
