//===- ProgramTimeTest.cpp - Bodies: what they take, and what they are made of ----------------===//
//
// Times are worked out by hand, and next to them by a walk over the segments one by one, which
// shares the rule of one segment with the matrices, and not how they compose.
#include "PassRunner.h"
#include "cost/execution/Step.h"
#include "cost/programs/ProgramWalk.h"
#include <gmock/gmock.h>
#include <random>

using namespace dpl;
using namespace dpl::ir;
using testing::ElementsAre;

namespace {
bool takesTime(const Segment&) { return true; }

Segment compute(std::uint64_t time) { return {ComputeSegment{ComputeKind::None, time}}; }
Segment call(Stream stream, std::uint64_t index, std::uint64_t time, std::uint64_t holds,
             std::uint64_t slows = 0, MicroBatchSelection when = MicroBatchSelection::Every,
             bool prefetch = false) {
  return {CollectiveSegment{ChunkCollectiveId(index), stream, prefetch, time, holds, slows}, when};
}
Segment waitFor(std::uint64_t index) { return {WaitSegment{ChunkCollectiveId(index)}}; }
StageProgram body(std::vector<SegmentLoop> blocks) {
  return {ActionKind::Backward, std::move(blocks)};
}

/// Begins at (computation, data): when outputs leave, when computation goes on, when data ends.
std::vector<std::uint64_t> run(const StageProgram& b, std::uint64_t computation, std::uint64_t data,
                               cost::FirstLast firstLast = {}, CostRatio cost = {}) {
  cost::Clocks clocks{computation, data};
  const std::uint64_t left = cost::timeOf(b, firstLast, takesTime, cost).advance(clocks);
  return {left, clocks.computation, clocks.data};
}

/// The same, segment by segment.
std::vector<std::uint64_t> walked(const StageProgram& b, std::uint64_t computation,
                                  std::uint64_t data, CostRatio cost = {}) {
  cost::Clocks clocks{computation, data};
  const std::uint64_t left = cost::walk(b, {}, cost, clocks, [](const cost::WalkedSegment&) {});
  return {left, clocks.computation, clocks.data};
}
} // namespace

TEST(ProgramTime, ABlockingCall_IsAddedToTheComputation) {
  const StageProgram b = body({{3, {compute(10), call(Stream::Tensor, 0, 4, 4)}}});
  EXPECT_THAT(run(b, 100, 0), ElementsAre(142, 142, 0));
  EXPECT_TRUE(cost::timeOf(b, {}, takesTime).isComputeOnly());
  EXPECT_FALSE(cost::leavesCollectivesRunning(b));
}

TEST(ProgramTime, ACallBeside_ShowsWhatIsLongerThanTheComputation) {
  const auto beside = [](std::uint64_t time) {
    return run(
        body({{2, {call(Stream::Context, 0, time, 0), compute(10), waitFor(0), compute(5)}}}), 0,
        0)[0];
  };
  EXPECT_EQ(beside(8), 30U);  // hidden
  EXPECT_EQ(beside(13), 36U); // 3 more, twice
}

TEST(ProgramTime, ACallInPieces_HoldsComputationForTheFirst) {
  // 12 in 4 pieces: 3 show, 9 run beside 10; of 40, 30 run beside 10.
  EXPECT_EQ(run(body({{1, {call(Stream::Tensor, 0, 12, 3), compute(10), waitFor(0)}}}), 0, 0)[0],
            13U);
  EXPECT_EQ(run(body({{1, {call(Stream::Tensor, 0, 40, 10), compute(10), waitFor(0)}}}), 0, 0)[0],
            40U);
}

TEST(ProgramTime, ReductionsOfLayers_FollowOneAnotherAndOutliveTheBody) {
  // Layers of 10 end at 10, 20, 30; reductions of 15 at 25, 40, 55, each of which slows the next
  // layer by 1 (the last slows what comes after the body).
  const StageProgram b = body({{3, {compute(10), call(Stream::Data, 0, 15, 0, 1)}}});
  EXPECT_THAT(run(b, 0, 0), ElementsAre(32, 33, 55));
  EXPECT_TRUE(cost::leavesCollectivesRunning(b));
  // Behind a stream that is free at 100 only: 115, 130, 145.
  EXPECT_THAT(run(b, 0, 100), ElementsAre(32, 33, 145));
}

