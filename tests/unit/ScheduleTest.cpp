//===- ScheduleTest.cpp - What the rows of Schedules.def take ---------------------------------===//
#include "cost/execution/GroupedRun.h"
#include "cost/execution/RankSchedules.h"
#include "cost/execution/StoredOrder.h"
#include "tests/unit/PipelineRun.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using namespace dpl::test;
using enum ScheduleKind;

TEST(Schedule, BalancedFlush_TakesMicroBatchesPlusStagesLessOne) {
  for (const ScheduleKind kind : {GPipe, OneForwardOneBackward})
    for (std::uint64_t p = 1; p <= 12; ++p)
      for (std::uint64_t m = 1; m <= 40; m += 3) {
        const PipelineRun run(kind, p, 1, m, equal(p, 10, 23));
        EXPECT_TRUE(run.result.completed);
        EXPECT_EQ(run.result.makespan, (m + p - 1) * 33)
            << p << " stages, " << m << " micro-batches";
      }
}

TEST(Schedule, InterleavedFlush_DividesTheBubbleByItsChunks) {
  for (const std::uint64_t p : {2, 3, 4, 8})
    for (const std::uint64_t v : {1, 2, 3, 4})
      for (const std::uint64_t groups : {1, 2, 3, 8}) {
        const std::uint64_t m = p * groups;
        const PipelineRun run(Interleaved, p, v, m, equal(p * v, 10, 20));
        EXPECT_TRUE(run.result.completed);
        // A bubble of p − 1 chunk times: T = (vm + p − 1)(f + w).
        EXPECT_EQ(run.result.makespan, (v * m + p - 1) * 30) << p << ' ' << v << ' ' << m;
      }
}

