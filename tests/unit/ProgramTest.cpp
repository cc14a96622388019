//===- ProgramTest.cpp - The sources that the program is made of ------------------------------===//
//
// The headers of backends/program/source are emitted as they are; here they are judged by the IR.
#include "backends/program/Loops.h"
#include "backends/program/source/Mesh.h"
#include "backends/program/source/Pattern.h"
#include "cost/execution/RankSchedules.h"
#include "cost/schedules/Schedule.h"
#include "passes/BuildGroups.h"
#include "tests/unit/SampleNetwork.h"
#include <gtest/gtest.h>
using namespace dpl;

namespace {
bool same(const twin::Operation& a, const twin::Operation& b) {
  return a.kind == b.kind && a.microBatch == b.microBatch && a.chunk == b.chunk &&
         a.other == b.other;
}

std::vector<twin::Operation> listOf(const cost::PipelineShape& shape, std::uint64_t rank) {
  using Kind = twin::OperationKind;
  std::vector<twin::Operation> list;
  const cost::PerRankSchedules lists = cost::perRankSchedules(shape);
  for (const ir::ScheduledAction& op : lists[rank]) {
    if (const auto in = ir::messageInto(shape.placement(), rank, op))
      list.push_back({in->forward ? Kind::ReceiveForward : Kind::ReceiveBackward, op.microBatch,
                      in->from.chunk, in->from.rank});
    list.push_back({op.forward() ? Kind::Forward : Kind::Backward, op.microBatch, op.chunk, 0});
    if (const auto out = ir::messageFrom(shape.placement(), rank, op))
      list.push_back({out->forward ? Kind::SendForward : Kind::SendBackward, op.microBatch,
                      out->from.chunk, out->to.rank});
  }
  list.push_back({Kind::Optimizer, 0, 0, 0});
  list.push_back({Kind::Collective, 0, 0, 1});
  list.push_back({Kind::Collective, 0, 0, 1});
  return list;
}

/// Two grids of 2 × 3 × 2 × 4 = 48 ranks: pipeline 3 stages of 16 devices.
twin::Plan viewOf(const std::vector<twin::Factor>& factors,
                  const std::vector<twin::Group>& groups) {
  twin::Plan plan{};
  plan.factors = {factors.data(), factors.size()};
  plan.groups = {groups.data(), groups.size()};
  return plan;
}
} // namespace

TEST(ProgramLoops, ExpandToTheirList_WhateverTheSchedule) {
  for (const ir::ScheduleKind kind :
       {ir::ScheduleKind::GPipe, ir::ScheduleKind::OneForwardOneBackward,
        ir::ScheduleKind::Interleaved})
    for (const std::uint64_t p : {1, 2, 3, 4, 8})
      for (const std::uint64_t v : {1, 2, 3})
        for (const std::uint64_t m : {1, 2, 7, 8, 32}) {
          if (kind != ir::ScheduleKind::Interleaved && v > 1)
            continue;
          for (std::uint64_t rank = 0; rank < p; ++rank) {
            const std::vector<twin::Operation> list = listOf({kind, p, v, m}, rank);
            std::vector<twin::Operation> operations;
            std::vector<twin::Loop> loops;
            program::appendLoops(list, operations, loops);
            const twin::RankList row{0, loops.size(), 0};
            twin::Plan plan{};
            plan.operations = {operations.data(), operations.size()};
            plan.loops = {loops.data(), loops.size()};
            plan.ranks = {&row, 1};
            const std::vector<twin::Operation> read = twin::operationsOf(plan, 0);
            ASSERT_EQ(read.size(), list.size());
            for (std::size_t i = 0; i < list.size(); ++i)
              ASSERT_TRUE(same(read[i], list[i])) << p << ' ' << v << ' ' << m << ' ' << rank;
          }
        }
}

TEST(ProgramLoops, TablesOfAFlush_DoNotGrowWithItsMicroBatches) {
  for (const std::uint64_t m : {32, 4096}) {
    std::vector<twin::Operation> operations;
    std::vector<twin::Loop> loops;
    program::appendLoops(listOf({ir::ScheduleKind::OneForwardOneBackward, 8, 1, m}, 3), operations,
                         loops);
    EXPECT_LE(operations.size(), 24U) << m;
  }
}

