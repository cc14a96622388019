//===- AutoMeshTest.cpp - What `mesh = auto` chooses, and what it says where nothing fits -----===//
#include "planner/AutoMesh.h"
#include "SamplePlan.h"
#include "cost/legality/Legality.h"
#include "figures/Figures.h"
#include "planner/CompletePlan.h"
#include "planner/MeshSearch.h"
#include "planner/MeshSpace.h"
#include "planner/OpenChoices.h"
#include <gmock/gmock.h>
#include <set>

using namespace dpl;
using cost::LayoutCandidate;
using testing::Each;
using testing::Field;

namespace {

ir::Plan open() {
  ir::Plan plan = test::samplePlan();
  plan.layout.mesh.axes.clear();
  plan.layout.mesh.automatic = true;
  plan.layout.shard.optimizer = ir::ShardAxis::Data;
  return plan;
}

double valueOf(const ir::Plan& plan, const char* path) {
  return figures::Figures(plan).value(path).value_or(0);
}
double headroomOf(const ir::Plan& plan) {
  double least = 1;
  for (const ir::RankMemory& rank : plan.memory)
    least =
        std::min(least, 1 - static_cast<double>(rank.peak()) / static_cast<double>(rank.usable));
  return least;
}

/// The plan with a point written into it, as the passes complete it; nothing where they refuse.
std::optional<ir::Plan> at(ir::Plan plan, const LayoutCandidate& candidate) {
  planner::writeCandidate(candidate, plan.layout, cost::hasExperts(plan.model));
  DiagnosticEngine unheard;
  return runPipeline(plan, unheard, {}).failed() ? std::nullopt : std::optional(std::move(plan));
}

std::vector<Diagnostic> saidOf(ir::Plan& plan) {
  DiagnosticEngine diags;
  (void)planner::completePlan(plan, diags, {});
  return diags.diagnostics().vec();
}
std::vector<std::string> codesOf(const std::vector<Diagnostic>& said) {
  std::vector<std::string> codes;
  for (const Diagnostic& d : said)
    if (d.info.severity == Severity::Error)
      codes.emplace_back(d.info.code);
  return codes;
}

/// A framework that refuses some layouts for one reason.
planner::PlanRefusals refusing(std::function<bool(const ir::Plan&)> refuses) {
  return [refuses = std::move(refuses)](const ir::Plan& plan) {
    return refuses(plan) ? std::set<std::string>{"refused"} : std::set<std::string>();
  };
}

/// The plan with open ZeRO stage, as the search completes it with a framework that refuses some.
ir::Plan chosenOf(ir::Plan plan, const planner::PlanRefusals& refusals, DiagnosticEngine& diags) {
  plan.framework.name = "other";
  EXPECT_TRUE(
      planner::chooseMesh(plan, diags, planner::mostActionsOfSearch, {}, refusals).succeeded());
  return plan;
}

} // namespace

TEST(AutoMesh, TakesTheFastestOfItsSpace_ThatLeavesTheHeadroom) {
  ir::Plan plan = open();
  ir::Plan chosen = plan;
  ASSERT_THAT(codesOf(saidOf(chosen)), testing::IsEmpty());
  EXPECT_TRUE(chosen.mesh.found);
  // Of equal steps it is the first in the order of the space.
  std::optional<LayoutCandidate> first;
  double least = 0;
  for (const LayoutCandidate& candidate : planner::meshSpace(plan)) {
    const std::optional<ir::Plan> other = at(plan, candidate);
    if (!other || headroomOf(*other) < plan.lint.headroom)
      continue;
    const double step = valueOf(*other, "step_time");
    if (!first || step < least)
      first = candidate, least = step;
  }
  ASSERT_TRUE(first);
  const std::optional<ir::Plan> expected = at(plan, *first);
  EXPECT_TRUE(ir::equal(*expected, chosen)) << planner::textOf(*first, false);
}

TEST(AutoMesh, WithoutOneThatLeavesTheHeadroom_TakesTheFastestThatFits) {
  ir::Plan plan = open();
  plan.lint.headroom = 0.999;
  ir::Plan chosen = plan;
  ASSERT_THAT(codesOf(saidOf(chosen)), testing::IsEmpty());
  for (const LayoutCandidate& candidate : planner::meshSpace(plan)) {
    const std::optional<ir::Plan> other = at(plan, candidate);
    EXPECT_TRUE(!other || valueOf(*other, "step_time") >= valueOf(chosen, "step_time"))
        << planner::textOf(candidate, false);
  }
}