TEST(Schedule, UnequalStages_TakeWhatTheirOrderGives) {
  // Forward [1,1,2,1], backward doubled, 8 micro-batches: 57 all-forward-first, 55 for 1F1B.
  const std::vector<ChunkTime> times = {
      {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {2, 4, 0, 0, 0}, {1, 2, 0, 0, 0}};
  EXPECT_EQ(PipelineRun(GPipe, 4, 1, 8, times).result.makespan, 57U);
  EXPECT_EQ(PipelineRun(OneForwardOneBackward, 4, 1, 8, times).result.makespan, 55U);
}

TEST(Schedule, Transfers_CostOneForwardOneBackwardMore) {
  // f = 1 ms, w = 2 ms, 0.5 ms a boundary and direction: 36 ms all-forward-first, 41 ms for 1F1B.
  const std::vector<ChunkTime> times = equal(4, 1000, 2000, 500);
  EXPECT_EQ(PipelineRun(GPipe, 4, 1, 8, times).result.makespan, 36000U);
  EXPECT_EQ(PipelineRun(OneForwardOneBackward, 4, 1, 8, times).result.makespan, 41000U);
}

TEST(Schedule, WaitingSends_AreNeverFasterThanOverlappedOnes) {
  const std::vector<ChunkTime> times = equal(4, 1000, 2000, 100);
  EXPECT_GT(PipelineRun(OneForwardOneBackward, 4, 1, 8, times, false).result.makespan,
            PipelineRun(OneForwardOneBackward, 4, 1, 8, times, true).result.makespan);
}

// One micro-batch on two stages: forward 10 ps, 1 ps to send, forward 10, backward 20, 1 to send,
// backward 20.
TEST(Schedule, WaitingSends_HoldTheSenderForAllTheirTime) {
  const std::vector<ChunkTime> times = equal(2, 10, 20, 1);
  const PipelineRun run(OneForwardOneBackward, 2, 1, 1, times, false);
  EXPECT_EQ(run.result.makespan, 62U);
  StoredOrder stored(run.shape.placement(), 1, run.lists, run.executor);
  stored.sweep(times, false);
  EXPECT_EQ(stored.ranks()[0].end, 62U);
  EXPECT_EQ(stored.ranks()[0].sending, 1U);
  EXPECT_EQ(stored.ranks()[1].begin, 11U);
  EXPECT_EQ(stored.ranks()[1].end, 42U);
  EXPECT_EQ(stored.ranks()[1].sending, 1U);
}

TEST(Schedule, WarmUp_IsThatOfMegatron) {
  const auto warmup = [](const PipelineShape& shape, std::uint64_t rank) {
    return scheduleInfo(shape.kind).warmup(shape, rank);
  };
  const PipelineShape plain{OneForwardOneBackward, 8, 1, 32};
  EXPECT_EQ(warmup(plain, 0), 7U);
  EXPECT_EQ(warmup(plain, 7), 0U);
  const PipelineShape interleaved{Interleaved, 8, 2, 32};
  EXPECT_EQ(warmup(interleaved, 0), 7U * 2 + 8);
  EXPECT_EQ(warmup(interleaved, 7), 8U);
  EXPECT_EQ(warmup({OneForwardOneBackward, 8, 1, 4}, 0), 4U);
  PipelineShape groups{Interleaved, 8, 3, 32};
  groups.microBatchGroup = 12;
  EXPECT_EQ(warmup(groups, 0), 7U * 2 + 2 * 12);
  // One chunk a rank is plain 1F1B.
  EXPECT_EQ(warmup({Interleaved, 8, 1, 32}, 0), 7U);
}

TEST(Schedule, MicroBatchesInFlight_AreTheClosedForms) {
  const PipelineRun few(OneForwardOneBackward, 8, 1, 4, equal(8, 1, 2));
  const std::vector<std::uint64_t> expected = {4, 4, 4, 4, 4, 3, 2, 1};
  for (std::uint64_t r = 0; r < 8; ++r)
    EXPECT_EQ(few.live(r), expected[r]);
  EXPECT_EQ(PipelineRun(GPipe, 8, 1, 32, equal(8, 1, 2)).live(0), 32U);
  // min(vm, 2(p−r−1) + (v−1)p + 1) chunks: 23 of two chunks on rank 0.
  EXPECT_EQ(PipelineRun(Interleaved, 8, 2, 32, equal(16, 1, 2)).live(0), 23U);
  EXPECT_EQ(PipelineRun(Interleaved, 8, 4, 32, equal(32, 1, 2)).live(0), 39U);
}

TEST(Schedule, EachRow_EndsWithBufferedSendsAndInItsOwnGroups) {
  forShapes([](const PipelineShape& shape) {
    const PipelineRun run(shape.kind, shape.ranks, shape.chunks, shape.microBatches,
                          equal(shape.ranks * shape.chunks, 10, 20, 1));
    EXPECT_TRUE(run.result.completed) << nameOf(shape);
    GroupedRun grouped;
    EXPECT_TRUE(grouped.run(shape.placement(), shape.microBatches, run.views,
                            *scheduleInfo(shape.kind).exchanges))
        << nameOf(shape);
  });
}

namespace {
/// What a row claims of ranks that each hold what they hold, and of runs of `alike` ranks.
Makespan claimOf(const PipelineShape& shape, const std::vector<ChunkTime>& times,
                 std::uint64_t alike, bool overlapped) {
  const Placement placement = shape.placement();
  std::vector<std::vector<ChunkTime>> chunks(shape.ranks);
  std::vector<RankRun> runs;
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk)
      chunks[rank].push_back(times[placement.indexOf(rank, chunk).index()]);
  for (std::uint64_t rank = 0; rank < shape.ranks; rank += alike)
    runs.push_back({std::min(alike, shape.ranks - rank), chunks[rank]});
  return scheduleInfo(shape.kind).closedForm(shape, runs, overlapped);
}
} // namespace

