//===- PipelineScheduleTest.cpp - Operation lists and their execution -------------------------===//
#include "cost/schedules/PipelineSchedule.h"
#include <gtest/gtest.h>

using namespace dpl::cost;
using namespace dpl::ir;

namespace {
struct PipelineRun {
  PipelineShape shape;
  std::vector<RankSchedule> schedule;
  Execution result;
  PipelineRun(ScheduleKind kind, std::uint64_t p, std::uint64_t v, std::uint64_t m,
              std::vector<PieceTime> times, bool overlapped = true)
      : shape{kind, p, v, m} {
    for (std::uint64_t r = 0; r < p; ++r)
      schedule.push_back({r, operationsOf(shape, r)});
    result = execute(shape, times, overlapped, schedule);
  }
  std::uint64_t live(std::uint64_t rank) const {
    const LivePeak peak =
        livePeak(schedule[rank].operations, std::vector<std::uint64_t>(shape.chunks, 1),
                 std::vector<std::uint64_t>(shape.chunks, 0));
    return peak.bytes;
  }
};
std::vector<PieceTime> equal(std::uint64_t pieces, std::uint64_t f, std::uint64_t w,
                             std::uint64_t c = 0) {
  return std::vector<PieceTime>(pieces, PieceTime{f, w, c, c});
}
} // namespace

TEST(PipelineScheduleTest, BalancedFlush_TakesMicroBatchesPlusStagesLessOne) {
  for (ScheduleKind kind : {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward})
    for (std::uint64_t p = 1; p <= 12; ++p)
      for (std::uint64_t m = 1; m <= 40; m += 3) {
        const PipelineRun run(kind, p, 1, m, equal(p, 10, 23));
        EXPECT_TRUE(run.result.completed);
        EXPECT_EQ(run.result.makespan, (m + p - 1) * 33)
            << p << " stages, " << m << " micro-batches";
      }
}

TEST(PipelineScheduleTest, InterleavedFlush_DividesTheBubbleByItsChunks) {
  for (std::uint64_t p : {2, 3, 4, 8})
    for (std::uint64_t v : {1, 2, 3, 4})
      for (std::uint64_t groups : {1, 2, 3, 8}) {
        const std::uint64_t m = p * groups;
        const PipelineRun run(ScheduleKind::Interleaved, p, v, m, equal(p * v, 10, 20));
        EXPECT_TRUE(run.result.completed);
        // A bubble of p − 1 chunk times: T = (vm + p − 1)(f + w).
        EXPECT_EQ(run.result.makespan, (v * m + p - 1) * 30) << p << ' ' << v << ' ' << m;
      }
}

TEST(PipelineScheduleTest, InterleavedFlush_CompletesWithAnyNumberOfMicroBatches) {
  for (std::uint64_t p : {2, 4, 5})
    for (std::uint64_t v : {2, 3})
      for (std::uint64_t m = p; m <= 4 * p; ++m) {
        const PipelineRun run(ScheduleKind::Interleaved, p, v, m, equal(p * v, 7, 13));
        if (m % p == 0) {
          EXPECT_TRUE(run.result.completed);
        }
        EXPECT_GE(run.result.makespan, run.result.completed ? v * m * 20 : 0);
      }
}

TEST(PipelineScheduleTest, UnequalStages_TakeWhatTheirOrderGives) {
  // Forward [1,1,2,1], backward doubled, 8 micro-batches: 57 all-forward-first, 55 for 1F1B.
  const std::vector<PieceTime> times = {{1, 2, 0, 0}, {1, 2, 0, 0}, {2, 4, 0, 0}, {1, 2, 0, 0}};
  EXPECT_EQ(PipelineRun(ScheduleKind::GPipe, 4, 1, 8, times).result.makespan, 57U);
  EXPECT_EQ(PipelineRun(ScheduleKind::OneForwardOneBackward, 4, 1, 8, times).result.makespan, 55U);
}