TEST(AutoMesh, ItsSpace_HasEveryDegreeButReplicas) {
  ir::Plan plan = open();
  ir::FeedForward& f = plan.model.layerTypes[0].feedForward;
  f.kind = ir::FeedForwardKind::Experts, f.experts = 8, f.active = 2, f.width = 1024;
  const std::vector<LayoutCandidate> space = planner::meshSpace(plan);
  EXPECT_THAT(space, Each(Field(&LayoutCandidate::replica, 1U)));
  const auto values = [&](auto member) {
    std::set<std::uint64_t> all;
    for (const LayoutCandidate& candidate : space)
      all.insert(candidate.*member);
    return all;
  };
  EXPECT_EQ(values(&LayoutCandidate::tensor), (std::set<std::uint64_t>{1, 2, 4, 8}));
  EXPECT_EQ(values(&LayoutCandidate::context), (std::set<std::uint64_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(values(&LayoutCandidate::pipeline), (std::set<std::uint64_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(values(&LayoutCandidate::expert), (std::set<std::uint64_t>{1, 2, 4, 8}));
  EXPECT_EQ(values(&LayoutCandidate::expertTensor), (std::set<std::uint64_t>{1, 2, 4, 8}));
  EXPECT_EQ(values(&LayoutCandidate::microBatch),
            (std::set<std::uint64_t>{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(values(&LayoutCandidate::sequenceParallel), (std::set<std::uint64_t>{0, 1}));
}

TEST(AutoMesh, WhatTheFileFixes_IsKept) {
  ir::Plan plan = open();
  plan.layout.microBatch = 2, plan.layout.microBatchGiven = true;
  plan.layout.shard.sequenceGiven = true;
  EXPECT_THAT(planner::meshSpace(plan), Each(Field(&LayoutCandidate::microBatch, 2U)));
  EXPECT_THAT(planner::meshSpace(plan), Each(Field(&LayoutCandidate::sequenceParallel, false)));
  plan.layout.shard.sequence = ir::ShardAxis::Tensor;
  EXPECT_THAT(planner::meshSpace(plan), Each(Field(&LayoutCandidate::tensor, testing::Gt(1U))));
}

TEST(AutoMesh, WhatTheFileLeavesOpen_IsVaried) {
  ir::Plan plan = open();
  EXPECT_EQ(planner::openChoices(plan, {}).size(), 1U);
  plan.layout.mesh.open = {true, true, true};
  const std::vector<planner::OpenChoice> choices = planner::openChoices(plan, {});
  // The choices are two splits × four recomputations × ZeRO stages 0 to 3, the layout's own values
  // first.
  EXPECT_EQ(choices.size(), 2U * 4 * 4);
  EXPECT_EQ(choices.front().split, ir::SplitKind::Even);
  EXPECT_EQ(choices.front().recompute.kind, ir::RecomputeKind::None);
  EXPECT_EQ(choices.front().optimizer, ir::ShardAxis::None);
  plan.layout.scheduleAutomatic = true;
  const auto isOneOf = [](ir::ScheduleKind kind) {
    return [kind](const ir::Layout& layout) { return layout.schedule == kind; };
  };
  EXPECT_EQ(planner::openChoices(plan, isOneOf(ir::ScheduleKind::ZeroBubbleH1)).size(), 2 * 32U);
  // Each row has variants with 2, 4 and 8 chunks.
  EXPECT_EQ(planner::openChoices(plan, isOneOf(ir::ScheduleKind::Interleaved)).size(), 4 * 32U);
}

TEST(AutoMesh, WhatTheFrameworkRefuses_IsLeftOutWhereThereIsAnother) {
  ir::Plan plan = open();
  plan.layout.mesh.open.recompute = plan.layout.mesh.open.stage = true;
  DiagnosticEngine diags;
  const auto chosen = [&](const planner::PlanRefusals& refusals) {
    return chosenOf(plan, refusals, diags).layout;
  };
  const unsigned usual = chosen({}).shard.stage();
  ASSERT_GT(usual, 0U);
  EXPECT_EQ(
      chosen(refusing([](const ir::Plan& p) { return p.layout.shard.stage() != 0; })).shard.stage(),
      0U);
  EXPECT_EQ(chosen(refusing([](const ir::Plan& p) { return p.mesh.size(ir::Axis::Tensor) != 4; }))
                .mesh.axes.back()
                .size,
            4U);
  EXPECT_EQ(chosen(refusing([](const ir::Plan&) { return true; })).shard.stage(), usual);
  EXPECT_TRUE(diags.diagnostics().empty());
}

TEST(AutoMesh, ARefusal_LosesNeitherOtherChoicesNorOtherPoints) {
  ir::Plan plan = open();
  plan.layout.mesh.open.stage = true;
  DiagnosticEngine diags;
  const ir::Layout usual = chosenOf(plan, {}, diags).layout;
  const unsigned stage = usual.shard.stage();
  const auto isUsualMesh = [&](const ir::Plan& p) {
    return p.mesh.size(ir::Axis::Pipeline) == usual.mesh.axes.front().size &&
           p.mesh.size(ir::Axis::Tensor) == usual.mesh.axes.back().size;
  };
  // The mesh that was found is taken only with another stage.
  const ir::Layout other = chosenOf(plan, refusing([&](const ir::Plan& p) {
                                      return !isUsualMesh(p) || p.layout.shard.stage() == stage;
                                    }),
                                    diags)
                               .layout;
  EXPECT_NE(other.shard.stage(), stage);
  EXPECT_EQ(other.mesh.axes.back().size, usual.mesh.axes.back().size);
  // The stage that was found is taken only with another mesh of as many pipeline ranks.
  const ir::Layout moved =
      chosenOf(plan, refusing([&](const ir::Plan& p) {
                 return isUsualMesh(p) || p.layout.shard.stage() != stage ||
                        p.mesh.size(ir::Axis::Pipeline) != usual.mesh.axes.front().size;
               }),
               diags)
          .layout;
  EXPECT_EQ(moved.shard.stage(), stage);
  EXPECT_NE(moved.mesh.axes.back().size, usual.mesh.axes.back().size);
}

TEST(AutoMesh, AReasonThatSomeChoiceAvoids_IsNotIgnored) {
  ir::Plan plan = open();
  plan.layout.mesh.open.stage = true;
  DiagnosticEngine diags;
  // Stage 0, the layout's own, is refused at every mesh, and all stages where tensor is not 4.
  const ir::Plan found =
      chosenOf(plan, refusing([](const ir::Plan& p) {
                 return p.layout.shard.stage() == 0 || p.mesh.size(ir::Axis::Tensor) != 4;
               }),
               diags);
  EXPECT_GT(found.layout.shard.stage(), 0U);
  EXPECT_EQ(found.layout.mesh.axes.back().size, 4U);
}

TEST(AutoMesh, TooManyRefusals_AreSaid) {
  ir::Plan plan = open();
  plan.layout.mesh.open = {true, true, true};
  plan.layout.scheduleAutomatic = true;
  DiagnosticEngine diags;
  std::size_t asked = 0;
  (void)chosenOf(
      plan, [&](const ir::Plan&) { return std::set{std::to_string(++asked)}; }, diags);
  ASSERT_EQ(diags.diagnostics().size(), 1U);
  EXPECT_STREQ(diags.diagnostics()[0].info.code, "DPL0396");
  EXPECT_THAT(diags.diagnostics()[0].message, testing::HasSubstr("other refused"));
}

TEST(AutoMesh, ALayoutThatBreaksAnAssertion_IsCountedOnce) {
  ir::Plan plan = open();
  plan.layout.microBatch = 1, plan.layout.microBatchGiven = true;
  ir::Assertion& never = plan.assertions.emplace_back();
  never.source = "false";
  never.nodes.emplace_back().text = "false";
  planner::MeshSearch search(plan, planner::openChoices(plan, {}), planner::mostActionsOfSearch);
  EXPECT_FALSE(search.fastest(0.9));
  const std::size_t broken = search.brokenLayouts();
  ASSERT_GT(broken, 10U);
  EXPECT_FALSE(search.fastest(0.9));
  EXPECT_EQ(search.brokenLayouts(), broken);
  EXPECT_FALSE(search.fastest(1));
  EXPECT_LE(search.brokenLayouts(), search.size());
  EXPECT_EQ(search.ended(), planner::MeshSearch::SearchEnd::Complete);
}

TEST(AutoMesh, ABalancedSplit_LeavesTheSearchAsItIs) {
  ir::Plan plan = open();
  plan.layout.mesh.open.split = true;
  planner::MeshSearch search(plan, planner::openChoices(plan, {}), planner::mostActionsOfSearch);
  const std::optional<planner::FoundLayout> found = search.fastest(0.9);
  ASSERT_TRUE(found);
  const std::size_t choices = search.choices();
  (void)search.balancedIsFaster(*found, 0.9);
  EXPECT_EQ(search.choices(), choices);
  EXPECT_EQ(search.fastest(0.9), found);
}

TEST(AutoMesh, DataRanksThatStepByThemselves_AreNotDivided) {
  ir::Plan plan = open();
  plan.layout.shard = {};
  plan.layout.dataRanks.emplace_back().loadBalancing = ir::LoadBalancingKind::Proportional;
  EXPECT_THAT(planner::meshSpace(plan),
              Each(Field(&LayoutCandidate::data, plan.cluster.devices())));
  plan.layout.shard.optimizer = ir::ShardAxis::Data;
  EXPECT_THAT(codesOf(saidOf(plan)), testing::ElementsAre("DPL0380"));
}

TEST(AutoMesh, WhereNothingFits_SaysWhatTheNearestLacked) {
  ir::Plan plan = open();
  plan.cluster.nodeTypes[0].device.memory = 100'000'000;
  const std::vector<Diagnostic> said = saidOf(plan);
  ASSERT_EQ(codesOf(said), std::vector<std::string>{"DPL0332"});
  EXPECT_EQ(said[0].message, "no mesh of 16 devices fits");
  ASSERT_EQ(said[0].notes.size(), 1U);
  EXPECT_THAT(said[0].notes[0].message, testing::HasSubstr("of memory, a device has 0.1 GiB"));
}

TEST(AutoMesh, WhereTooMuchWouldBeExecuted_TakesTheFastestSoFarAndSaysWhatIsLeft) {
  std::vector<std::string> outcomes; // with more and more that may be executed
  for (std::uint64_t most = 1; most < planner::mostActionsOfSearch; most *= 4) {
    ir::Plan plan = open();
    plan.layout.split = ir::SplitKind::Balanced;
    DiagnosticEngine diags, unheard;
    EXPECT_TRUE(planner::chooseMesh(plan, diags, most).succeeded());
    EXPECT_TRUE(runPipeline(plan, unheard, {}).succeeded());
    const std::vector<Diagnostic> said = diags.diagnostics().vec();
    ASSERT_LE(said.size(), 1U);
    const std::string code = said.empty() ? "" : std::string(said[0].info.code);
    if (outcomes.empty() || outcomes.back() != code)
      outcomes.push_back(code);
  }
  EXPECT_THAT(outcomes, testing::ElementsAre("DPL0396", ""));
}

TEST(AutoMesh, WhereTooMuchIsExecutedAndNothingFound_SaysThatCandidatesAreLeft) {
  const auto labelWith = [](std::uint64_t most) {
    ir::Plan plan = open();
    ir::Assertion& never = plan.assertions.emplace_back();
    never.source = "false";
    never.nodes.emplace_back().text = "false";
    DiagnosticEngine diags;
    EXPECT_TRUE(planner::chooseMesh(plan, diags, most).failed());
    const std::vector<Diagnostic> said = diags.diagnostics().vec();
    EXPECT_EQ(codesOf(said), std::vector<std::string>{"DPL0332"});
    return said.empty() ? "" : said[0].label;
  };
  const std::string left = "were not evaluated: more than 1 actions were executed";
  EXPECT_THAT(labelWith(1), testing::HasSubstr(left));
  EXPECT_THAT(labelWith(planner::mostActionsOfSearch), testing::HasSubstr(" tried"));
}

TEST(AutoMesh, WhereNoDegreesDivide_SaysSo) {
  ir::Plan plan = open();
  plan.layout.batch = 7;
  plan.layout.split = ir::SplitKind::Listed;
  plan.layout.splitLayers = {10, 11, 11};
  const std::vector<Diagnostic> said = saidOf(plan);
  ASSERT_EQ(codesOf(said), std::vector<std::string>{"DPL0332"});
  EXPECT_EQ(said[0].label, "no degrees are legal with a pipeline of the 3 stages of `split`");
}

TEST(AutoMesh, AMistakeThatNoDegreeMends_IsReportedAsItself) {
  ir::Plan plan = open();
  plan.model.layerTypes[0].attention.kvHeads = 5;
  EXPECT_EQ(codesOf(saidOf(plan)), std::vector<std::string>{"DPL0313"});
  plan = open();
  plan.layout.precision.compute = ir::DataType::FP8;
  EXPECT_EQ(codesOf(saidOf(plan)), std::vector<std::string>{"DPL0337"});
}

TEST(AutoMesh, MicroBatches_AreCountedInMoreThan32Bits) {
  ir::Plan plan = open();
  plan.layout.batch = 1ULL << 32;
  const std::vector<LayoutCandidate> space = planner::meshSpace(plan);
  const auto most = std::max_element(space.begin(), space.end(), [](const auto& a, const auto& b) {
    return a.microBatch < b.microBatch;
  });
  ASSERT_NE(most, space.end());
  EXPECT_EQ(most->microBatch * most->dataRanks(), 1ULL << 32);
}

TEST(AutoMesh, AZero_IsReportedAsItself) {
  ir::Plan plan = open();
  plan.layout.batch = 0;
  EXPECT_THAT(codesOf(saidOf(plan)), testing::Contains("DPL0305"));
}
