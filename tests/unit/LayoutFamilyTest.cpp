//===- LayoutFamilyTest.cpp - Tables of a search are shared by the fields that they read ------===//
#include "planner/search/LayoutFamily.h"
#include "CompiledPlan.h"
#include "cost/legality/BrokenRules.h"
#include "planner/search/PlanContent.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::planner;

namespace {
ir::Plan planWith(const char* fields = "") {
  return test::completedPlan(
      "plan.dpl", std::string("import std.models\nimport std.clusters\n"
                              "cluster pod from clusters.dgx_h100 { nodes = 2 }\n"
                              "layout plan for models.llama3_8b on pod {\n"
                              "  batch = 64seq\n"
                              "  mesh { pipeline = 2, data = rest, context = 1, tensor = 2 }\n"
                              "  micro_batch = 1seq\n") +
                      fields + "}\n");
}

struct Family {
  std::vector<DegreeField> degrees = {{{Degree::Pipeline}, {{2}, {4}}, 1},
                                      {{Degree::Tensor}, {{2}, {4}}, 1},
                                      {{Degree::MicroBatch}, {{1}, {2}}, 1},
                                      {{Degree::Sequence}, {{0}, {1}}, 1}};
  ir::Plan plan = planWith();
  LayoutFamily layouts{plan, degrees, 16};

  /// The tables after all points of these layouts were bounded.
  LayoutFamily::TableSizes tablesOf(const std::vector<ir::Layout>& all,
                                    const std::vector<LayoutFamily::Point>& points) {
    for (const ir::Layout& layout : all)
      layouts.add(layout);
    layouts.findRules();
    for (std::size_t choice = 0; choice < all.size(); ++choice)
      for (const LayoutFamily::Point point : points) {
        EXPECT_EQ(layouts.ruleOf(choice, point), 0U);
        const double group = layouts.groupBound(choice, point);
        const PlanBound bound = layouts.bound(choice, point);
        const Estimate estimate = layouts.exact(choice, point);
        EXPECT_LE(group, bound.step * (1 + 1e-9));
        EXPECT_LE(bound.step, ir::picosecond * static_cast<double>(estimate.step) * (1 + 1e-9));
      }
    return layouts.tables();
  }
};

/// The tables of a layout, and of the same with another one.
struct Changed {
  LayoutFamily::TableSizes before, after;
};
template <class Change> Changed changed(const Change& change) {
  Family one, two;
  ir::Layout other = one.plan.layout;
  change(other);
  return {one.tablesOf({one.plan.layout}, {0}), two.tablesOf({two.plan.layout, other}, {0})};
}
Changed withPoint(LayoutFamily::Point point) {
  Family one, two;
  return {one.tablesOf({one.plan.layout}, {0}), two.tablesOf({two.plan.layout}, {0, point})};
}
} // namespace

TEST(LayoutFamily, ZeroStage_RebuildsNoTable) {
  const Changed of = changed([](ir::Layout& l) { l.shard.optimizer = ir::ShardAxis::Data; });
  EXPECT_EQ(of.after, of.before);
}

TEST(LayoutFamily, Recomputation_RebuildsDivisionsAlone) {
  const Changed of = changed([](ir::Layout& l) {
    l.recompute.kind = ir::RecomputeKind::Selective;
    l.recompute.modules = {ir::ModuleKind::Norm};
  });
  EXPECT_EQ(of.after.divisions, of.before.divisions + 1);
  EXPECT_EQ(of.after.shapes, of.before.shapes);
  EXPECT_EQ(of.after.splits, of.before.splits);
}

TEST(LayoutFamily, Schedule_RebuildsShapesAndSplitsAlone) {
  const Changed of = changed([](ir::Layout& l) { l.schedule = ir::ScheduleKind::GPipe; });
  EXPECT_EQ(of.after.shapes, of.before.shapes + 1);
  EXPECT_EQ(of.after.splits, of.before.splits + 1);
  EXPECT_EQ(of.after.divisions, of.before.divisions);
}