TEST(ProgramMesh, MembershipIsThatOfTheGroupsOfThePlan) {
  ir::Mesh mesh;
  mesh.axes = {{ir::Axis::Replica, 1, 48, {}},
               {ir::Axis::Pipeline, 3, 16, {}},
               {ir::Axis::Data, 2, 8, {}},
               {ir::Axis::Context, 2, 4, {}},
               {ir::Axis::Tensor, 4, 1, {}}};
  mesh.expertAxes = {{ir::Axis::Replica, 1, 48, {}},
                     {ir::Axis::Pipeline, 3, 16, {}},
                     {ir::Axis::ExpertData, 2, 8, {}},
                     {ir::Axis::Expert, 8, 1, {}},
                     {ir::Axis::ExpertTensor, 1, 1, {}}};
  mesh.devices = 48;
  ir::Cluster cluster;
  cluster.nodes = 6;
  cluster.gpusPerNode = 8;
  test::setNetwork(cluster, 1, {1}, {1});
  for (const ir::Group& group : buildGroups(mesh, {ir::PlacementKind::Linear, 3, 1}, cluster)) {
    std::vector<twin::Factor> factors;
    for (const ir::Stride& s : group.strides)
      factors.push_back({s.count, s.stride, s.period, s.mirrored});
    const std::vector<twin::Group> groups{{"", 0, factors.size(), group.size}};
    const twin::Plan plan = viewOf(factors, groups);
    for (std::uint64_t rank = 0; rank < 48; ++rank) {
      const twin::Membership m = twin::membershipIn(plan, groups[0], rank);
      const std::uint64_t stage = rank / 16;
      ASSERT_EQ(m.member, group.name != "embedding" || stage != 1) << group.name << ' ' << rank;
      if (!m.member)
        continue;
      const std::vector<std::uint64_t> members = group.members(rank);
      EXPECT_EQ(m.base, members.front());
      EXPECT_EQ(members[m.index], rank) << group.name;
      for (std::uint64_t i = 0; i < members.size(); ++i)
        EXPECT_EQ(twin::memberOf(plan, groups[0], m.base, i), members[i]) << group.name;
    }
  }
}

TEST(ProgramPattern, SumsOverAGroupAreThoseOfItsMembers) {
  const twin::Pattern pattern(77);
  for (const std::uint64_t place : {0ULL, 1ULL, 4711ULL, 5'000'000'000ULL}) {
    twin::Word sum = 0;
    std::uint64_t ranks = 0;
    for (const std::uint64_t rank : {3, 7, 11, 99'999}) {
      sum += pattern.at(rank, place);
      ranks += rank;
    }
    EXPECT_EQ(sum, pattern.sumAt(4, ranks, place));
  }
}

TEST(ProgramPattern, WordsTellSendersCallsAndPlacesApart) {
  const twin::Pattern pattern(1), other(2);
  EXPECT_NE(pattern.at(0, 0), other.at(0, 0));
  EXPECT_NE(pattern.at(0, 0), pattern.at(1, 0));
  EXPECT_NE(pattern.at(0, 0), pattern.at(0, 1));
  EXPECT_NE(pattern.at(1, 2), pattern.at(2, 1));
}

TEST(ProgramPattern, EveryCollectiveGivesWhatItsDefinitionSays) {
  const twin::Pattern pattern(5);
  const std::uint64_t members[] = {2, 5, 8}, sum = 15;
  const auto memberAt = [&](std::uint64_t i) { return members[i]; };
  const auto word = [&](twin::CallKind kind, std::uint64_t index, std::uint64_t place) {
    return twin::expected({kind, 3, index, 6}, pattern, sum, place, memberAt);
  };
  const auto total = [&](std::uint64_t place) {
    return pattern.at(2, place) + pattern.at(5, place) + pattern.at(8, place);
  };
  EXPECT_EQ(word(twin::CallKind::AllReduce, 1, 4), total(4));
  EXPECT_EQ(word(twin::CallKind::ReduceScatter, 2, 1), total(5));     // block 2 of two words
  EXPECT_EQ(word(twin::CallKind::AllGather, 0, 3), pattern.at(5, 1)); // second word of member 1
  EXPECT_EQ(word(twin::CallKind::AllToAll, 2, 3), pattern.at(5, 5));  // member 1's block for 2
}
