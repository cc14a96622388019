//===- AdviceTest.cpp - No change of the neighbourhood is better than the advice --------------===//
#include "planner/Advice.h"
#include "cost/memory/RankMemory.h"
#include "ir/Arithmetic.h"
#include "tests/property/RandomPlan.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

using namespace dpl;

namespace {
constexpr std::uint64_t plans = 40;

/// The plan that all passes complete; none if one refuses it.
std::optional<ir::Plan> completed(ir::Plan plan) {
  DiagnosticEngine unheard;
  if (runPipeline(plan, unheard, withoutAdvice()).failed())
    return std::nullopt;
  return plan;
}

/// The share of the memory that the fullest rank needs.
double shareOf(const ir::Plan& plan) {
  double share = 0;
  for (const ir::RankMemory& rank : plan.memory)
    share = std::max(share, ir::real(rank.peak()) / ir::real(rank.usable));
  return share;
}

/// A legal plan with a mesh in the file, on devices that it fills by more than half, so that the
/// memory excludes some changes. Some of the plans do not leave the headroom.
std::optional<ir::Plan> fullPlan(std::uint64_t seed) {
  ir::Plan plan = test::randomPlan(seed);
  const std::optional<ir::Plan> roomy = completed(plan);
  if (!roomy)
    return std::nullopt;
  test::Random random(seed);
  const double larger = random.between(1.02, 1.8);
  const ir::RankMemory& fullest = *ir::tightest(roomy->memory);
  for (ir::NodeType& nodes : plan.cluster.nodeTypes)
    nodes.device.memory = static_cast<std::uint64_t>(larger * ir::real(fullest.peak()));
  return completed(std::move(plan));
}
} // namespace

TEST(Advice, IsTheBestChangeOfTheNeighbourhood_AndItsStepIsExact) {
  std::uint64_t compared = 0, advised = 0, tried = 0;
  for (std::uint64_t seed = 1; compared < plans && seed < 10 * plans; ++seed) {
    const std::optional<ir::Plan> plan = fullPlan(seed);
    if (!plan)
      continue;
    ++compared;
    const ir::Plan bare = planner::restated(*plan);
    const auto fileWith = [&](const planner::LayoutChange& change) {
      return completed(planner::withChange(bare, change));
    };
    planner::AdviceRequest request;
    request.complete = fileWith;
    request.mostExecuted = std::numeric_limits<std::uint64_t>::max();
    request.mostCompiled = std::numeric_limits<unsigned>::max();
    const planner::AdviceResult advice = planner::adviceOn(*plan, request);
    EXPECT_TRUE(advice.all) << "seed " << seed;
    const planner::Advice* best = advice.found.empty() ? nullptr : &advice.found.front();
    const double now = plan->step->schedule, stated = best ? best->plan.step->schedule : now;
    advised += best ? 1 : 0;
    for (const planner::LayoutChange& change : planner::neighbourhood(*plan, {})) {
      if (change.searches)
        continue;
      const std::optional<ir::Plan> changed = fileWith(change);
      if (!changed)
        continue;
      ++tried;
      if (shareOf(*changed) > 1 - plan->lint.headroom)
        continue;
      const double step = changed->step->schedule;
      EXPECT_GE(step, stated * (1 - planner::leastGain)) << "seed " << seed << ": " << change.text;
      if (best && change.text == best->change.text) {
        EXPECT_EQ(step, stated) << "seed " << seed << ": " << change.text;
      }
    }
    EXPECT_TRUE(!best || stated < now) << "seed " << seed;
  }
  EXPECT_EQ(compared, plans);
  EXPECT_GE(advised * 2, compared); // else this test tries little
  EXPECT_GE(tried, 10 * compared);
}
