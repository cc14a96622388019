//===- ScheduleTest.cpp - The rows of Schedules.def, executed ---------------------------------===//
#include "cost/memory/LivePeak.h"
#include "cost/schedules/GroupedRun.h"
#include "ir/Names.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using testing::HasSubstr;

namespace {
using enum ScheduleKind;

struct PipelineRun {
  PipelineShape shape;
  OperationLists lists;
  std::vector<llvm::ArrayRef<ScheduledOperation>> views;
  Executor executor;
  Execution result;
  PipelineRun(ScheduleKind kind, std::uint64_t p, std::uint64_t v, std::uint64_t m,
              const std::vector<PieceTime>& times, bool overlapped = true)
      : shape{kind, p, v, m, p} {
    lists = listsOf(shape, times);
    views.assign(lists.begin(), lists.end());
    result = executor.run(shape.placement(), m, views, times, overlapped);
  }
  std::uint64_t live(std::uint64_t rank) const {
    return livePeak(lists[rank], std::vector<std::uint64_t>(shape.chunks, 1),
                    std::vector<std::uint64_t>(shape.chunks, 0))
        .bytes;
  }
};
std::vector<PieceTime> equal(std::uint64_t pieces, std::uint64_t f, std::uint64_t w,
                             std::uint64_t c = 0) {
  return std::vector<PieceTime>(pieces, PieceTime{f, w, c, c, 0});
}
std::vector<ScheduleKind> rows() {
  std::vector<ScheduleKind> kinds;
  for (std::size_t i = 0; i < scheduleCount; ++i)
    kinds.push_back(static_cast<ScheduleKind>(i));
  return kinds;
}
/// Shapes of a row that it takes.
template <class Visit> void forShapes(const Visit& visit) {
  for (const ScheduleKind kind : rows())
    for (const std::uint64_t p : {1, 2, 3, 4, 8})
      for (const std::uint64_t v : {1, 2, 3})
        for (const std::uint64_t m : {1, 2, 3, 4, 6, 8, 16, 24}) {
          if (const std::uint64_t fixed = chunksOf(kind); fixed > 0 && v != fixed)
            continue;
          const PipelineShape shape{kind, p, v, m, p};
          if (scheduleInfo(kind).legal(shape) == ScheduleRule::Legal)
            visit(shape);
        }
}
std::string nameOf(const PipelineShape& s) {
  return std::string(ir::name(s.kind)) + " p " + std::to_string(s.ranks) + " v " +
         std::to_string(s.chunks) + " m " + std::to_string(s.microBatches);
}
} // namespace

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
  const std::vector<PieceTime> times = {
      {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {2, 4, 0, 0, 0}, {1, 2, 0, 0, 0}};
  EXPECT_EQ(PipelineRun(GPipe, 4, 1, 8, times).result.makespan, 57U);
  EXPECT_EQ(PipelineRun(OneForwardOneBackward, 4, 1, 8, times).result.makespan, 55U);
}

TEST(Schedule, Transfers_CostOneForwardOneBackwardMore) {
  // f = 1 ms, w = 2 ms, 0.5 ms a boundary and direction: 36 ms all-forward-first, 41 ms for 1F1B.
  const std::vector<PieceTime> times = equal(4, 1000, 2000, 500);
  EXPECT_EQ(PipelineRun(GPipe, 4, 1, 8, times).result.makespan, 36000U);
  EXPECT_EQ(PipelineRun(OneForwardOneBackward, 4, 1, 8, times).result.makespan, 41000U);
}