TEST(LayoutFamily, Degrees_RebuildWhatReadsThem) {
  const Changed pipeline = withPoint(8);
  EXPECT_EQ(pipeline.after.splits, pipeline.before.splits + 1);
  EXPECT_EQ(pipeline.after.divisions, pipeline.before.divisions);
  for (const LayoutFamily::Point point : {4, 2, 1}) { // tensor, micro-batch, sequence sharding
    const Changed of = withPoint(point);
    EXPECT_EQ(of.after.splits, of.before.splits);
    EXPECT_EQ(of.after.divisions, of.before.divisions + 1) << point;
  }
}

TEST(LayoutFamily, Content_IgnoresChoicesAndNothingElse) {
  ir::Plan plan = planWith();
  ir::Plan sharded = planWith("  shard.optimizer = data\n"),
           recomputed = planWith("  recompute = full\n"),
           overlapped = planWith("  overlap.tensor = true\n");
  for (ir::Plan* one : {&plan, &sharded, &recomputed, &overlapped})
    one->hash.clear();
  const std::string content = contentOf(plan);
  EXPECT_EQ(contentOf(sharded), content);
  EXPECT_EQ(contentOf(recomputed), content);
  EXPECT_NE(contentOf(overlapped), content);
  EXPECT_EQ(sharded.layout.shard.stage(), 1U); // the plan keeps its fields
}

// A pipeline needs buffers for its messages, whatever was estimated before.
TEST(Estimator, OfAPipeline_HasNoBuffersOfALayoutWithoutOne) {
  const ir::Plan plan = planWith();
  cost::LayoutCandidate whole, divided;
  whole.data = 8, whole.tensor = 2;
  divided.data = 4, divided.tensor = 2, divided.pipeline = 2;
  const auto peakOf = [&](Estimator& estimator, const cost::LayoutCandidate& candidate) {
    return estimator.exact(candidate).peak;
  };
  Estimator one(plan), other(plan), both(plan), reversed(plan);
  const std::uint64_t ofWhole = peakOf(one, whole), ofDivided = peakOf(other, divided);
  EXPECT_EQ(peakOf(both, whole), ofWhole);
  EXPECT_EQ(peakOf(both, divided), ofDivided);
  EXPECT_EQ(peakOf(reversed, divided), ofDivided);
  EXPECT_EQ(peakOf(reversed, whole), ofWhole);
}

// Kinds of points stand for all of their points.
TEST(LayoutFamily, Kinds_HaveTheRulesOfTheirPoints) {
  Family family;
  ir::Layout other = family.plan.layout;
  other.schedule = ir::ScheduleKind::Interleaved, other.chunks = 2;
  family.layouts.add(family.plan.layout), family.layouts.add(other);
  family.layouts.findRules([](LayoutFamily::Point point) { return point % 2; });
  std::uint64_t points = 0;
  for (const LayoutFamily::PointKind& kind : family.layouts.kinds())
    points += kind.count;
  EXPECT_EQ(points, 16U);
  EXPECT_LT(family.layouts.kinds().size(), 16U);
  for (LayoutFamily::Point point = 0; point < 16; ++point) {
    const LayoutFamily::PointKind& kind = family.layouts.kinds()[family.layouts.kindOf(point)];
    EXPECT_EQ(kind.key, point % 2);
    for (std::size_t choice = 0; choice < 2; ++choice)
      EXPECT_EQ(family.layouts.ruleOf(choice, point), family.layouts.ruleOf(choice, kind.first));
  }
}

TEST(BrokenRules, AreEmpty_IfNoRuleIsBroken) {
  const ir::Plan plan = planWith();
  const cost::LegalityInputs facts(plan.model, plan.cluster, plan.layout);
  std::size_t legal = 0;
  for (const std::uint32_t pipeline : {1, 2, 3, 4, 8, 16})
    for (const std::uint32_t data : {1, 2, 3, 8})
      for (const std::uint32_t context : {1, 2, 16})
        for (const std::uint32_t tensor : {1, 2, 3, 8})
          for (const std::uint64_t microBatch : {1, 3, 8, 64}) {
            cost::LayoutCandidate candidate;
            candidate.pipeline = pipeline, candidate.data = data, candidate.context = context;
            candidate.tensor = tensor, candidate.microBatch = microBatch;
            const bool none = brokenRule(facts, candidate) == cost::LegalityRule::None;
            EXPECT_EQ(cost::brokenRules(facts, candidate) == 0, none);
            legal += none ? 1 : 0;
          }
  EXPECT_GT(legal, 10U);
}
