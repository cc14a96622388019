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
                const std::string& memory = "79GiB",
                const std::string& mesh = "data = 2, pipeline = 4, tensor = 4") {
  return test::completedPlan("plan.dpl",
                             "import std.models\nimport std.clusters\n"
                             "model llm from models.llama3_8b\n"
                             "cluster pod from clusters.dgx_h100 { nodes = 4, node.gpu.memory = " +
                                 memory +
                                 " }\n"
                                 "layout plan for llm on pod {\n" +
                                 framework + "\n  mesh { " + mesh +
                                 " }\n"
                                 "  batch = 64seq\n  micro_batch = " +
                                 std::to_string(microBatch) +
                                 "\n  shard { optimizer = data, sequence = tensor }\n}\n");
}

constexpr std::uint64_t context = 512 * MiB; ///< of a device that says nothing of it
std::uint64_t outsideOf(const ir::Plan& plan, std::uint64_t rank) {
  return outsideBytes(plan, deviceOf(plan, plan.memory[rank]), rank);
}
/// Of a rank without neighbours, by what the library says of a release.
std::uint64_t outsideOf(const ir::Plan& plan) { return context + communicatorBytes(plan); }
std::uint64_t bytesOf(const CommunicatorShape& shape,
                      ir::CommunicatorRelease release = ir::CommunicatorRelease::Nccl2_21) {
  return communicatorBytes(*buffersOf(release), shape);
}

/// Ranks of each communicator, and how many of them a node has.
using Shapes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
Shapes shapesOf(const ir::Plan& plan) {
  Shapes shapes;
  for (const CommunicatorShape& shape : communicatorsOf(plan))
    shapes.emplace_back(shape.ranks, shape.inside);
  return shapes;
}
} // namespace

// Connections of 10 MiB for each channel, 24 inside a node, 16 of eight ports; what is sent from
// rank to rank takes 8 MiB a channel inside and 2 across.
TEST(OutsideTensors, CommunicatorsAsNcclMakesThem) {
  EXPECT_EQ(bytesOf({1, 1, true}), 0U);
  // A ring and a tree, whose neighbour is the same one.
  EXPECT_EQ(bytesOf({2, 2, true}), (24 * 20 + 32 * 8) * MiB);
  // Eight ranks receive from one of the ring and 7/4 of the tree, and have buffers in the switch.
  EXPECT_EQ(bytesOf({8, 8, false}), (660 + 256) * MiB);
  EXPECT_EQ(bytesOf({8, 8, true}), (660 + 256 + 24 * 8 * 6) * MiB);
  // Between nodes a rank sends and receives: 2 of the ring, 2 · 2 · 3/4 of the tree.
  EXPECT_EQ(bytesOf({4, 1, true}), (4 * 50 + 8) * MiB);
  EXPECT_EQ(bytesOf({4, 1, false}), (2 * 50 + 4) * MiB);
  // Stages in one node send to one another over channels of their own.
  EXPECT_EQ(bytesOf({2, 2, true, true}), (24 * 20 + 32 * 8 + 32 * 10) * MiB);
  EXPECT_EQ(bytesOf({4, 4, true, true}) - bytesOf({4, 4, true}), 2 * 32 * 10 * MiB);
  // Of two nodes each rank sends to one and receives from it, in 16 channels of sums in switches
  // and in both directions; an eighth of them are those of the ring and of the trees.
  EXPECT_EQ(bytesOf({16, 8, true}) - bytesOf({16, 8, false}),
            (16 * 4 / 2 * 10 * 7 / 8 + 16 * 8 * 6) * MiB);
  // Before 2.20 switches had 16 channels and buffers of 4 MiB.
  EXPECT_EQ(bytesOf({8, 8, true}, ir::CommunicatorRelease::Nccl2_18),
            (660 + 256 + 16 * 8 * 12) * MiB);
}

// NCCL_MAX_NCHANNELS=1: the other rank of a pair is the neighbour in the ring and in the tree, and
// messages from rank to rank keep the buffer of the one channel.
TEST(OutsideTensors, OfOneChannel_HoldItsConnectionsAndItsBufferOfMessages) {
  CommunicatorBuffers one;
  one.channelsInside = 1;
  EXPECT_EQ(communicatorBytes(one, {2, 2, false}), (2 * 10 + 8) * MiB);
}

