//===- ComputeSegmentWriterTest.cpp - Computation around the calls inside it ------------------===//
#include "cost/programs/ComputeSegmentWriter.h"
#include "cost/programs/ProgramTime.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// 100 ps of which the device waits `idle` for the host, around a blocking call of 60 and one of 30
/// that 10 of its kernels run beside.
std::vector<Segment> segmentsOf(std::uint64_t idle, double least = 1) {
  ComputeSegmentWriter track(ComputeKind::Layer, 100, idle, 0, 0, least);
  track.blocking({ChunkCollectiveId(0), 60}, Stream::Tensor, true);
  track.overlapping({ChunkCollectiveId(1), 30}, Stream::Context, 0, 10, true);
  track.finish();
  return track.segments;
}
std::uint64_t besideCall(const std::vector<Segment>& segments, std::uint64_t call) {
  for (std::size_t i = 0; i + 1 < segments.size(); ++i)
    if (segments[i].asCollective() && segments[i].collective() == ChunkCollectiveId(call))
      return segments[i + 1].asCompute() ? segments[i + 1].time() : 0;
  return 0;
}
std::uint64_t timeOf(std::vector<Segment> segments, std::uint64_t cost = 1) {
  for (Segment& s : segments)
    if (s.asCompute())
      s.asCompute()->time *= cost;
  const SegmentLoop block{1, std::move(segments)};
  return cost::timeOf(llvm::makeArrayRef(block), {}, [](const Segment&) { return true; })
      .durationAlone();
}
} // namespace

TEST(ComputeSegmentWriter, WhatTheHostLeavesIdle_CoversTheSameShareOfEachCall) {
  // Kernels cover a third of the call of 30; 5 are less than that of the one of 60.
  const std::vector<Segment> few = segmentsOf(5);
  EXPECT_EQ(besideCall(few, 0), 5U);
  EXPECT_EQ(besideCall(few, 1), 10U);
  // 10 + 35 of 90 are a half.
  const std::vector<Segment> some = segmentsOf(35);
  EXPECT_EQ(besideCall(some, 0), 30U);
  EXPECT_EQ(besideCall(some, 1), 15U);
  for (const auto& [idle, hidden] : {std::pair(0U, 10U), {5U, 15U}, {35U, 45U}, {90U, 90U}})
    EXPECT_EQ(timeOf(segmentsOf(idle)), 190U - hidden) << idle;
}

TEST(ComputeSegmentWriter, CheapMicroBatches_HaveMoreOfIt) {
  // Of the mean one 90 cover all; of one that costs half of it 100 in all cover 10/9 of each call.
  EXPECT_EQ(besideCall(segmentsOf(90), 1), 30U);
  EXPECT_EQ(besideCall(segmentsOf(90, 0.5), 1), 34U);
  EXPECT_EQ(besideCall(segmentsOf(90, 0.5), 0), 66U);
}

TEST(ComputeSegmentWriter, AFasterDevice_IsNoSlowerHoweverMuchAMicroBatchCosts) {
  for (const std::uint64_t cost : {1, 2, 3, 10, 100})
    for (std::uint64_t idle = 1; idle < 90; ++idle)
      EXPECT_LE(timeOf(segmentsOf(idle), cost), timeOf(segmentsOf(idle - 1), cost))
          << idle << ", " << cost;
}

TEST(ComputeSegmentWriter, ABlockingCall_HoldsForWhatIsNotHidden) {
  EXPECT_EQ(segmentsOf(0).front().asCollective()->holdsFor, 60U);
  EXPECT_EQ(segmentsOf(35).front().asCollective()->holdsFor, 30U);
}
