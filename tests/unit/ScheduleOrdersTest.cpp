//===- ScheduleOrdersTest.cpp - The orders of the rows of Schedules.def -----------------------===//
#include "cost/execution/GroupedRun.h"
#include "cost/execution/Proof.h"
#include "cost/execution/RankSchedules.h"
#include "tests/unit/PipelineRun.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using namespace dpl::test;
using testing::HasSubstr;
using enum ScheduleKind;

TEST(Schedule, OrderThatWaitsInACircle_SaysTheShortestCircle) {
  // Rank 0 wants a gradient before it has sent the activation that it comes from.
  PipelineRun run(OneForwardOneBackward, 4, 1, 2, equal(4, 1, 2));
  std::swap(run.lists[0][0], run.lists[0].back());
  run.views.assign(run.lists.begin(), run.lists.end());
  const Execution& result =
      run.executor.run(run.shape.placement(), 2, run.views, equal(4, 1, 2), true);
  ASSERT_FALSE(result.completed);
  ASSERT_EQ(result.waiting.size(), 2U);
  EXPECT_EQ(result.waiting[0].rank, 0U);
  EXPECT_EQ(result.waiting[0].peer, 1U);
  EXPECT_FALSE(result.waiting[0].action.forward());
  EXPECT_EQ(result.waiting[1].peer, 0U);
  EXPECT_TRUE(result.waiting[1].action.forward());
}

TEST(Schedule, PairsThatTheRowDoesNotHave_AreRefused) {
  const PipelineShape shape{DualPipeV, 2, 2, 8};
  PerRankSchedules schedules = perRankSchedules(shape);
  std::size_t paired = 0;
  for (std::size_t i = 0; i + 1 < schedules[1].size(); ++i)
    if (schedules[1][i].kind == ActionKind::Forward &&
        schedules[1][i + 1].kind == ActionKind::Backward)
      schedules[1][i].kind = ActionKind::PairedForward, ++paired;
  ASSERT_EQ(paired, 1U); // which the last rank runs apart
  const std::vector<llvm::ArrayRef<ScheduledAction>> views(schedules.begin(), schedules.end());
  Proof proof;
  EXPECT_THAT(proof.flawOf(DualPipeV, shape.placement(), 8, views).text,
              HasSubstr("waits for the gradient of stage 3, micro-batch 0 from rank 0"));
}

TEST(Schedule, SerialBlockingSends_HangOneForwardOneBackward) {
  // Both neighbours send to one another and neither receives.
  const PipelineRun run(OneForwardOneBackward, 4, 1, 8, equal(4, 1, 2));
  GroupedRun serial;
  ASSERT_FALSE(serial.run(run.shape.placement(), 8, run.views, blockingSendReceive));
  const std::vector<Waiting> waiting = serial.waiting();
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_FALSE(waiting[0].receives || waiting[1].receives);
  const PipelineRun all(GPipe, 4, 1, 8, equal(4, 1, 2));
  EXPECT_TRUE(serial.run(all.shape.placement(), 8, all.views, blockingSendReceive));
}

namespace {
/// Where forward, input and weight passes of a chunk take a v-th of 1000 each, nothing else.
struct Figures {
  double makespan = 0, span = 0, peak = 0; ///< in passes of a rank; micro-batches
  Figures(ScheduleKind kind, std::uint64_t v, std::uint64_t p = 8, std::uint64_t m = 32) {
    // A bidirectional rank has a whole stage in each direction.
    const std::uint64_t pass = 1000 * PipelineShape{kind, p, v, m}.placement().directions() / v;
    const PipelineRun run(kind, p, v, m,
                          std::vector<ChunkTime>(p * v, {pass, 2 * pass, 0, 0, pass, 2 * pass}));
    EXPECT_TRUE(run.result.completed) << ir::name(kind);
    makespan = static_cast<double>(run.result.makespan) / 1000;
    for (std::uint64_t r = 0; r < p; ++r) {
      const std::size_t last = run.lists[r].size() - 1;
      span = std::max(
          span, static_cast<double>(run.executor.end(r, last) - run.executor.start(r, 0)) / 1000);
      peak = std::max(peak, static_cast<double>(run.live(r)) * static_cast<double>(pass) / 1000);
    }
  }
};
} // namespace

TEST(Schedule, PublishedFigures_OfEightRanksAndThirtyTwoMicroBatches) {
  // Makespan, span of the longest rank, and micro-batches held at most.
  struct Row {
    ScheduleKind kind;
    std::uint64_t chunks;
    double makespan, span, peak;
  };
  const Row rows[] = {{OneForwardOneBackward, 1, 117, 117, 8},
                      {EagerOneForwardOneBackward, 1, 117, 117, 15},
                      {Interleaved, 2, 106.5, 106.5, 11.5},
                      {Interleaved, 4, 101.25, 101.25, 9.75},
                      {LoopedBreadthFirst, 2, 106.5, 106.5, 32},
                      {ZeroBubbleH1, 1, 103, 103, 8},
                      {ZeroBubble1p, 1, 103, 103, 8},
                      {ZeroBubbleH2, 1, 103, 96, 15},
                      {ZeroBubbleAutomatic, 1, 103, 103, 8},
                      {ZeroBubbleV, 2, 99.5, 96, 8},
                      {ZeroBubbleVTimed, 2, 99.5, 96, 8},
                      {VHalf, 2, 104.5, 104.5, 5},
                      {VMin, 2, 109.5, 109.5, 4},
                      {DualPipeV, 2, 103, 103, 8.5},
                      {DualPipe, 2, 102, 102, 9}};
  for (const Row& row : rows) {
    const Figures found(row.kind, row.chunks);
    EXPECT_DOUBLE_EQ(found.makespan, row.makespan) << ir::name(row.kind);
    EXPECT_DOUBLE_EQ(found.span, row.span) << ir::name(row.kind);
    EXPECT_DOUBLE_EQ(found.peak, row.peak) << ir::name(row.kind);
  }
  EXPECT_LE(Figures(ZeroBubble2p, 1).peak, 16);
}

