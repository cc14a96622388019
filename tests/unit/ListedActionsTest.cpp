//===- ListedActionsTest.cpp - Lists of one's own are those of the rows that they copy --------===//
#include "ir/ListedActions.h"
#include "cost/execution/RankSchedules.h"
#include "cost/schedules/Schedule.h"
#include "ir/Names.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
/// The lists of a row as a user writes them.
CustomSchedule written(const cost::PipelineShape& shape, const cost::PerRankSchedules& lists,
                       const char* between) {
  CustomSchedule out;
  const Placement placement = shape.placement();
  out.placement = placement.kind;
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    std::string text;
    for (const ScheduledAction& op : lists[rank])
      text += fmt::format("{}{}{}{}", placement.stageReplicaOf(rank, op.chunk).stage,
                          "FBIW"[static_cast<std::size_t>(op.kind)], op.microBatch, between);
    out.ranks.push_back(std::move(text));
  }
  out.microBatches = microBatchesOf(out);
  return out;
}
bool same(const ScheduledAction& a, const ScheduledAction& b) {
  return a.kind == b.kind && a.chunk == b.chunk && a.microBatch == b.microBatch;
}
} // namespace

TEST(ListedActions, TheListsOfEachRow_AreReadBack) {
  using enum ScheduleKind;
  for (const ScheduleKind kind : {GPipe, OneForwardOneBackward, Interleaved, ZeroBubbleH1,
                                  InterleavedZeroBubble, ZeroBubbleV, VHalf})
    for (const std::uint64_t p : {1, 2, 4}) {
      const std::uint64_t fixed = chunksOf(kind), v = fixed > 0 ? fixed : 3;
      cost::PipelineShape shape{kind, p, v, 3 * p};
      if (cost::scheduleInfo(kind).legal(shape) != cost::ScheduleRule::Legal)
        continue;
      const cost::PerRankSchedules schedules = cost::perRankSchedules(shape);
      const CustomSchedule text = written(shape, schedules, p == 2 ? "," : " ");
      EXPECT_TRUE(problemsOf(text, v, false).empty());
      EXPECT_EQ(text.microBatches, 3 * p);
      shape.kind = Listed, shape.customSchedule = &text;
      ASSERT_EQ(cost::scheduleInfo(Listed).legal(shape), cost::ScheduleRule::Legal);
      const cost::PerRankSchedules read = cost::perRankSchedules(shape);
      for (std::uint64_t rank = 0; rank < p; ++rank)
        EXPECT_TRUE(std::equal(read[rank].begin(), read[rank].end(), schedules[rank].begin(),
                               schedules[rank].end(), same))
            << name(kind) << " p " << p << " rank " << rank;
    }
}

TEST(ListedActions, OneOperationDroppedOrTwice_IsFound) {
  const cost::PipelineShape shape{ScheduleKind::InterleavedZeroBubble, 2, 2, 4};
  const cost::PerRankSchedules schedules = cost::perRankSchedules(shape);
  for (std::size_t i = 0; i < schedules[1].size(); ++i) {
    cost::PerRankSchedules dropped = schedules, twice = schedules;
    dropped[1].erase(dropped[1].begin() + static_cast<std::ptrdiff_t>(i));
    twice[1].push_back(schedules[1][i]);
    ASSERT_EQ(problemsOf(written(shape, dropped, " "), 2, false).size(), 1U) << i;
    const std::vector<ScheduleProblem> found = problemsOf(written(shape, twice, " "), 2, false);
    ASSERT_EQ(found.size(), 1U) << i;
    EXPECT_EQ(found[0].kind, ScheduleProblem::ScheduleProblemKind::Twice);
    EXPECT_EQ(found[0].rank, 1U);
  }
}

TEST(ListedActions, ManyMicroBatchesAndChunks_TakeNoMoreThanTheText) {
  CustomSchedule lists;
  lists.ranks = {"0F999999998 0B0", "F0 F18446744073709551616"};
  EXPECT_EQ(problemsOf(lists, 1'000'000, false).size(), 2U);
}
