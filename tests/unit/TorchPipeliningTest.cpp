//===- TorchPipeliningTest.cpp - What torch.distributed.pipelining is given to run ------------===//
#include "backends/TorchPipelining.h"
#include "ir/Names.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
struct Row {
  ScheduleKind kind;
  std::uint64_t chunks;
  const char* name; ///< null: not at all
  bool table;
};
using enum ScheduleKind;
constexpr Row rows[] = {
    {GPipe, 1, "GPipe", false},
    {OneForwardOneBackward, 1, "1F1B", false},
    {Interleaved, 2, "Interleaved1F1B", false},
    {Interleaved, 1, "1F1B", false},
    {EagerOneForwardOneBackward, 1, "1F1B", true},
    {LoopedBreadthFirst, 3, "LoopedBFS", false},
    {LoopedBreadthFirst, 1, "1F1B", true},
    {InterleavedZeroBubble, 2, "InterleavedZeroBubble", false},
    {ZeroBubbleAutomatic, 1, "1F1B", true},
    {ZeroBubbleV, 2, "ZBVZeroBubble", false},
    {VHalf, 2, "ZBVZeroBubble", true},
    {DualPipeV, 2, "DualPipeV", false},
    {DualPipe, 2, nullptr, false},
    {Listed, 1, "1F1B", true},
    {Listed, 2, "Interleaved1F1B", true},
};
} // namespace

TEST(TorchPipelining, ATableRunsWhatHasNoClass) {
  for (const Row& row : rows) {
    Layout layout;
    layout.schedule = row.kind, layout.chunks = row.chunks;
    const std::optional<TorchSchedule> found = torchScheduleOf(layout);
    ASSERT_EQ(found.has_value(), row.name != nullptr) << name(row.kind);
    if (!found)
      continue;
    EXPECT_STREQ(found->name, row.name) << name(row.kind) << " " << row.chunks;
    EXPECT_EQ(found->table, row.table) << name(row.kind) << " " << row.chunks;
  }
  Layout groups;
  groups.schedule = Interleaved, groups.chunks = 2, groups.group = 6;
  EXPECT_TRUE(torchScheduleOf(groups)->table);
  Layout flowing;
  flowing.schedule = PipeDream;
  EXPECT_FALSE(torchScheduleOf(flowing));
  EXPECT_EQ(whatTorchLacks(flowing), "has no flush between steps");
  Layout turning;
  turning.schedule = Listed, turning.chunks = 2;
  turning.customSchedule.placement = PlacementKind::VShaped;
  EXPECT_STREQ(torchScheduleOf(turning)->name, "ZBVZeroBubble");
  turning.chunks = 4;
  EXPECT_FALSE(torchScheduleOf(turning));
  EXPECT_EQ(whatTorchLacks(turning), "passes the ranks 4 times, in alternating direction");
  turning.chunks = 1;
  EXPECT_STREQ(torchScheduleOf(turning)->name, "1F1B");
}

TEST(TorchPipelining, TheTableHasAllPassesInTheirOrder) {
  Plan plan;
  plan.placement = {PlacementKind::VShaped, 2, 2};
  using enum ActionKind;
  plan.schedule.resize(2);
  for (std::uint64_t rank = 0; rank < 2; ++rank)
    plan.schedule[rank].rank = rank;
  plan.schedule[0].actions = {{Forward, 0, 0},    {Forward, 1, 0},  {BackwardInput, 1, 0},
                              {Collective, 0, 0}, {Backward, 0, 0}, {BackwardWeight, 1, 0},
                              {Wait, 0, 0},       {Optimizer, 0, 0}};
  plan.schedule[1].actions = {
      {Forward, 0, 0}, {PairedForward, 1, 0}, {Backward, 1, 0}, {Backward, 0, 0}};
  EXPECT_EQ(torchTableOf(plan), "0F0,3F0,3I0,0B0,3W0\n1F0,2F0,2B0,1B0\n");
}