TEST(Schedule, ClosedFormOfEachRow_IsNoMoreThanItsExecution) {
  // Piece times by a fixed linear congruence, so that every machine draws the same.
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t most) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % most;
  };
  forShapes([&](const PipelineShape& shape) {
    if (!scheduleInfo(shape.kind).closedForm)
      return;
    for (const std::uint64_t alike : {1, 3})
      for (const bool overlapped : {true, false}) {
        std::vector<ChunkTime> times(shape.ranks * shape.chunks);
        for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk)
          for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
            ChunkTime& time = times[shape.placement().indexOf(rank, chunk).index()];
            const std::uint64_t weight = draw(500);
            time = {500 + draw(500), 500 + weight + draw(500), draw(100), draw(100), weight};
            if (rank % alike > 0)
              time = times[shape.placement().indexOf(rank - 1, chunk).index()];
          }
        const PipelineRun run(shape.kind, shape.ranks, shape.chunks, shape.microBatches, times,
                              overlapped);
        const Makespan claim = claimOf(shape, times, alike, overlapped);
        if (claim.claim == Makespan::Claim::Exact) {
          EXPECT_EQ(claim.time, run.result.makespan) << nameOf(shape) << ' ' << alike << overlapped;
        }
        EXPECT_LE(claim.time, run.result.makespan) << nameOf(shape) << ' ' << alike << overlapped;
        EXPECT_GE(static_cast<double>(claim.time), 0.7 * static_cast<double>(run.result.makespan))
            << nameOf(shape);
      }
  });
}

TEST(Schedule, SplitBackward_TakesItsOwnTimesAndFreesWithItsLastUser) {
  // Two micro-batches forward, backward for input, backward for weight: 2·(100 + 120 + 80) = 600.
  ActionList schedule;
  for (std::uint32_t m = 0; m < 2; ++m)
    schedule.push_back({ActionKind::Forward, 0, m});
  for (std::uint32_t m = 0; m < 2; ++m)
    schedule.push_back({ActionKind::BackwardInput, 0, m});
  for (std::uint32_t m = 0; m < 2; ++m)
    schedule.push_back({ActionKind::BackwardWeight, 0, m});
  const std::vector<llvm::ArrayRef<ScheduledAction>> schedules = {schedule};
  Executor executor;
  const Execution& run =
      executor.run({PlacementKind::Linear, 1, 1}, 2, schedules, {{100, 200, 0, 0, 80}}, true);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.makespan, 600U);
  EXPECT_EQ(executor.start(0, 4), 440U);
  // Both micro-batches are held until the first weight gradient is done.
  EXPECT_EQ(livePeak(schedule, eachHolds(1, 10)).bytes, 20U);
  // The second forward after the first weight gradient:
  schedule = {{ActionKind::Forward, 0, 0},        {ActionKind::BackwardInput, 0, 0},
              {ActionKind::BackwardWeight, 0, 0}, {ActionKind::Forward, 0, 1},
              {ActionKind::BackwardInput, 0, 1},  {ActionKind::BackwardWeight, 0, 1}};
  EXPECT_EQ(livePeak(schedule, eachHolds(1, 10)).bytes, 10U);
}

TEST(Schedule, SummedGradients_AreThereFromTheFirstBackwardToTheLast) {
  ChunkBytes bytes = eachHolds(2, 10);
  bytes.gradients = {25, 50};
  const auto op = [](ActionKind kind, std::uint16_t chunk, std::uint32_t m) {
    return ScheduledAction{kind, chunk, m};
  };
  const auto forward = ActionKind::Forward, backward = ActionKind::Backward;
  const std::vector<ScheduledAction> schedule = {
      op(forward, 0, 0),  op(forward, 0, 1),  op(forward, 1, 0),  op(forward, 1, 1),
      op(backward, 1, 0), op(backward, 1, 1), op(backward, 0, 0), op(backward, 0, 1)};
  std::vector<std::uint64_t> during, after;
  visitLive(schedule, bytes, [&](const LiveBytes& now) {
    during.push_back(now.during), after.push_back(now.after);
  });
  // Those of chunk 1 leave before those of chunk 0 come.
  EXPECT_EQ(during, (std::vector<std::uint64_t>{10, 20, 30, 40, 40, 80, 20, 35}));
  EXPECT_EQ(after, (std::vector<std::uint64_t>{10, 20, 30, 40, 80, 20, 35, 0}));
  const LivePeak peak = livePeak(schedule, bytes);
  EXPECT_EQ(peak.bytes, 80U);
  EXPECT_EQ(peak.gradients, 50U);
  EXPECT_EQ(peak.action, 5U);
  const LivePeaks peaks(schedule, 2, {.gradients = true});
  EXPECT_EQ(peaks.of(bytes).bytes, 80U);
  EXPECT_EQ(peaks.most().live, (llvm::SmallVector<std::uint64_t, 16>{2, 2}));
  EXPECT_EQ(peaks.most().restored, (llvm::SmallVector<std::uint64_t, 16>{0, 0}));
}

