//===- HostLeadTest.cpp - How far a host is ahead of its device -------------------------------===//
#include "cost/memory/HostLead.h"
#include "cost/memory/SegmentReplay.h"
#include "tests/unit/CompiledPlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;

namespace {
ir::Plan planOf(const std::string& mesh, const std::string& fields = "framework = nanotron",
                const std::string& batch = "32seq") {
  return test::completedPlan("plan.dpl",
                             "import std.models\nimport std.clusters\n"
                             "model llm from models.llama3_8b\n"
                             "cluster pod from clusters.dgx_h100 { nodes = 1 }\n"
                             "layout plan for llm on pod {\n  " +
                                 fields + "\n  mesh { " + mesh + " }\n  batch = " + batch +
                                 "\n  shard { sequence = tensor, optimizer = data }\n}\n");
}
std::uint64_t heldOf(const ir::Plan& plan) { return segmentsOf(plan, plan.memory[0])->reserved; }
/// Seconds that the host is ahead at the end of a pass.
double leadOf(const HostLead& lead, std::size_t pass) {
  return lead.done(pass, 1) - lead.launched(pass, 1);
}
} // namespace

TEST(HostLead, OfADeviceThatIsSlower_GrowsUntilItsQueueIsFull) {
  const ir::Plan plan = planOf("data = 2, tensor = 4");
  const HostLead lead(plan, 0);
  ASSERT_EQ(lead.actions(), 32U);
  // A device takes 8 s for 32 layers of a micro-batch on four ranks, which hold some 4,000 entries.
  EXPECT_GT(leadOf(lead, 0), 0.0);
  EXPECT_NEAR(leadOf(lead, 29), leadOf(lead, 31), 1e-9);
  for (std::size_t pass = 1; pass < lead.actions(); ++pass) {
    EXPECT_GE(lead.launched(pass, 0), lead.launched(pass - 1, 1) - 1e-12);
    EXPECT_GE(lead.done(pass, 0), lead.done(pass - 1, 1) - 1e-12);
    EXPECT_GE(leadOf(lead, pass), 0.0);
  }
}

TEST(HostLead, OfAHostThatIsSlower_IsNone) {
  const ir::Plan plan =
      planOf("data = 2, tensor = 4",
             "framework = nanotron\n  communication_options.consistency_check = 100ms");
  const HostLead lead(plan, 0);
  EXPECT_NEAR(leadOf(lead, 31), 0.0, 1e-9);
}

TEST(HostLead, OfAHostThatIsSlower_DelaysTheNextStage) {
  // The device of the first stage ends a micro-batch when its host has launched the last kernel, so
  // the second stage cannot begin before.
  const ir::Plan plan =
      planOf("pipeline = 2, tensor = 4",
             "framework = nanotron\n  communication_options.consistency_check = 100ms");
  const HostLead first(plan, 0), second(plan, 1);
  // A host checks 100 ms for each of 4 ranks of at least 32 collectives in 16 layers.
  EXPECT_GT(first.launched(0, 1), 32 * 4 * 0.1);
  EXPECT_GE(second.done(0, 0), first.launched(0, 1));
}

TEST(HostLead, OfARankThatIsNotTheSlowest_FillsItsQueueFromItsFirstBackwardPassOn) {
  const ir::Plan plan = planOf(
      "pipeline = 4, tensor = 2",
      "framework = nanotron\n  communication_options.consistency_check = 100ms\n  split = even");
  const HostLead lead(plan, 0);
  EXPECT_NEAR(leadOf(lead, 0), 0.0,
              1e-3); // but for its message. A forward of the warm-up: the host is slower
  EXPECT_GT(leadOf(lead, 20), 0.5);
}

TEST(HostLead, HoldsWhatCollectivesUsed) {
  ir::Plan plan = planOf("pipeline = 2, tensor = 4");
  ASSERT_TRUE(runsAhead(plan));
  const std::uint64_t ahead = heldOf(plan);
  for (const char* month : {"2024.12", "2024.9", "2024.2", "2024.02", "2023.12"}) {
    plan.framework.version = month; // which polls for each message
    EXPECT_FALSE(runsAhead(plan)) << month;
  }
  EXPECT_GT(ahead, heldOf(plan));
  plan.framework.version = "2025.1";
  EXPECT_EQ(heldOf(plan), ahead);
  plan.layout.launchBlocking = true;
  EXPECT_FALSE(runsAhead(plan));
  EXPECT_TRUE(
      runsAhead(planOf("data = 2, tensor = 4", "framework = nanotron { version = \"2024.12\" }")));
  EXPECT_FALSE(runsAhead(planOf("data = 2, tensor = 4", "framework = megatron")));
}
