//===- SegmentsTest.cpp - What an allocator takes for the tensors of random plans -------------===//
#include "cost/memory/SegmentReplay.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
using Count = std::uint64_t;
} // namespace

TEST(Segments, HoldTheStatesAndWhatIsInThem) {
  Count followed = 0;
  for (Count seed = 1; seed <= test::plansToMake(); seed += 4) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed())
      continue;
    const Count rank = seed % plan.memory.size();
    const RankMemory& memory = plan.memory[rank];
    const std::optional<cost::SegmentBytes> segments = cost::segmentsOf(plan, memory);
    if (!segments)
      continue;
    ++followed;
    EXPECT_GE(segments->reserved, segments->allocated) << seed;
    // Tensors of less than a byte are none.
    EXPECT_GE(segments->allocated + 4096, memory.persistent() - memory.reserved) << seed;
    EXPECT_EQ(cost::segmentsOf(plan, memory)->reserved, segments->reserved) << seed;
  }
  EXPECT_GE(followed, test::plansToMake() / 8);
}