TEST(PipelineScheduleTest, Transfers_CostOneForwardOneBackwardMore) {
  // f = 1 ms, w = 2 ms, 0.5 ms a boundary and direction: 36 ms all-forward-first, 41 ms for 1F1B.
  const std::vector<PieceTime> times = equal(4, 1000, 2000, 500);
  EXPECT_EQ(PipelineRun(ScheduleKind::GPipe, 4, 1, 8, times).result.makespan, 36000U);
  EXPECT_EQ(PipelineRun(ScheduleKind::OneForwardOneBackward, 4, 1, 8, times).result.makespan,
            41000U);
}

TEST(PipelineScheduleTest, WaitingSends_AreNeverFasterThanOverlappedOnes) {
  const std::vector<PieceTime> times = equal(4, 1000, 2000, 100);
  EXPECT_GT(PipelineRun(ScheduleKind::OneForwardOneBackward, 4, 1, 8, times, false).result.makespan,
            PipelineRun(ScheduleKind::OneForwardOneBackward, 4, 1, 8, times, true).result.makespan);
}

TEST(PipelineScheduleTest, WarmUp_IsThatOfMegatron) {
  const PipelineShape plain{ScheduleKind::OneForwardOneBackward, 8, 1, 32};
  EXPECT_EQ(warmupForwards(plain, 0), 7U);
  EXPECT_EQ(warmupForwards(plain, 7), 0U);
  const PipelineShape interleaved{ScheduleKind::Interleaved, 8, 2, 32};
  EXPECT_EQ(warmupForwards(interleaved, 0), 7U * 2 + 8);
  EXPECT_EQ(warmupForwards(interleaved, 7), 8U);
  const PipelineShape few{ScheduleKind::OneForwardOneBackward, 8, 1, 4};
  EXPECT_EQ(warmupForwards(few, 0), 4U);
}

TEST(PipelineScheduleTest, MicroBatchesInFlight_AreTheClosedForms) {
  const PipelineRun few(ScheduleKind::OneForwardOneBackward, 8, 1, 4, equal(8, 1, 2));
  const std::vector<std::uint64_t> expected = {4, 4, 4, 4, 4, 3, 2, 1};
  for (std::uint64_t r = 0; r < 8; ++r)
    EXPECT_EQ(few.live(r), expected[r]);
  EXPECT_EQ(PipelineRun(ScheduleKind::GPipe, 8, 1, 32, equal(8, 1, 2)).live(0), 32U);
  // min(vm, 2(p−r−1) + (v−1)p + 1) chunks: 23 of two chunks on rank 0.
  const PipelineRun interleaved(ScheduleKind::Interleaved, 8, 2, 32, equal(16, 1, 2));
  EXPECT_EQ(interleaved.live(0), 23U);
  EXPECT_EQ(PipelineRun(ScheduleKind::Interleaved, 8, 4, 32, equal(32, 1, 2)).live(0), 39U);
}

TEST(PipelineScheduleTest, OrderThatWaitsInACircle_IsReported) {
  // Rank 0 wants a gradient before it has sent the activation that it comes from.
  PipelineShape shape{ScheduleKind::OneForwardOneBackward, 2, 1, 1};
  std::vector<RankSchedule> schedule = {{0, operationsOf(shape, 0)}, {1, operationsOf(shape, 1)}};
  std::vector<ScheduledOperation>& list = schedule[0].operations;
  std::rotate(list.begin(), list.begin() + 2, list.begin() + 3);
  ASSERT_EQ(list.front().kind, OperationKind::Receive);
  const Execution result = execute(shape, equal(2, 1, 2), true, schedule);
  EXPECT_FALSE(result.completed);
  EXPECT_EQ(result.blockedRank, 0U);
  EXPECT_EQ(result.blockedOperation, 0U);
}

TEST(PipelineScheduleTest, OneStage_IsTheSumOfItsWork) {
  EXPECT_EQ(
      PipelineRun(ScheduleKind::OneForwardOneBackward, 1, 1, 5, equal(1, 3, 6)).result.makespan,
      45U);
}