// The last of 2 ranks, 2 chunks, turns of 4. Of 12 micro-batches it has at most 4 of the first
// chunk and 1 of the second, of which it runs one backward behind each forward. Of 6 the last turn
// has 2: those of the second chunk come sooner, with 3 of the first still there. So more
// micro-batches may lower a peak where the second chunk keeps more: 4 x 2 + 7 of 3 x 2 + 2 x 7.
TEST(Schedule, AShortLastTurn_MayHoldMoreThanWholeOnes) {
  ChunkBytes bytes = eachHolds(2, 2);
  bytes.saved[1] = 7;
  const auto peak = [&](std::uint64_t microBatches) {
    PipelineShape shape{ScheduleKind::Interleaved, 2, 2, microBatches};
    shape.microBatchGroup = 4;
    return livePeak(perRankSchedules(shape)[1], bytes);
  };
  EXPECT_EQ(peak(6).bytes, 20U);
  EXPECT_EQ(peak(6).live, (llvm::SmallVector<std::uint64_t, 8>{3, 2}));
  EXPECT_EQ(peak(12).bytes, 15U);
  EXPECT_EQ(peak(12).live, (llvm::SmallVector<std::uint64_t, 8>{4, 1}));
}

TEST(Schedule, VShapedOrder_HandsOverOnTheRankWhereItTurns) {
  // One micro-batch through two ranks and back: 4 forwards and 4 backwards of 1 and 2, of which
  // three steps each way cross between ranks in 5: 4·1 + 4·2 + 2·2·5.
  const Placement placement{PlacementKind::VShaped, 2, 2};
  using K = ActionKind;
  const ActionList first = {
      {K::Forward, 0, 0}, {K::Forward, 1, 0}, {K::Backward, 1, 0}, {K::Backward, 0, 0}};
  const std::vector<llvm::ArrayRef<ScheduledAction>> schedules = {first, first};
  Executor executor;
  const Execution& run = executor.run(placement, 1, schedules, equal(4, 1, 2, 5), true);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.makespan, 4U + 8U + 4U * 5U);
}

TEST(Schedule, BidirectionalOrder_RunsBothDirectionsAtOnce) {
  // Two ranks, one micro-batch from each end: both pass in the middle, as fast as one alone but for
  // the work of the other.
  const Placement placement{PlacementKind::Bidirectional, 2, 2};
  using K = ActionKind;
  const ActionList down = {
      {K::Forward, 0, 0}, {K::Forward, 1, 1}, {K::Backward, 1, 1}, {K::Backward, 0, 0}};
  const ActionList up = {
      {K::Forward, 1, 1}, {K::Forward, 0, 0}, {K::Backward, 0, 0}, {K::Backward, 1, 1}};
  const std::vector<llvm::ArrayRef<ScheduledAction>> schedules = {down, up};
  Executor executor;
  const Execution& run = executor.run(placement, 2, schedules, equal(4, 1, 2), true);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.makespan, 6U); // each rank is busy all the time: 2 forwards and 2 backwards
}

TEST(Schedule, OneStage_IsTheSumOfItsWork) {
  EXPECT_EQ(PipelineRun(OneForwardOneBackward, 1, 1, 5, equal(1, 3, 6)).result.makespan, 45U);
}
