//===- TimelineTest.cpp - The schedule inside its passes and over the step --------------------===//
#include "cost/step/Timeline.h"
#include "cost/step/StepTimes.h"
#include "figures/Figures.h"
#include "tests/unit/SchedulePlans.h"

using namespace dpl;
using namespace dpl::ir;
using namespace dpl::test;

TEST(Timeline, InsideAPass_ComputationAndBlockingCallsEndWithIt) {
  for (const Plan& plan :
       {manyStreams(), planOf("pipeline = 2, tensor = 4", "  shard.sequence = tensor\n"),
        planOf("pipeline = 2, data = 4", "  schedule = interleaved_1f1b { chunks = 2 }\n"
                                         "  recompute = full\n")}) {
    std::uint64_t segments = 0;
    for (const RankSchedule& rank : plan.schedule) {
      std::vector<std::uint64_t> ends(rank.actions.size(), 0);
      cost::visitSegments(plan, rank.rank, [&](const cost::ExecutedSegment& s) {
        ++segments;
        if (s.segment->asCompute() || s.segment->asCollective()->stream != Stream::Data) {
          EXPECT_GE(s.begin, rank.start[s.action]);
          EXPECT_LE(s.end, rank.endOf(s.action));
          std::uint64_t& end = ends[s.action.index()];
          end = std::max(end, s.end);
        }
      });
      for (std::size_t i = 0; i < ends.size(); ++i) {
        if (isChunkAction(rank.actions[i].kind)) {
          EXPECT_EQ(ends[i], rank.endOf(i)) << rank.rank << " " << i;
        }
      }
    }
    EXPECT_EQ(segments, cost::countSegments(plan));
  }
}

TEST(Timeline, MemoryOverTheStep_HasThePeakOfThePlan) {
  for (const Plan& plan :
       {manyStreams(),
        planOf("pipeline = 4, data = 2", "  schedule = interleaved_1f1b { chunks = 3 }\n"),
        planOf("data = 8", "")})
    for (const RankMemory& memory : plan.memory) {
      std::uint64_t most = 0, before = 0;
      const std::vector<cost::MemorySample> curve = cost::memoryOverStep(plan, memory.rank);
      for (const cost::MemorySample& from : curve) {
        EXPECT_TRUE(from.time > before || &from == &curve.front());
        before = from.time;
        most = std::max(most, from.bytes);
      }
      EXPECT_EQ(most, memory.peak());
      for (const cost::MemorySample& from : curve)
        EXPECT_GE(from.bytes, curve.back().bytes) << "nothing is live behind the passes";
    }
}

TEST(Timeline, TheSpanIsOfTheRankThatTakesLongest) {
  // Rank 0 runs from 0 to 20 ms, rank 1 from 10 to 40 ms: 18 and 30 ms busy of 2 × 40 or 2 × 30.
  Plan plan = planOf("pipeline = 2, data = 4", "");
  const auto ms = [](std::uint64_t n) { return n * 1'000'000'000; };
  using enum ActionKind;
  plan.schedule[0].actions = {operation(Forward, 0, 0), operation(Backward, 0, 0)};
  plan.schedule[1].actions = plan.schedule[0].actions;
  plan.schedule[0].start = {ms(0), ms(12)}, plan.schedule[0].duration = {ms(10), ms(8)};
  plan.schedule[1].start = {ms(10), ms(20)}, plan.schedule[1].duration = {ms(10), ms(20)};
  plan.step = cost::stepTimes(plan); // of this schedule
  const figures::Figures figures(plan);
  EXPECT_NEAR(*figures.value("time.makespan"), 0.040, 1e-12);
  EXPECT_NEAR(*figures.value("time.longest_rank"), 0.030, 1e-12);
  EXPECT_NEAR(*figures.value("bubble_fraction"), 1 - 48.0 / 80, 1e-12);
  EXPECT_NEAR(*figures.value("bubble_fraction.longest_rank"), 1 - 48.0 / 60, 1e-12);
  EXPECT_NEAR(*figures.value("bubble_overhead"), 80.0 / 48 - 1, 1e-12);
  EXPECT_NEAR(*figures.value("bubble_overhead.longest_rank"), 60.0 / 48 - 1, 1e-12);
  EXPECT_NEAR(*figures.value("pipeline_utilization"), 48.0 / 80, 1e-12);
  EXPECT_NEAR(*figures.value("pipeline_utilization.longest_rank"), 48.0 / 60, 1e-12);
}