TEST(OutsideTensors, AreOfAllDevicesOfAReplicaAndOfEachAxis) {
  const ir::Plan plan = planOf("framework = megatron");
  EXPECT_EQ(shapesOf(plan), (Shapes{{32, 8}, {16, 8}, {2, 1}, {4, 2}, {4, 4}}));
  EXPECT_EQ(outsideOf(plan), context + (1740 + 1580 + 168 + 296 + 1432) * MiB);
  EXPECT_EQ(pairBytes(plan), 0U);
  EXPECT_EQ(pairBytes(planOf("framework = megatron\n  overlap.pipeline = true")), 736 * MiB);
  EXPECT_EQ(pairBytes(planOf("framework = deepspeed")), 736 * MiB);
  EXPECT_EQ(plan.memory[3].reserved, outsideOf(plan));
}

// The default group and its own of all devices, those of a node, and a stage with each neighbour.
TEST(OutsideTensors, OfNanotron_AreMore) {
  const ir::Plan plan = planOf("framework = nanotron");
  EXPECT_EQ(shapesOf(plan), (Shapes{{32, 8}, {32, 8}, {8, 8}, {16, 8}, {2, 1}, {4, 2}, {4, 4}}));
  EXPECT_EQ(outsideOf(plan), context + (2 * 2508 + 2452 + 2348 + 168 + 296 + 1624) * MiB);
  EXPECT_EQ(pairBytes(plan), (24 * 20 + 32 * 8) * MiB);
  EXPECT_EQ(plan.memory[3].reserved, outsideOf(plan) + pairBytes(plan));
  EXPECT_EQ(plan.memory[2].reserved, outsideOf(plan) + 2 * pairBytes(plan));
  // Tensor ranks that are a node's have one communicator with it, and all devices a third if a
  // replica of the model is all of them.
  const ir::Plan wide = planOf("framework = nanotron", 1, "79GiB", "pipeline = 4, tensor = 8");
  EXPECT_EQ(shapesOf(wide), (Shapes{{32, 8}, {32, 8}, {32, 8}, {4, 1}, {8, 8}}));
}

TEST(OutsideTensors, CountWithoutAFramework_AndNoLessThanWhatTheDeviceReserves) {
  ir::Plan plan = planOf("");
  // Rings and trees alone: of no sums in switches.
  EXPECT_EQ(plan.memory[0].reserved, context + (552 + 532 + 168 + 296 + 856) * MiB);
  EXPECT_EQ(planOf("communicators = none").memory[0].reserved, GiB);
  EXPECT_EQ(planOf("", 1, "79GiB, node.gpu.cuda_context = 3GiB").memory[0].reserved,
            2404 * MiB + 3 * GiB);
  for (ir::NodeType& nodes : plan.cluster.nodeTypes)
    nodes.device.reserved = 20 * GiB;
  EXPECT_EQ(memoryOf(plan)[0].reserved, 20 * GiB);
}

TEST(OutsideTensors, FreeBlocksOfTheAllocatorDecide) {
  ir::Plan plan = planOf("framework = nanotron", 4);
  EXPECT_EQ(plan.memory[1].reserved, outsideOf(plan, 1)) << "only of the fullest rank";
  const auto setMemory = [&](std::uint64_t bytes) {
    for (ir::NodeType& nodes : plan.cluster.nodeTypes)
      nodes.device.memory = bytes;
    plan.memory = memoryOf(plan);
  };
  const std::uint64_t outside = outsideOf(plan, 0);
  const ir::RankMemory before = plan.memory[0];
  const std::uint64_t tensors = before.peak() - before.reserved;
  const SegmentBytes roomy = *segmentsOf(plan, before);
  EXPECT_FALSE(roomy.full);
  EXPECT_GT(roomy.reserved, tensors);
  setMemory(outside + roomy.reserved);
  EXPECT_EQ(plan.memory[0].peak(), outside + roomy.reserved);
  // Once it lacks two mebibytes and gives back what it can: the device was full.
  const std::uint64_t less = outside + roomy.reserved - 2 * MiB;
  const SegmentBytes tight = *segmentsOf(plan, before, roomy.reserved - 2 * MiB);
  EXPECT_TRUE(tight.full);
  EXPECT_LT(tight.reserved, roomy.reserved - 2 * MiB);
  setMemory(less);
  EXPECT_EQ(plan.memory[0].peak(), less);
  EXPECT_EQ(ir::tightest(plan.memory)->headroom(), 0);
  // The tensors alone would fit; what does not is what it holds with room for all, as where these
  // do not either.
  for (const std::uint64_t room : {outside + tensors + MiB, outside + tensors - MiB}) {
    setMemory(room);
    EXPECT_LT(ir::tightest(plan.memory)->headroom(), 0);
    EXPECT_EQ(plan.memory[0].peak(), outside + roomy.reserved);
  }
  setMemory(outside + tensors + MiB);
  plan.layout.buffers.expandableSegments = true; // which grow and shrink
  EXPECT_EQ(ir::tightest(memoryOf(plan))->headroom(), static_cast<std::int64_t>(MiB));
}