TEST(Schedule, EachRow_RunsEveryPassOnceInAnOrderThatItsInputsAllow) {
  forShapes([](const PipelineShape& shape) {
    const PerRankSchedules schedules = perRankSchedules(shape);
    const Placement placement = shape.placement();
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      // By chunk and micro-batch: forwards, inputs, weights.
      std::map<std::pair<std::uint64_t, std::uint64_t>, std::array<int, 3>> ran;
      bool paired = false;
      for (const ScheduledAction& op : schedules[rank]) {
        auto& of = ran[{op.chunk, op.microBatch}];
        EXPECT_TRUE(!paired || op.kind == ActionKind::Backward) << nameOf(shape);
        paired = op.kind == ActionKind::PairedForward;
        const bool weight = op.kind == ActionKind::BackwardWeight;
        EXPECT_TRUE(op.forward() || of[weight ? 1 : 0] == 1) << nameOf(shape);
        of[0] += op.forward();
        of[1] += !op.forward() && !weight;
        of[2] += op.kind == ActionKind::Backward || weight;
      }
      std::size_t expected = 0;
      for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk)
        for (std::uint64_t m = 0; m < shape.microBatches; ++m)
          expected += placement.runsMicroBatch(placement.stageReplicaOf(rank, chunk).direction, m,
                                               shape.microBatches);
      EXPECT_EQ(ran.size(), expected) << nameOf(shape);
      for (const auto& [pass, counts] : ran)
        EXPECT_TRUE(counts == (std::array{1, 1, 1})) << nameOf(shape);
    }
  });
}

TEST(Schedule, OppositeRanksOfDualPipe_DoTheSameToTheSameStages) {
  forShapes([](const PipelineShape& shape) {
    if (shape.kind != DualPipe)
      return;
    const PerRankSchedules schedules = perRankSchedules(shape);
    const std::uint64_t half = shape.microBatches / 2;
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      ActionList opposite = schedules[shape.ranks - 1 - rank];
      for (ScheduledAction& op : opposite)
        op.chunk ^= 1,
            op.microBatch = static_cast<std::uint32_t>((op.microBatch + half) % (2 * half));
      EXPECT_TRUE(std::equal(
          schedules[rank].begin(), schedules[rank].end(), opposite.begin(), opposite.end(),
          [](const ScheduledAction& a, const ScheduledAction& b) {
            return a.kind == b.kind && a.chunk == b.chunk && a.microBatch == b.microBatch;
          }))
          << nameOf(shape) << " rank " << rank;
    }
  });
}

TEST(Schedule, DualPipe_OfTwoRanksIsTheListOfItsAuthors) {
  // F0 F1, the first pair taken apart, F1B0, B1 whole, B0 with its weight gradient last.
  const PerRankSchedules schedules = perRankSchedules({DualPipe, 2, 2, 4});
  using K = ActionKind;
  const ActionList expected = {
      {K::Forward, 0, 0},  {K::Forward, 1, 2},       {K::Forward, 0, 1},
      {K::Backward, 1, 2}, {K::PairedForward, 1, 3}, {K::Backward, 0, 0},
      {K::Backward, 1, 3}, {K::BackwardInput, 0, 1}, {K::BackwardWeight, 0, 1}};
  ASSERT_EQ(schedules[0].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(schedules[0][i].kind == expected[i].kind &&
                schedules[0][i].chunk == expected[i].chunk &&
                schedules[0][i].microBatch == expected[i].microBatch)
        << i;
}

TEST(Schedule, AutomaticOrder_IsNeverSlowerThanWhatFitsItsLimit) {
  std::uint64_t state = 3;
  const auto draw = [&](std::uint64_t most) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % most;
  };
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t p = 2 + draw(7), m = 1 + draw(24), limit = 1 + draw(3 * p);
    std::vector<ChunkTime> times;
    for (std::uint64_t r = 0; r < p; ++r) {
      const std::uint64_t weight = 500 + draw(700);
      times.push_back({500 + draw(700), 500 + weight + draw(700), draw(60), draw(60), weight});
      times.back().unsplitBackward = times.back().backward;
    }
    const auto run = [&](ScheduleKind kind) {
      const PipelineShape shape{kind, p, 1, m, limit};
      const PerRankSchedules schedules = perRankSchedules(shape, times);
      const std::vector<llvm::ArrayRef<ScheduledAction>> views(schedules.begin(), schedules.end());
      std::uint64_t held = 0;
      for (const ActionList& schedule : schedules)
        held = std::max(held, livePeak(schedule, eachHolds(1, 1)).bytes);
      Executor executor;
      const Execution& executed = executor.run(shape.placement(), m, views, times, true);
      EXPECT_TRUE(executed.completed) << ir::name(kind);
      return std::pair(executed.makespan, held);
    };
    const auto [automatic, held] = run(ZeroBubbleAutomatic);
    EXPECT_GT(automatic, 0U);
    EXPECT_LE(held, limit);
    for (const ScheduleKind kind :
         {OneForwardOneBackward, ZeroBubbleH1, ZeroBubbleH2, ZeroBubble1p, ZeroBubble2p})
      if (const auto [time, holds] = run(kind); holds <= limit) {
        EXPECT_LE(automatic, time) << ir::name(kind) << " p " << p << " m " << m << " " << limit;
      }
  }
}