TEST(Schedule, WaitingSends_AreNeverFasterThanOverlappedOnes) {
  const std::vector<PieceTime> times = equal(4, 1000, 2000, 100);
  EXPECT_GT(PipelineRun(OneForwardOneBackward, 4, 1, 8, times, false).result.makespan,
            PipelineRun(OneForwardOneBackward, 4, 1, 8, times, true).result.makespan);
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
  groups.group = 12;
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
Makespan claimOf(const PipelineShape& shape, const std::vector<PieceTime>& times,
                 std::uint64_t alike, bool overlapped) {
  const Placement placement = shape.placement();
  std::vector<std::vector<PieceTime>> chunks(shape.ranks);
  std::vector<RankRun> runs;
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk)
      chunks[rank].push_back(times[placement.indexOf(rank, chunk)]);
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
        std::vector<PieceTime> times(shape.ranks * shape.chunks);
        for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk)
          for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
            PieceTime& time = times[shape.placement().indexOf(rank, chunk)];
            const std::uint64_t weight = draw(500);
            time = {500 + draw(500), 500 + weight + draw(500), draw(100), draw(100), weight};
            if (rank % alike > 0)
              time = times[shape.placement().indexOf(rank - 1, chunk)];
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
  OperationList list;
  for (std::uint32_t m = 0; m < 2; ++m)
    list.push_back({OperationKind::Forward, 0, m});
  for (std::uint32_t m = 0; m < 2; ++m)
    list.push_back({OperationKind::BackwardInput, 0, m});
  for (std::uint32_t m = 0; m < 2; ++m)
    list.push_back({OperationKind::BackwardWeight, 0, m});
  const std::vector<llvm::ArrayRef<ScheduledOperation>> lists = {list};
  Executor executor;
  const Execution& run =
      executor.run({PlacementKind::Linear, 1, 1}, 2, lists, {{100, 200, 0, 0, 80}}, true);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.makespan, 600U);
  EXPECT_EQ(executor.start(0, 4), 440U);
  // Both micro-batches are held until the first weight gradient is done.
  const std::vector<std::uint64_t> chunk = {10}, working = {0};
  EXPECT_EQ(livePeak(list, chunk, working).bytes, 20U);
  // The second forward after the first weight gradient:
  list = {{OperationKind::Forward, 0, 0},        {OperationKind::BackwardInput, 0, 0},
          {OperationKind::BackwardWeight, 0, 0}, {OperationKind::Forward, 0, 1},
          {OperationKind::BackwardInput, 0, 1},  {OperationKind::BackwardWeight, 0, 1}};
  EXPECT_EQ(livePeak(list, chunk, working).bytes, 10U);
}

TEST(Schedule, VShapedOrder_HandsOverOnTheRankWhereItTurns) {
  // One micro-batch through two ranks and back: 4 forwards and 4 backwards of 1 and 2, of which
  // three steps each way cross between ranks in 5: 4·1 + 4·2 + 2·2·5.
  const Placement placement{PlacementKind::VShaped, 2, 2};
  using K = OperationKind;
  const OperationList first = {
      {K::Forward, 0, 0}, {K::Forward, 1, 0}, {K::Backward, 1, 0}, {K::Backward, 0, 0}};
  const std::vector<llvm::ArrayRef<ScheduledOperation>> lists = {first, first};
  Executor executor;
  const Execution& run = executor.run(placement, 1, lists, equal(4, 1, 2, 5), true);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.makespan, 4U + 8U + 4U * 5U);
}

TEST(Schedule, BidirectionalOrder_RunsBothDirectionsAtOnce) {
  // Two ranks, one micro-batch from each end: both pass in the middle, as fast as one alone but for
  // the work of the other.
  const Placement placement{PlacementKind::Bidirectional, 2, 2};
  using K = OperationKind;
  const OperationList down = {
      {K::Forward, 0, 0}, {K::Forward, 1, 1}, {K::Backward, 1, 1}, {K::Backward, 0, 0}};
  const OperationList up = {
      {K::Forward, 1, 1}, {K::Forward, 0, 0}, {K::Backward, 0, 0}, {K::Backward, 1, 1}};
  const std::vector<llvm::ArrayRef<ScheduledOperation>> lists = {down, up};
  Executor executor;
  const Execution& run = executor.run(placement, 2, lists, equal(4, 1, 2), true);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.makespan, 6U); // each rank is busy all the time: 2 forwards and 2 backwards
}

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
  EXPECT_FALSE(result.waiting[0].forward);
  EXPECT_EQ(result.waiting[1].peer, 0U);
  EXPECT_TRUE(result.waiting[1].forward);
}

TEST(Schedule, SerialBlockingSends_HangOneForwardOneBackward) {
  // Both neighbours send to one another and neither receives.
  const PipelineRun run(OneForwardOneBackward, 4, 1, 8, equal(4, 1, 2));
  GroupedRun serial;
  ASSERT_FALSE(serial.run(run.shape.placement(), 8, run.views, serialBlocking));
  const std::vector<Waiting> waiting = serial.waiting();
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_FALSE(waiting[0].receives || waiting[1].receives);
  const PipelineRun all(GPipe, 4, 1, 8, equal(4, 1, 2));
  EXPECT_TRUE(serial.run(all.shape.placement(), 8, all.views, serialBlocking));
}