// One pipeline rank is on all nodes, of which one differs.
TEST(OutsideTensors, OfNodesThatDiffer_LeaveARankWhatTheTightestDoes) {
  const auto with = [](const std::string& part,
                       const std::string& nominal = ", node.gpu.workspace = 0B") {
    return planOf("communicators = nccl_2_21", 1,
                  "79GiB" + nominal + ", node_pool[\"x\"] { nodes = 1, node.gpu { " + part + " } }",
                  "data = 8, tensor = 4")
        .memory[0];
  };
  const ir::RankMemory alike = with("workspace = 0B");
  const std::uint64_t outside = alike.reserved - context;
  EXPECT_GT(outside, 2 * GiB) << "communicators";
  EXPECT_EQ(alike.nodeType, 0U);
  // Its workspace counts, and its memory less that of the others' workspace.
  const ir::RankMemory works = with("workspace = 10GiB");
  EXPECT_EQ(works.nodeType, 1U);
  EXPECT_EQ(works.peak(), alike.peak() + 10 * GiB);
  EXPECT_EQ(works.usable, 79 * GiB);
  const ir::RankMemory roomy = with("workspace = 10GiB, memory = 90GiB");
  EXPECT_EQ(roomy.peak(), alike.peak());
  EXPECT_EQ(roomy.usable, 79 * GiB);
  const ir::RankMemory small =
      with("workspace = 0B, memory = 70GiB", ", node.gpu.workspace = 8GiB");
  EXPECT_EQ(small.peak(), alike.peak());
  EXPECT_EQ(small.usable, 70 * GiB);
  // What is reserved holds the communicators, a context does not: 4 GiB are less than 3 with them.
  const ir::RankMemory driver = with("cuda_context = 3GiB, non_tensor_memory = 0B",
                                     ", node.gpu { workspace = 0B, non_tensor_memory = 4GiB }");
  EXPECT_EQ(driver.reserved, 3 * GiB + outside);
  EXPECT_EQ(driver.nodeType, 1U);
}

// The tensors leave a device that reserves 25 GiB a mebibyte less, but free blocks have room there.
TEST(OutsideTensors, OfNodesThatDiffer_FreeBlocksMayFillAnother) {
  const auto with = [](const std::string& cluster) {
    return planOf("framework = nanotron", 2, "79GiB" + cluster, "data = 8, tensor = 4");
  };
  const ir::Plan one = with(", node.gpu.non_tensor_memory = 25GiB");
  EXPECT_EQ(one.memory[0].reserved, 25 * GiB);
  const std::uint64_t outside = outsideOf(one, 0), tensors = one.memory[0].peak() - 25 * GiB;
  const std::uint64_t held = segmentsOf(one, one.memory[0])->reserved;
  EXPECT_GT(held, tensors + MiB);
  EXPECT_LT(outside + held, tensors + 25 * GiB);
  const std::uint64_t memory = 54 * GiB + outside + MiB;
  const ir::RankMemory m =
      with(", node.gpu.non_tensor_memory = 25GiB, node_pool[\"x\"] { nodes = 1, node.gpu { "
           "non_tensor_memory = 0B, memory = " +
           std::to_string(memory) + "B } }")
          .memory[0];
  EXPECT_EQ(m.nodeType, 1U);
  EXPECT_EQ(m.usable, memory);
  EXPECT_EQ(m.peak(), outside + held);
}

