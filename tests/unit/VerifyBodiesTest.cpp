//===- VerifyBodiesTest.cpp - Bodies that do not fit their chunks are found -------------------===//
#include "cost/PlanCheck.h"
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

/// The first call of a stream.
Segment* callOf(Plan& plan, Stream stream) {
  for (Body& body : plan.bodies)
    for (Block& block : body.blocks)
      for (Segment& s : block.segments)
        if (s.kind == SegmentKind::Call && s.stream == stream)
          return &s;
  ADD_FAILURE() << "the plan has no such call";
  return nullptr;
}

template <class Break> std::vector<std::string> found(Break breakIt) {
  Plan plan = completed();
  breakIt(plan);
  return verify(plan);
}
} // namespace

TEST(VerifyBodies, ACompletePlan_IsSound) {
  const Plan plan = completed();
  EXPECT_THAT(cost::whatIsUnsound(plan), IsEmpty());
}

TEST(VerifyBodies, CallsOfOtherCollectives_AreFound) {
  EXPECT_THAT(found([](Plan& p) { callOf(p, Stream::Tensor)->call = 99; }),
              ElementsAre(HasSubstr("calls collective 99 of")));
  EXPECT_THAT(found([](Plan& p) {
                Segment* s = callOf(p, Stream::Tensor);
                ++s->time, ++s->holds;
              }),
              ElementsAre(HasSubstr("its collective takes")));
  EXPECT_THAT(found([](Plan& p) { callOf(p, Stream::Tensor)->holds = 0; }),
              ElementsAre(HasSubstr("leaves a call of stream tensor behind")));
  EXPECT_THAT(found([](Plan& p) {
                Segment* s = callOf(p, Stream::Data);
                s->slows = s->time + 1;
              }),
              ElementsAre(HasSubstr("its collective takes")));
}

TEST(VerifyBodies, OtherCounts_AreFound) {
  EXPECT_THAT(found([](Plan& p) { ++p.bodies[0].blocks[1].count; }),
              ElementsAre(AllOf(HasSubstr("counts"), HasSubstr("bodies have"))));
  EXPECT_THAT(found([](Plan& p) { callOf(p, Stream::Data)->when = When::Every; }),
              ElementsAre(AllOf(HasSubstr("counts"), HasSubstr("bodies have"))));
}

TEST(VerifyBodies, ProgramsOfOtherChunks_AreFound) {
  EXPECT_THAT(found([](Plan& p) { p.programs.pop_back(); }),
              ElementsAre(HasSubstr("1 programs for 2 chunks")));
  EXPECT_THAT(found([](Plan& p) { p.programs[0].bodies[0] = 1; }),
              ElementsAre(HasSubstr("bodies of other passes")));
  EXPECT_THAT(found([](Plan& p) { p.programs[1].firstCollective = 0; }),
              ElementsAre(HasSubstr("begins at collective 0")));
}

TEST(VerifyBodies, TimesPastCounting_AreFound) {
  EXPECT_THAT(found([](Plan& p) {
                for (Segment& s : p.bodies[0].blocks[0].segments)
                  if (s.kind == SegmentKind::Compute)
                    s.time = std::uint64_t{1} << 62;
              }),
              ElementsAre(HasSubstr("more than can be counted")));
}

TEST(VerifyBodies, AScheduleOfOtherTimes_IsFound) {
  Plan plan = completed();
  for (RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.start.size(); ++i)
      rank.start[i] /= 10, rank.duration[i] /= 10;
  EXPECT_THAT(cost::whatIsUnsound(plan), ElementsAre(HasSubstr("its bodies give 0 to")));
}

TEST(VerifyBodies, OneOperationAtAnotherTime_IsFound) {
  // The last pass of the first rank ends before the barrier, which does not move.
  Plan plan = completed();
  RankSchedule& rank = plan.schedule[0];
  std::size_t last = 0;
  while (isPass(rank.operations[last + 1].kind))
    ++last;
  --rank.duration[last];
  EXPECT_THAT(cost::whatIsUnsound(plan),
              ElementsAre(HasSubstr(std::to_string(last) + " of rank 0, backward")));
  plan = completed();
  plan.schedule[1].operations.pop_back();
  plan.schedule[1].start.pop_back(), plan.schedule[1].duration.pop_back();
  EXPECT_THAT(cost::whatIsUnsound(plan), ElementsAre(HasSubstr("operations behind its passes")));
  plan = completed();
  ++plan.schedule[0].sending;
  EXPECT_THAT(cost::whatIsUnsound(plan), ElementsAre(HasSubstr("for what it sends")));
}

TEST(VerifyBodies, MemoryOfAnotherOrder_IsFound) {
  Plan plan = completed();
  ++plan.memory[1].activations;
  EXPECT_THAT(cost::whatIsUnsound(plan), ElementsAre(HasSubstr("rank 1 holds")));
}
