//===- AutoMeshPropertyTest.cpp - No layout of its space beats what `mesh = auto` chose -------===//
//
// DPL_CASES=300 DPL_LAYOUTS=200 runs the full number; the defaults are a slice of it.
#include "RandomCases.h"
#include "cost/Legality.h"
#include "figures/Figures.h"
#include "planner/AutoMesh.h"
#include "planner/Bound.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace dpl;
using cost::Point;

namespace {

std::uint64_t numberOf(const char* variable, std::uint64_t usual) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

/// Step time and the share of its memory that the fullest device has left; nothing where a layout
/// does not run or fit.
struct Outcome {
  double step = 0, headroom = 0;
};
std::optional<Outcome> outcomeOf(ir::Plan plan, const Point& point) {
  planner::writePoint(point, plan.layout, cost::hasExperts(plan.model));
  DiagnosticEngine unheard;
  if (runPipeline(plan, unheard, {}).failed())
    return std::nullopt;
  Outcome outcome{*figures::Figures(plan).value("step_time"), 1};
  for (const ir::RankMemory& rank : plan.memory)
    outcome.headroom = std::min(outcome.headroom, 1 - static_cast<double>(rank.peak()) /
                                                          static_cast<double>(rank.usable));
  return outcome;
}

} // namespace

TEST(AutoMeshProperty, NoRandomLayoutOfItsSpace_IsFaster) {
  const std::uint64_t cases = numberOf("DPL_CASES", 12), layouts = numberOf("DPL_LAYOUTS", 12);
  test::RandomCases random(1);
  std::uint64_t found = 0, judged = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const ir::Plan plan = random.plan();
    ir::Plan chosen = plan;
    DiagnosticEngine diags;
    const bool failed = planner::completePlan(chosen, diags, {}).failed();
    const std::vector<Point> space = planner::meshSpace(plan);
    double step = 0, least = 0;
    if (!failed) {
      ++found;
      step = *figures::Figures(chosen).value("step_time");
      least = 1;
      for (const ir::RankMemory& rank : chosen.memory)
        least = std::min(least,
                         1 - static_cast<double>(rank.peak()) / static_cast<double>(rank.usable));
      // One that does not leave the headroom is chosen where none does.
      least = std::min(least, plan.lint.headroom);
    }
    for (std::uint64_t j = 0; j < layouts && !space.empty(); ++j) {
      const Point& point = space[random.below(space.size())];
      const std::optional<Outcome> other = outcomeOf(plan, point);
      if (!other)
        continue;
      ++judged;
      const std::string text = planner::textOf(point, cost::hasExperts(plan.model));
      EXPECT_FALSE(failed) << "case " << i << ": " << text << " fits";
      EXPECT_TRUE(other->headroom < least || other->step >= step)
          << "case " << i << ": " << text << " takes " << other->step << " s, not " << step;
    }
  }
  EXPECT_GT(found, cases / 3);
  EXPECT_GT(judged, cases);
}

TEST(AutoMeshProperty, NoStepAndNoMemory_IsBelowItsBound) {
  test::RandomCases random(2);
  const std::uint64_t cases = numberOf("DPL_CASES", 40);
  std::uint64_t judged = 0;
  double closest = 0, closestOfAny = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const ir::Plan plan = random.plan();
    const std::vector<Point> space = planner::meshSpace(plan);
    planner::Bounds bounds(plan);
    planner::Estimator estimator(plan);
    for (std::uint64_t j = 0; j < 8 && !space.empty(); ++j) {
      const Point& point = space[random.below(space.size())];
      const std::vector<ir::Chunk> split = estimator.split(point).vec();
      const planner::Bound bound = bounds.of(point, split);
      const planner::Estimate estimate = estimator.exact(point);
      ASSERT_TRUE(estimate.runs);
      const double step = static_cast<double>(estimate.step) * ir::picosecond;
      const double memory = estimate.share * static_cast<double>(plan.cluster.device().memory);
      const std::string text = planner::textOf(point, cost::hasExperts(plan.model));
      EXPECT_LE(bound.step, step * (1 + 1e-6)) << "case " << i << ": " << text;
      Point wider = point;
      wider.context = 1, wider.microBatch *= 4;
      const planner::Bound cheap = bounds.of(point, split, wider);
      EXPECT_LE(cheap.step, bound.step * (1 + 1e-9)) << "case " << i << ": " << text;
      EXPECT_LE(cheap.memory, bound.memory * (1 + 1e-9)) << "case " << i << ": " << text;
      EXPECT_LE(bound.memory, memory * (1 + 1e-9)) << "case " << i << ": " << text;
      const planner::Bound any = bounds.ofAnySplit(point, wider);
      EXPECT_LE(any.step, cheap.step * (1 + 1e-9)) << "case " << i << ": " << text;
      EXPECT_LE(any.memory, cheap.memory * (1 + 1e-9)) << "case " << i << ": " << text;
      closestOfAny = std::max(closestOfAny, any.step / cheap.step);
      closest = std::max(closest, bound.step / step);
      ++judged;
    }
  }
  EXPECT_GT(judged, 2 * cases);
  EXPECT_GT(closest, 0.95) << "a bound that is far from every step prunes nothing";
  EXPECT_GT(closestOfAny, 0.95) << "nor does one that is far from that of every split";
}
