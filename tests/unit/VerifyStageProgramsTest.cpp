//===- VerifyStageProgramsTest.cpp - Bodies that do not fit their chunks are found ------------===//
#include "cost/step/PlanCheck.h"
#include "tests/unit/CompiledPlan.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::ir;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {
/// Two stages with tensor calls and reductions beside the backward.
Plan completed() {
  return test::completedPlan(
      "small.dpl", "import std.models\nimport std.clusters\n"
                   "cluster pod from clusters.dgx_h100 { nodes = 1 }\n"
                   "model tiny from models.gpt2_small { hidden = 1024, heads = 16 }\n"
                   "layout train for tiny on pod {\n  mesh { pipeline = 2, data = 2, tensor = 2 }\n"
                   "  batch = 64seq\n  micro_batch = 1seq\n  overlap.gradients = true\n}\n");
}

/// The first segment with a call of a stream.
Segment* segmentOf(Plan& plan, Stream stream) {
  for (StageProgram& body : plan.stagePrograms)
    for (SegmentLoop& block : body.loops)
      for (Segment& s : block.segments)
        if (s.asCollective() && s.asCollective()->stream == stream)
          return &s;
  ADD_FAILURE() << "the plan has no such call";
  return nullptr;
}
CollectiveSegment* callOf(Plan& plan, Stream stream) {
  return segmentOf(plan, stream)->asCollective();
}

template <class Break> std::vector<std::string> found(Break breakIt) {
  Plan plan = completed();
  breakIt(plan);
  return verify(plan);
}
} // namespace

TEST(VerifyStagePrograms, ACompletePlan_IsSound) {
  const Plan plan = completed();
  EXPECT_THAT(cost::whatIsUnsound(plan), IsEmpty());
}

TEST(VerifyStagePrograms, CallsOfOtherCollectives_AreFound) {
  EXPECT_THAT(found([](Plan& p) { callOf(p, Stream::Tensor)->collective = ChunkCollectiveId(99); }),
              ElementsAre(HasSubstr("calls collective 99 of")));
  EXPECT_THAT(found([](Plan& p) {
                CollectiveSegment* s = callOf(p, Stream::Tensor);
                ++s->time, ++s->holdsFor;
              }),
              ElementsAre(HasSubstr("its collective takes")));
  EXPECT_THAT(found([](Plan& p) { callOf(p, Stream::Tensor)->holdsFor = 0; }),
              ElementsAre(HasSubstr("does not wait for a collective of stream tensor")));
  EXPECT_THAT(found([](Plan& p) {
                CollectiveSegment* s = callOf(p, Stream::Data);
                s->slowdown = s->time + 1;
              }),
              ElementsAre(HasSubstr("its collective takes")));
}

TEST(VerifyStagePrograms, OtherCounts_AreFound) {
  EXPECT_THAT(found([](Plan& p) { ++p.stagePrograms[0].loops[1].count; }),
              ElementsAre(AllOf(HasSubstr("counts"), HasSubstr("bodies have"))));
  EXPECT_THAT(
      found([](Plan& p) { segmentOf(p, Stream::Data)->selection = MicroBatchSelection::Every; }),
      ElementsAre(AllOf(HasSubstr("counts"), HasSubstr("bodies have"))));
}

TEST(VerifyStagePrograms, ProgramsOfOtherChunks_AreFound) {
  EXPECT_THAT(found([](Plan& p) { p.chunkPrograms.pop_back(); }),
              ElementsAre(HasSubstr("1 programs for 2 chunks")));
  EXPECT_THAT(found([](Plan& p) { p.chunkPrograms[0].stagePrograms[0] = StageProgramId(1); }),
              ElementsAre(HasSubstr("bodies of other passes")));
  EXPECT_THAT(found([](Plan& p) { p.chunkPrograms[1].firstCollective = {}; }),
              ElementsAre(HasSubstr("begins at collective 0")));
}

TEST(VerifyStagePrograms, TimesPastCounting_AreFound) {
  EXPECT_THAT(found([](Plan& p) {
                for (Segment& s : p.stagePrograms[0].loops[0].segments)
                  if (s.asCompute())
                    s.asCompute()->time = std::uint64_t{1} << 62;
              }),
              ElementsAre(HasSubstr("more than can be counted")));
}

TEST(VerifyStagePrograms, AScheduleOfOtherTimes_IsFound) {
  Plan plan = completed();
  for (RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.start.size(); ++i)
      rank.start[i] /= 10, rank.duration[i] /= 10;
  EXPECT_THAT(cost::whatIsUnsound(plan), ElementsAre(HasSubstr("its bodies give 0 to")));
}