namespace {
/// Stages that hold nearly as much as one another: as many layers, and all micro-batches at once.
ir::Plan evenPlan(unsigned stages) {
  return test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\n"
                  "model llm from models.decoder {\n"
                  "  layers = 32, hidden = 4096, heads = 32, vocab = 4096, context = 4096tok\n"
                  "  ffn = gated { width = 11008 }\n}\n"
                  "cluster pod from clusters.dgx_h100 { nodes = 2, node.gpu.memory = 60GiB }\n"
                  "layout plan for llm on pod {\n"
                  "  framework = nanotron\n  schedule = gpipe\n  split = even\n"
                  "  mesh { data = rest, tensor = 2, pipeline = " +
                      std::to_string(stages) +
                      " }\n  batch = 16seq\n"
                      "  shard { optimizer = data, sequence = tensor }\n}\n");
}
std::uint64_t heldOf(const ir::Plan& plan, std::uint64_t rank) {
  return segmentsOf(plan, plan.memory[rank], plan.memory[rank].usable - outsideOf(plan, rank))
      ->reserved;
}
} // namespace

TEST(OutsideTensors, FreeBlocksOfARankBesideTheFullest_MayDecideToo) {
  const ir::Plan plan = evenPlan(2);
  std::vector<ir::RankMemory> tensors = plan.memory;
  for (ir::RankMemory& m : tensors)
    m.reserved = outsideOf(plan, m.rank);
  ASSERT_EQ(ir::tightest(tensors)->rank, 1U);
  ASSERT_LT(tensors[1].peak() - tensors[0].peak(), plan.memory[1].reserved - tensors[1].reserved)
      << "the second is nearer to the first than its blocks";
  for (const std::uint64_t rank : {0, 1})
    EXPECT_EQ(plan.memory[rank].peak(), outsideOf(plan, rank) + heldOf(plan, rank)) << rank;
}

TEST(OutsideTensors, FreeBlocksOfRanksThatAreAlike_AreAsMany) {
  const ir::Plan plan = evenPlan(4);
  EXPECT_GT(plan.memory[1].reserved, outsideOf(plan, 1));
  EXPECT_EQ(plan.memory[2].reserved, plan.memory[1].reserved);
  EXPECT_EQ(plan.memory[1].peak(), outsideOf(plan, 1) + heldOf(plan, 1));
}

TEST(OutsideTensors, ScheduleAuto_LeavesRoomForFreeBlocks) {
  const std::string automatic = "framework = nanotron\n  schedule = auto";
  const auto chosenOf = [](const ir::Plan& plan) {
    for (const ir::ScheduleCandidate& row : plan.scheduleCandidates)
      if (row.outcome == ir::CandidateOutcome::Chosen)
        return row;
    return ir::ScheduleCandidate{};
  };
  const ir::ScheduleCandidate wide = chosenOf(planOf(automatic, 4));
  ASSERT_GT(wide.peak, 40 * GiB);
  const ir::Plan narrow = planOf(automatic, 4, std::to_string(wide.peak / MiB + 1) + "MiB");
  EXPECT_NE(chosenOf(narrow).text(), wide.text());
  EXPECT_GE(ir::tightest(narrow.memory)->headroom(), 0);
}

// Tensors of the fastest schedules leave a tenth of the device, and not with the allocator's free
// blocks: the fastest one that still leaves it is chosen.
TEST(OutsideTensors, ScheduleAuto_LeavesTheHeadroomBesideFreeBlocks) {
  const auto planWith = [](const std::string& schedule) {
    return test::completedPlan("headroom.dpl", R"(
import std.models
import std.clusters
model net from models.llama2_13b
cluster pod from clusters.dgx_h100 { nodes = 2 }
layout plan for net on pod {
  framework = pytorch
  batch = 256seq
  mesh { pipeline = 2, data = rest, tensor = 4 }
  micro_batch = 4seq
  recompute = selective { modules = [norm] }
  shard.optimizer = data
  schedule = )" + schedule + "\n}\n");
  };
  const auto shareOf = [](const ir::Plan& plan, bool blocks) {
    const ir::RankMemory& least = *ir::tightest(plan.memory);
    return static_cast<double>(least.peak() - (blocks ? 0 : freeBlockBytes(plan, least))) /
           static_cast<double>(least.usable);
  };
  const ir::Plan chosen = planWith("auto"), faster = planWith("zb_v");
  const double most = 1 - chosen.lint.headroom;
  EXPECT_LE(shareOf(faster, false), most);
  EXPECT_GT(shareOf(faster, true), most);
  EXPECT_LE(shareOf(chosen, true), most);
  for (const ir::ScheduleCandidate& row : chosen.scheduleCandidates)
    if (row.text() == "zb_v") {
      EXPECT_EQ(row.outcome, ir::CandidateOutcome::NoHeadroom);
    }
}
