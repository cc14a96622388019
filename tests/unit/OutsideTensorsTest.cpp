//===- OutsideTensorsTest.cpp - Contexts, communicators and free blocks, by hand --------------===//
#include "cost/memory/OutsideTensors.h"
#include "cost/memory/RankMemory.h"
#include "cost/memory/SegmentReplay.h"
#include "tests/unit/CompiledPlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;

namespace {
constexpr std::uint64_t MiB = 1 << 20, GiB = 1 << 30;

ir::Plan planOf(const std::string& framework, unsigned microBatch = 1,
                const std::string& memory = "79GiB") {
  return test::completedPlan("plan.dpl",
                             "import std.models\nimport std.clusters\n"
                             "model llm from models.llama3_8b\n"
                             "cluster pod from clusters.dgx_h100 { nodes = 4, node.gpu.memory = " +
                                 memory +
                                 " }\n"
                                 "layout plan for llm on pod {\n" +
                                 framework +
                                 "\n  mesh { data = 2, pipeline = 4, tensor = 4 }\n"
                                 "  batch = 64seq\n  micro_batch = " +
                                 std::to_string(microBatch) +
                                 "\n  shard { optimizer = data, sequence = tensor }\n}\n");
}
} // namespace

// Connections of 10 MiB for each channel, 24 inside a node, 16 of eight ports; what is sent from
// rank to rank takes 8 MiB a channel inside and 2 across.
TEST(OutsideTensors, CommunicatorsAsNcclMakesThem) {
  EXPECT_EQ(communicatorBytes({1, 1, true}), 0U);
  // A ring and a tree, whose neighbour is the same one.
  EXPECT_EQ(communicatorBytes({2, 2, true}), (24 * 20 + 32 * 8) * MiB);
  // Eight ranks receive from one of the ring and 7/4 of the tree, and have buffers in the switch.
  EXPECT_EQ(communicatorBytes({8, 8, false}), (660 + 256) * MiB);
  EXPECT_EQ(communicatorBytes({8, 8, true}), (660 + 256 + 24 * 8 * 6) * MiB);
  // Between nodes a rank sends and receives: 2 of the ring, 2 · 2 · 3/4 of the tree.
  EXPECT_EQ(communicatorBytes({4, 1, true}), (4 * 50 + 8) * MiB);
  EXPECT_EQ(communicatorBytes({4, 1, false}), (2 * 50 + 4) * MiB);
  // Stages in one node send to one another over channels of their own.
  EXPECT_EQ(communicatorBytes({2, 2, true, true}), (24 * 20 + 32 * 8 + 32 * 10) * MiB);
  EXPECT_EQ(communicatorBytes({4, 4, true, true}) - communicatorBytes({4, 4, true}),
            2 * 32 * 10 * MiB);
}

TEST(OutsideTensors, AreOfAllDevicesOfAReplicaAndOfEachAxis) {
  const ir::Plan plan = planOf("framework = nanotron");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> shapes;
  for (const CommunicatorShape& shape : communicatorsOf(plan))
    shapes.emplace_back(shape.ranks, shape.inside);
  EXPECT_EQ(shapes, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                        {32, 8}, {16, 8}, {2, 1}, {4, 2}, {4, 4}}));
  EXPECT_EQ(outsideBytes(plan), contextBytes + (1320 + 1300 + 168 + 296 + 1432) * MiB);
  EXPECT_EQ(plan.memory[3].reserved, outsideBytes(plan));
}

TEST(OutsideTensors, CountOnlyWhereAFrameworkIsNamed_AndNoLessThanWhatTheDeviceStates) {
  ir::Plan plan = planOf("");
  EXPECT_EQ(outsideBytes(plan), 0U);
  EXPECT_EQ(plan.memory[0].reserved, GiB);
  plan.framework.name = "megatron";
  EXPECT_EQ(memoryOf(plan)[0].reserved, outsideBytes(plan));
  for (ir::NodeClass& nodes : plan.cluster.classes)
    nodes.device.reserved = 20 * GiB;
  EXPECT_EQ(memoryOf(plan)[0].reserved, 20 * GiB);
}

TEST(OutsideTensors, FreeBlocksOfTheAllocatorDecide) {
  ir::Plan plan = planOf("framework = nanotron", 4);
  const std::uint64_t outside = outsideBytes(plan);
  const ir::RankMemory fullest = plan.memory[0];
  const std::uint64_t tensors = fullest.peak() - fullest.reserved;
  const std::uint64_t held = segmentsOf(plan, fullest, fullest.usable - outside)->held;
  EXPECT_GT(held, tensors);
  EXPECT_EQ(fullest.peak(), outside + held);
  EXPECT_EQ(plan.memory[1].reserved, outside) << "only of the fullest rank";
  // The tensors alone would fit.
  for (ir::NodeClass& nodes : plan.cluster.classes)
    nodes.device.memory = outside + tensors + MiB;
  EXPECT_LT(ir::tightest(memoryOf(plan))->headroom(), 0);
  plan.layout.buffers.expandableSegments = true; // which grow and shrink
  EXPECT_EQ(ir::tightest(memoryOf(plan))->headroom(), static_cast<std::int64_t>(MiB));
}

TEST(OutsideTensors, ScheduleAuto_LeavesRoomForFreeBlocks) {
  const std::string automatic = "framework = nanotron\n  schedule = auto";
  const auto chosenOf = [](const ir::Plan& plan) {
    for (const ir::WeighedSchedule& row : plan.weighed)
      if (row.outcome == ir::Outcome::Chosen)
        return row;
    return ir::WeighedSchedule{};
  };
  const ir::WeighedSchedule wide = chosenOf(planOf(automatic, 4));
  ASSERT_GT(wide.peak, 40 * GiB);
  const ir::Plan narrow = planOf(automatic, 4, std::to_string(wide.peak / MiB + 1) + "MiB");
  EXPECT_NE(chosenOf(narrow).text(), wide.text());
  EXPECT_GE(ir::tightest(narrow.memory)->headroom(), 0);
}