namespace {
/// Where forward, input and weight passes of a chunk take a v-th of 1000 each, nothing else.
struct Figures {
  double makespan = 0, span = 0, peak = 0; ///< in passes of a rank; micro-batches
  Figures(ScheduleKind kind, std::uint64_t v, std::uint64_t p = 8, std::uint64_t m = 32) {
    // A bidirectional rank has a whole stage in each direction.
    const std::uint64_t pass = 1000 * PipelineShape{kind, p, v, m}.placement().directions() / v;
    const PipelineRun run(kind, p, v, m,
                          std::vector<PieceTime>(p * v, {pass, 2 * pass, 0, 0, pass, 2 * pass}));
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
    const OperationLists lists = listsOf(shape);
    const Placement placement = shape.placement();
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      // By chunk and micro-batch: forwards, inputs, weights.
      std::map<std::pair<std::uint64_t, std::uint64_t>, std::array<int, 3>> ran;
      bool paired = false;
      for (const ScheduledOperation& op : lists[rank]) {
        auto& of = ran[{op.chunk, op.microBatch}];
        EXPECT_TRUE(!paired || op.kind == OperationKind::Backward) << nameOf(shape);
        paired = op.kind == OperationKind::PairedForward;
        const bool weight = op.kind == OperationKind::BackwardWeight;
        EXPECT_TRUE(op.forward() || of[weight ? 1 : 0] == 1) << nameOf(shape);
        of[0] += op.forward();
        of[1] += !op.forward() && !weight;
        of[2] += op.kind == OperationKind::Backward || weight;
      }
      std::size_t expected = 0;
      for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk)
        for (std::uint64_t m = 0; m < shape.microBatches; ++m)
          expected +=
              placement.runs(placement.pieceOf(rank, chunk).direction, m, shape.microBatches);
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
    const OperationLists lists = listsOf(shape);
    const std::uint64_t half = shape.microBatches / 2;
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      OperationList opposite = lists[shape.ranks - 1 - rank];
      for (ScheduledOperation& op : opposite)
        op.chunk ^= 1,
            op.microBatch = static_cast<std::uint32_t>((op.microBatch + half) % (2 * half));
      EXPECT_TRUE(std::equal(
          lists[rank].begin(), lists[rank].end(), opposite.begin(), opposite.end(),
          [](const ScheduledOperation& a, const ScheduledOperation& b) {
            return a.kind == b.kind && a.chunk == b.chunk && a.microBatch == b.microBatch;
          }))
          << nameOf(shape) << " rank " << rank;
    }
  });
}

TEST(Schedule, DualPipe_OfTwoRanksIsTheListOfItsAuthors) {
  // F0 F1, the first pair taken apart, F1B0, B1 whole, B0 with its weight gradient last.
  const OperationLists lists = listsOf({DualPipe, 2, 2, 4});
  using K = OperationKind;
  const OperationList expected = {
      {K::Forward, 0, 0},  {K::Forward, 1, 2},       {K::Forward, 0, 1},
      {K::Backward, 1, 2}, {K::PairedForward, 1, 3}, {K::Backward, 0, 0},
      {K::Backward, 1, 3}, {K::BackwardInput, 0, 1}, {K::BackwardWeight, 0, 1}};
  ASSERT_EQ(lists[0].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(lists[0][i].kind == expected[i].kind && lists[0][i].chunk == expected[i].chunk &&
                lists[0][i].microBatch == expected[i].microBatch)
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
    std::vector<PieceTime> times;
    for (std::uint64_t r = 0; r < p; ++r) {
      const std::uint64_t weight = 500 + draw(700);
      times.push_back({500 + draw(700), 500 + weight + draw(700), draw(60), draw(60), weight});
      times.back().whole = times.back().backward;
    }
    const auto run = [&](ScheduleKind kind) {
      const PipelineShape shape{kind, p, 1, m, limit};
      const OperationLists lists = listsOf(shape, times);
      const std::vector<llvm::ArrayRef<ScheduledOperation>> views(lists.begin(), lists.end());
      std::uint64_t held = 0;
      for (const OperationList& list : lists)
        held = std::max(held, livePeak(list, {1}, {0}).bytes);
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

TEST(Schedule, OneStage_IsTheSumOfItsWork) {
  EXPECT_EQ(PipelineRun(OneForwardOneBackward, 1, 1, 5, equal(1, 3, 6)).result.makespan, 45U);
}
