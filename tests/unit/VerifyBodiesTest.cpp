//===- VerifyBodiesTest.cpp - Bodies that do not fit their chunks are found -------------------===//
#include "cost/schedules/StepSweep.h"
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
  EXPECT_THAT(verify(plan), IsEmpty());
  EXPECT_EQ(cost::whatTakesOtherTimes(plan), "");
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
  EXPECT_THAT(cost::whatTakesOtherTimes(plan), HasSubstr("its bodies at"));
}
