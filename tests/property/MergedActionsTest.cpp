//===- MergedActionsTest.cpp - Pairs that run merged, on random passes and plans --------------===//
#include "cost/programs/MergedActions.h"
#include "cost/execution/StepSweep.h"
#include "cost/programs/ProgramWalk.h"
#include "cost/step/Timeline.h"
#include "passes/Pass.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "simulate/plan/StepRun.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;
using dpl::test::Random;

namespace {
constexpr auto all = [](const Segment&) { return true; };

/// Layers that compute and exchange in any order, some of them alike, and what is no layer.
std::vector<SegmentLoop> randomPass(Random& random) {
  std::vector<SegmentLoop> blocks;
  for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
    SegmentLoop block{1 + random.below(5), {}};
    for (std::uint64_t i = 1 + random.below(6); i > 0; --i) {
      const std::uint64_t time = random.below(100);
      if (!random.oneIn(2)) {
        block.segments.push_back({ComputeSegment{ComputeKind::None, time}});
        continue;
      }
      const ChunkCollectiveId collective(random.below(3));
      const Stream stream = random.oneIn(4) ? Stream::Tensor : Stream::Expert;
      block.segments.push_back({CollectiveSegment{collective, stream, false, time, time}});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Stream streamOf(const Segment& s) {
  return s.asCollective() ? s.asCollective()->stream : Stream::Compute;
}

struct Work {
  std::uint64_t computes = 0, exchanges = 0, data = 0, others = 0;
};
Work workOf(llvm::ArrayRef<SegmentLoop> blocks) {
  Work work;
  for (const SegmentLoop& block : blocks)
    for (const Segment& s : block.segments)
      (s.asCompute()                   ? work.computes
       : streamOf(s) == Stream::Expert ? work.exchanges
       : streamOf(s) == Stream::Data   ? work.data
                                       : work.others) += block.count * s.time();
  return work;
}
} // namespace

TEST(MergedActions, IsBetweenItsStreamsAndItsPassesOneBehindTheOther) {
  Random random(11);
  cost::WrittenProgram merged;
  std::uint64_t gained = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<SegmentLoop> forward = randomPass(random), backward = randomPass(random);
    const double contention = random.oneIn(2) ? 0 : random.between(0, 0.5);
    cost::merge(forward, backward, contention, {}, merged);
    const Work one = workOf(forward), other = workOf(backward), both = workOf(merged.blocks());
    ASSERT_EQ(both.computes, one.computes + other.computes) << i;
    ASSERT_EQ(both.exchanges, one.exchanges + other.exchanges) << i;
    const std::uint64_t first = cost::timeOf(llvm::makeArrayRef(forward), {}, all).durationAlone(),
                        second =
                            cost::timeOf(llvm::makeArrayRef(backward), {}, all).durationAlone(),
                        pair = cost::timeOf(merged.blocks(), {}, all).durationAlone();
    ASSERT_LE(pair, first + second) << i;
    ASSERT_GE(pair, std::max(first, second)) << i;
    ASSERT_GE(pair, both.computes + both.others) << i;
    ASSERT_GE(pair, both.exchanges) << i;
    gained += pair < first + second ? 1 : 0;
    const StageProgram program{ActionKind::PairedForward,
                               {merged.blocks().begin(), merged.blocks().end()}};
    cost::Clocks clocks;
    ASSERT_EQ(cost::walk(program, {}, {}, clocks, [](const cost::WalkedSegment&) {}), pair) << i;
  }
  EXPECT_GT(gained, 1000U);
}

namespace {
/// When the rank goes on behind a pass, with what the calls that it leaves behind cost it.
std::uint64_t computesAgain(const cost::ProgramTime& of) {
  cost::Clocks clocks;
  (void)of.advance(clocks);
  return clocks.computation;
}

/// A random plan in pairs, as the front end leaves it; nothing where it cannot be.
std::optional<Plan> inPairs(std::uint64_t seed) {
  Plan plan = test::randomPlan(seed);
  Layout& l = plan.layout;
  if (!l.mesh.hasExperts || l.mesh.axes[1].axis != Axis::Pipeline || l.mesh.axes[1].size < 2)
    return std::nullopt;
  Random random(seed);
  const std::uint64_t p = l.mesh.axes[1].size;
  l.schedule = p % 2 == 0 && random.oneIn(2) ? ScheduleKind::DualPipe : ScheduleKind::DualPipeV;
  l.chunks = 2, l.group = l.inFlight = 0;
  l.split = random.oneIn(2) ? SplitKind::Even : SplitKind::Balanced, l.splitLayers.clear();
  l.microBatchCosts.clear();
  l.batch =
      l.microBatch * l.mesh.axes[0].size * l.mesh.axes[2].size * (2 * p + 2 * random.below(4));
  if (random.oneIn(4))
    for (std::uint64_t i = 0; i < 2; ++i)
      l.microBatchCosts.push_back(1 + i);
  l.overlap.experts = true, l.launchBlocking = false;
  return plan;
}
/// The same completed; nothing where its experts are not divided either.
std::optional<Plan> completed(Plan plan) {
  DiagnosticEngine unheard;
  if (runPipeline(plan, unheard, {}).failed() ||
      !stageProgramOf(plan, plan.chunkPrograms.front(), ActionKind::PairedForward))
    return std::nullopt;
  return plan;
}
} // namespace

namespace {
void pairsHaveTheirSegments(const Plan& plan) {
  const RankSchedule& rank = plan.schedule.front();
  std::vector<std::uint64_t> segments(rank.actions.size(), 0);
  cost::visitSegments(plan, 0, [&](const cost::ExecutedSegment& s) {
    EXPECT_GE(streamOf(*s.segment) == Stream::Data ? s.end : s.begin, rank.start.front());
    ++segments[s.action.index()];
  });
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (rank.actions[i].kind == ActionKind::PairedForward) {
      EXPECT_GT(segments[i], 0U) << i;
      EXPECT_GT(segments[i + 1], 0U) << i;
    }
}

void estimateIsWhatPassesWrite(Plan plan, const cost::LayoutCandidate& candidate) {
  planner::writeCandidate(candidate, plan.layout, true);
  const std::optional<Plan> done = completed(plan);
  if (!done)
    return; // another order of the axes can be illegal
  planner::Estimator estimator(plan);
  for (int again = 0; again < 2; ++again) {
    const planner::Estimate estimate = estimator.quick(candidate);
    EXPECT_TRUE(estimate.executed);
    EXPECT_EQ(estimate.step, cost::endOfSchedule(*done));
    EXPECT_EQ(estimate.peak, tightest(done->memory)->peak());
  }
}
} // namespace

TEST(MergedPairs, OfPlansTakeBetweenTheLargerPassAndBoth) {
  std::uint64_t made = 0;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    const std::optional<Plan> asked = inPairs(seed);
    const std::optional<Plan> plan = asked ? completed(*asked) : std::nullopt;
    if (!plan)
      continue;
    ++made;
    estimateIsWhatPassesWrite(*asked, planner::candidateOf(*plan));
    const MicroBatchCosts costs(plan->layout.microBatchCosts);
    for (const ChunkPrograms& programs : plan->chunkPrograms) {
      const auto bodyOfKind = [&](const ChunkPrograms& of, ActionKind kind) -> const StageProgram& {
        return plan->stagePrograms[*stageProgramOf(*plan, of, kind)];
      };
      const StageProgram &merged = bodyOfKind(programs, ActionKind::PairedForward),
                         &forward = bodyOfKind(programs, ActionKind::Forward),
                         &backward = bodyOfKind(pairedWith(*plan, programs), ActionKind::Backward);
      for (std::size_t a = 0; a < costs.kinds(); ++a)
        for (std::size_t b = 0; b < costs.kinds(); ++b) {
          const cost::ProgramTime one = cost::timeOf(forward, {}, all, costs.ratio(a)),
                                  other = cost::timeOf(backward, {}, all, costs.ratio(b)),
                                  pair = cost::timeOf(merged, {}, all,
                                                      {costs.ratio(a), costs.ratio(b)});
          EXPECT_LE(computesAgain(pair), computesAgain(one.then(other))) << seed;
          EXPECT_LE(pair.durationAlone(), one.then(other).durationAlone()) << seed;
          EXPECT_GE(pair.durationAlone(), std::max(one.durationAlone(), other.durationAlone()))
              << seed;
        }
    }
    const simulation::StepShape shape(*plan, simulation::Detail::Folded);
    simulation::StepRun run(shape);
    const std::uint64_t step = run.run({});
    if (run.sharedMessages() == 0) {
      EXPECT_EQ(step, cost::endOfSchedule(*plan)) << seed;
    }
    pairsHaveTheirSegments(*plan);
  }
  EXPECT_GT(made * 12, test::plansToMake());
}