TEST(ProgramTime, GathersAheadOfLayers_HoldThemUpWhenTheyAreSlower) {
  // The first gather shows; then each runs beside a layer: 12 + 2 * 12 + 10.
  const StageProgram b = body({{1, {call(Stream::Data, 0, 12, 12)}},
                               {2, {call(Stream::Data, 0, 12, 0), compute(10), waitFor(0)}},
                               {1, {compute(10)}}});
  EXPECT_THAT(run(b, 0, 0), ElementsAre(46, 46, 36));
}

TEST(ProgramTime, APrefetch_NeedsItsStreamAlone) {
  // The rank's input comes at 30; three gathers of 10 have run by then. What they cost comes after.
  const StageProgram b =
      body({{1, {call(Stream::Data, 0, 10, 10, 0, MicroBatchSelection::First, true)}},
            {2,
             {call(Stream::Data, 0, 10, 0, 1, MicroBatchSelection::First, true), compute(5),
              waitFor(0)}},
            {1, {compute(5)}}});
  EXPECT_THAT(run(b, 30, 0, {true, false}), ElementsAre(45, 47, 30));
  EXPECT_THAT(run(b, 0, 0, {true, false}), ElementsAre(35, 37, 30));
  EXPECT_THAT(run(b, 30, 0), ElementsAre(45, 45, 0)); // another micro-batch has none
}

TEST(ProgramTime, ACallThatTakesNoTime_SlowsNothing) {
  const StageProgram b = body({{1, {call(Stream::Data, 0, 15, 0, 2), compute(10), waitFor(0)}}});
  EXPECT_EQ(cost::timeOf(b, {}, takesTime).durationAlone(), 15U);
  EXPECT_EQ(cost::timeOf(b, {}, [](const Segment&) { return false; }).durationAlone(), 10U);
}

TEST(ProgramWalk, SegmentsStandWhereTheyRun) {
  // A call of 15 beside a layer of 10 that it slows by 2: the layer ends at 12, computation waits
  // until 15; a reduction follows on the data stream, which is free at 30 only.
  const StageProgram b = body(
      {{1,
        {call(Stream::Context, 0, 15, 0, 2), compute(10), waitFor(0), compute(5),
         call(Stream::Data, 1, 4, 0), call(Stream::Data, 2, 3, 0, 0, MicroBatchSelection::Last)}}});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  cost::Clocks clocks{0, 30};
  EXPECT_EQ(cost::walk(b, {}, {}, clocks,
                       [&](const cost::WalkedSegment& s) {
                         seen.push_back({s.begin, s.end});
                       }),
            20U);
  EXPECT_THAT(
      seen, ElementsAre(std::pair(0, 15), std::pair(0, 12), std::pair(15, 20), std::pair(30, 34)));
  EXPECT_EQ(clocks.data, 34U);
}

TEST(ProgramTime, MatricesGiveWhatSegmentsOneByOneGive) {
  std::mt19937_64 random(7);
  const auto upTo = [&](std::uint64_t n) { return random() % (n + 1); };
  for (int i = 0; i < 2000; ++i) {
    StageProgram b = body({});
    for (std::uint64_t blocks = 1 + upTo(3); blocks > 0; --blocks) {
      SegmentLoop block{1 + upTo(20), {}};
      for (std::uint64_t n = 1 + upTo(5); n > 0; --n) {
        const std::uint64_t time = upTo(50), kind = upTo(4);
        const auto stream = static_cast<Stream>(1 + upTo(2));
        if (kind == 0)
          block.segments.push_back(call(stream, 0, time, time));
        else if (kind == 1)
          for (const Segment& s :
               {call(stream, 1, time, upTo(time), upTo(3)), compute(upTo(50)), waitFor(1)})
            block.segments.push_back(s);
        else if (kind == 2)
          block.segments.push_back(
              call(Stream::Data, 2, time, 0, upTo(3), MicroBatchSelection::Every, upTo(1) == 1));
        else if (kind == 3)
          for (const Segment& s : {call(Stream::Data, 3, time, 0), compute(upTo(50)), waitFor(3)})
            block.segments.push_back(s);
        else
          block.segments.push_back(compute(time));
      }
      b.loops.push_back(std::move(block));
    }
    const std::uint64_t computation = upTo(500), data = upTo(500);
    ASSERT_EQ(run(b, computation, data), walked(b, computation, data)) << i;
    const CostRatio cost{1 + upTo(20), 10}; // of a micro-batch that is not the mean
    ASSERT_EQ(run(b, computation, data, {}, cost), walked(b, computation, data, cost)) << i;
  }
}
