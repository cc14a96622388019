//===- AutoMeshPropertyTest.cpp - No layout of its space beats what `mesh = auto` chose -------===//
//
// DPL_BOUNDS=1000000 compares as many bounds with executed steps, DPL_SPACES=700 exhausts as many
// spaces; the defaults are a slice of it. DPL_SEED draws others.
#include "SchemaCases.h"
#include "cost/Legality.h"
#include "planner/AutoMesh.h"
#include "planner/Bound.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "planner/Trial.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace dpl;
using cost::Point;

namespace {

std::uint64_t numberOf(const char* variable, std::uint64_t usual) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

/// A point of a space and what it takes; `step` is 0 where none fits.
struct Best {
  Point point;
  std::uint64_t step = 0; ///< ps
};

/// The fastest of all points that take at most `share` of the memory and that the passes take.
Best fastestOf(const ir::Plan& plan, const std::vector<Point>& space, double share) {
  planner::Estimator estimator(plan);
  planner::Trial trial(plan);
  Best best;
  for (const Point& point : space) {
    const planner::Estimate estimate = estimator.exact(point);
    if (estimate.runs && estimate.share <= share && (best.step == 0 || estimate.step < best.step) &&
        trial.errorOfFitting(point).empty())
      best = {point, estimate.step};
  }
  return best;
}

} // namespace

TEST(AutoMeshProperty, NoLayoutOfAnExhaustedSpace_IsFaster) {
  const std::uint64_t spaces = numberOf("DPL_SPACES", 20), seed = numberOf("DPL_SEED", 1);
  const std::uint64_t most = numberOf("DPL_SPACE_POINTS", 400);
  test::SchemaCases cases(static_cast<unsigned>(seed));
  std::uint64_t exhausted = 0, points = 0, found = 0;
  while (exhausted < spaces) {
    const ir::Plan plan = cases.plan();
    const std::vector<Point> space = planner::meshSpace(plan);
    if (space.empty() || space.size() > most)
      continue;
    ++exhausted, points += space.size();
    ir::Plan chosen = plan;
    DiagnosticEngine unheard;
    const bool failed = planner::chooseMesh(chosen, unheard, UINT64_MAX / 4).failed();
    Best best = fastestOf(plan, space, 1 - plan.lint.headroom);
    if (best.step == 0)
      best = fastestOf(plan, space, 1);
    EXPECT_EQ(failed, best.step == 0) << cases.text();
    if (failed || best.step == 0)
      continue;
    ++found;
    ir::Plan written = chosen;
    written.layout.mesh.automatic = false;
    if (runPipeline(written, unheard, withoutAdvice()).failed()) {
      // A mistake that no degree mends is said of the layout that was found.
      EXPECT_NE(planner::Trial(plan).errorOf(best.point), "") << cases.text();
      continue;
    }
    const std::uint64_t step = planner::Estimator(plan).exact(planner::pointOf(written)).step;
    EXPECT_LE(step, best.step) << cases.text() << "faster: "
                               << planner::textOf(best.point, cost::hasExperts(plan.model));
  }
  EXPECT_GT(found * 4, spaces);
  RecordProperty("points", std::to_string(points));
  std::printf("%llu spaces of %llu layouts, in %llu of them one fits\n",
              static_cast<unsigned long long>(exhausted), static_cast<unsigned long long>(points),
              static_cast<unsigned long long>(found));
}

TEST(AutoMeshProperty, NoStepAndNoMemory_IsBelowItsBound) {
  const std::uint64_t bounds = numberOf("DPL_BOUNDS", 10'000), seed = numberOf("DPL_SEED", 2);
  constexpr std::uint64_t ofEach = 100; // points of a case
  test::SchemaCases cases(static_cast<unsigned>(seed));
  std::uint64_t judged = 0, above = 0;
  double closest = 0, closestOfAny = 0;
  while (judged < bounds) {
    const ir::Plan plan = cases.plan();
    const std::vector<Point> space = planner::meshSpace(plan);
    planner::Bounds of(plan);
    planner::Estimator estimator(plan);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(ofEach, space.size()); ++i) {
      const Point& point = space[cases.below(space.size())];
      const planner::Estimate estimate = estimator.exact(point);
      if (!estimate.runs)
        continue; // a limit of micro-batches that its row refuses
      ++judged;
      const std::vector<ir::Chunk> split = estimator.split(point).vec();
      const planner::Bound bound = of.of(point, split);
      const double step = static_cast<double>(estimate.step) * ir::picosecond;
      std::uint64_t memory = 0;
      for (const ir::NodeClass& c : plan.cluster.classes)
        memory = std::max(memory, c.device.memory);
      Point wider = point;
      wider.context = 1, wider.microBatch *= 4;
      const planner::Bound cheap = of.of(point, split, wider), any = of.ofAnySplit(point, wider);
      const bool holds =
          bound.step <= step * (1 + 1e-6) &&
          bound.memory <= estimate.share * static_cast<double>(memory) * (1 + 1e-9) &&
          cheap.step <= bound.step * (1 + 1e-9) && cheap.memory <= bound.memory * (1 + 1e-9) &&
          any.step <= cheap.step * (1 + 1e-9) && any.memory <= cheap.memory * (1 + 1e-9);
      EXPECT_TRUE(holds || ++above > 3)
          << cases.text() << planner::textOf(point, true) << ": step " << step << ", bounds "
          << bound.step << " " << cheap.step << " " << any.step << "; memory of "
          << estimate.share * static_cast<double>(memory) << ", bounds " << bound.memory << " "
          << cheap.memory << " " << any.memory;
      closest = std::max(closest, bound.step / step);
      closestOfAny = std::max(closestOfAny, any.step / cheap.step);
    }
  }
  EXPECT_EQ(above, 0U) << "bounds above the exact step or memory, of " << judged;
  EXPECT_GT(closest, 0.95) << "a bound that is far from every step prunes nothing";
  EXPECT_GT(closestOfAny, 0.95) << "nor does one that is far from that of every split";
  std::printf("%llu bounds, %llu above\n", static_cast<unsigned long long>(judged),
              static_cast<unsigned long long>(above));
}