TEST(VerifyStagePrograms, OneOperationAtAnotherTime_IsFound) {
  // The last pass of the first rank ends before the barrier, which does not move.
  Plan plan = completed();
  RankSchedule& rank = plan.schedule[0];
  std::size_t last = 0;
  while (isChunkAction(rank.actions[last + 1].kind))
    ++last;
  --rank.duration[last];
  EXPECT_THAT(cost::whatIsUnsound(plan),
              ElementsAre(HasSubstr(std::to_string(last) + " of rank 0, backward")));
  plan = completed();
  plan.schedule[1].actions.pop_back();
  plan.schedule[1].start.pop_back(), plan.schedule[1].duration.pop_back();
  EXPECT_THAT(cost::whatIsUnsound(plan), ElementsAre(HasSubstr("operations after its passes")));
  plan = completed();
  ++plan.schedule[0].sending;
  EXPECT_THAT(cost::whatIsUnsound(plan), ElementsAre(HasSubstr("for what it sends")));
}

TEST(VerifyStagePrograms, MemoryOfAnotherOrder_IsFound) {
  Plan plan = completed();
  ++plan.memory[1].activations;
  EXPECT_THAT(cost::whatIsUnsound(plan),
              ElementsAre(HasSubstr("memory of rank 1 has activations = ")));
}

namespace {
/// Two stages of two layers in times that the file states.
Plan listed(const std::string& rest) {
  return test::completedPlan(
      "listed.dpl",
      "import std.models\nimport std.clusters\n"
      "cluster node from clusters.dgx_h100 { nodes = 1 }\n"
      "model net from models.layer_list {\n  layer[0..<4] { name = \"layer\", time { forward = "
      "10ms, backward = 10ms, backward_weight = 10ms }, saved_activations = 500MB, message = 0B "
      "}\n}\n"
      "layout plan for net on node {\n  devices = 2\n  mesh { pipeline = 2 }\n"
      "  micro_batch = 1sample\n  optimizer_time = 0s\n  batch = 4sample\n" +
          rest + "\n}\n");
}

template <class Break> std::string foundIn(const std::string& rest, Break breakIt) {
  Plan plan = listed(rest);
  EXPECT_THAT(cost::whatIsUnsound(plan), IsEmpty());
  breakIt(plan);
  const std::vector<std::string> broken = cost::whatIsUnsound(plan);
  return broken.size() == 1 ? broken.front() : fmt::format("{} rules", broken.size());
}
} // namespace

TEST(VerifyStagePrograms, MoreThanTheLimitInFlight_IsFound) {
  const char* tooMany = "rank 0 holds more than 1 micro-batch with micro-batch 1";
  EXPECT_EQ(foundIn("schedule = zb_auto { in_flight = 2 }", [](Plan& p) { p.layout.inFlight = 1; }),
            tooMany);
  EXPECT_EQ(foundIn("schedule = zb_h1",
                    [](Plan& p) {
                      p.layout.schedule = ScheduleKind::ZeroBubbleAutomatic;
                      p.layout.inFlight = 1;
                    }),
            tooMany);
}

TEST(VerifyStagePrograms, OtherNumbersOfACost_AreFoundByName) {
  for (const std::uint64_t bytes : {std::uint64_t{7}, UINT64_MAX})
    EXPECT_EQ(
        foundIn("schedule = zb_h1", [&](Plan& p) { p.costs[0].splitTemporaryBytes = bytes; }),
        fmt::format(
            "chunk 0 of rank 0 has split_backward_temporary_bytes = {}, its layers give 500000000",
            bytes));
  EXPECT_EQ(foundIn("", [](Plan& p) { p.costs[1].restoredBytes = 12345; }),
            "chunk 0 of rank 1 has recomputed_activation_bytes = 12345, its layers give 0");
  EXPECT_EQ(foundIn("", [](Plan& p) { p.layout.recompute.kind = RecomputeKind::Full; }),
            "chunk 0 of rank 0 has recompute = 0, its layers give 20000000000");
  EXPECT_EQ(foundIn("recompute = full", [](Plan& p) { p.layout.recompute.layers = 0; }),
            "recompute groups 0 layers");
  EXPECT_EQ(foundIn("", [](Plan& p) { p.memory[0].inFlight = 9; }),
            "memory of rank 0 has in_flight = 9, its order gives 2");
}
