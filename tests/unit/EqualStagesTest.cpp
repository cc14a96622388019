//===- EqualStagesTest.cpp - Makespans of equal stages by the forms of papers -----------------===//
#include "cost/schedules/Schedule.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using ir::ScheduleKind;

namespace {
/// Of 4 ranks whose forward, input gradient and weight gradient take these times.
std::optional<std::uint64_t> makespan(ScheduleKind kind, std::uint64_t chunks,
                                      std::uint64_t microBatches, std::uint64_t forward,
                                      std::uint64_t input, std::uint64_t weight) {
  return scheduleInfo(kind).equalStages({kind, 4, chunks, microBatches},
                                        {forward, input + weight, 0, 0, weight});
}
} // namespace

// Each rank works 8·30 and waits (4 − 1)·(F + B − W) = 30 ("Zero Bubble Pipeline Parallelism",
// arXiv:2401.10241, table 1); the form holds for weight passes that fit beside the others.
TEST(EqualStages, OfDelayedWeights_HoldUpToWeightsAsLongAsTheOthers) {
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleH1, 1, 8, 10, 10, 10), 8 * 30 + 3 * 10);
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleH1, 1, 8, 10, 10, 6), 8 * 26 + 3 * 14);
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleH1, 1, 8, 10, 10, 11), std::nullopt);
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleH1, 1, 4, 10, 10, 10), 4 * 30 + 3 * 10);
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleH1, 1, 3, 10, 10, 10), std::nullopt);
}

// No rank waits between its passes from 2p − 1 micro-batches on: 7 of two chunks of 30, and the
// forward passes of the ranks before the last.
TEST(EqualStages, OfAVWithoutBubbles_HoldFromTwiceTheRanksLessOneOn) {
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleV, 2, 7, 10, 10, 10), 7 * 2 * 30 + 3 * 10);
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleV, 2, 6, 10, 10, 10), std::nullopt);
  EXPECT_EQ(makespan(ScheduleKind::ZeroBubbleV, 2, 7, 10, 10, 9), std::nullopt);
}

// 8 passes of 30 through each rank, and p/2 − 1 times F&B + B − 3W with F&B = 30 (DeepSeek's
// DualPipe, README).
TEST(EqualStages, OfDualPipe_HoldUpToWeightsAsLongAsForwardPasses) {
  EXPECT_EQ(makespan(ScheduleKind::DualPipe, 2, 8, 10, 10, 10), 8 * 30 + (30 + 20 - 30));
  EXPECT_EQ(makespan(ScheduleKind::DualPipe, 2, 8, 10, 10, 4), 8 * 24 + (24 + 14 - 12));
  EXPECT_EQ(makespan(ScheduleKind::DualPipe, 2, 8, 10, 10, 11), std::nullopt);
  EXPECT_EQ(makespan(ScheduleKind::DualPipe, 2, 8, 10, 12, 10), std::nullopt);
}
