//===- DualPipeTest.cpp - Plans whose stages have copies --------------------------------------===//
#include "figures/Figures.h"
#include "tests/unit/SchedulePlans.h"
#include <gtest/gtest.h>
#include <set>

using namespace dpl;
using namespace dpl::ir;

namespace {
Plan fromBothEnds(const std::string& rest) {
  return test::planOf("pipeline = 4, data = 2", "  schedule = dualpipe\n" + rest, "32seq");
}
/// Group and bytes of what a rank calls at the end of the step.
std::vector<std::pair<GroupId, std::uint64_t>> callsAtEnd(const Plan& plan, std::uint64_t rank) {
  std::vector<std::pair<GroupId, std::uint64_t>> calls;
  for (const ScheduledAction& op : plan.schedule[rank].actions)
    if (op.kind == ActionKind::Collective)
      calls.emplace_back(plan.collectives[op.collective].group,
                         plan.collectives[op.collective].bytes);
  return calls;
}
} // namespace

TEST(DualPipe, GradientsAreReducedOverCopiesAndDataRanks) {
  for (const char* rest : {"", "  shard.optimizer = data\n"}) {
    const Plan plan = fromBothEnds(rest);
    std::set<std::string> groups;
    for (const Collective& c : plan.collectives) {
      EXPECT_NE(c.purpose, CollectivePurpose::EmbeddingGradient) << "each end has both";
      if (c.purpose == CollectivePurpose::GradientReduce ||
          c.purpose == CollectivePurpose::ParameterGather)
        groups.insert(plan.groups[c.group].name);
    }
    EXPECT_EQ(groups, (std::set<std::string>{"stage_replica+data+context"}));
    EXPECT_EQ(plan.group("stage_replica+data+context")->members(2),
              (std::vector<std::uint64_t>{2, 3, 4, 5}));
  }
}

TEST(DualPipe, OppositeRanksCallInOneOrderAtTheEnd) {
  const Plan plan = fromBothEnds("  overlap.gradients = false\n");
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(callsAtEnd(plan, rank).size(), 2U);
    EXPECT_EQ(callsAtEnd(plan, rank), callsAtEnd(plan, 3 - rank)) << rank;
  }
  EXPECT_NE(callsAtEnd(plan, 0)[0], callsAtEnd(plan, 0)[1]) << "the ends of the model differ";
}

TEST(DualPipe, OptimizerStateIsSpreadOverCopies) {
  const Plan whole = fromBothEnds(""), spread = fromBothEnds("  shard.optimizer = data\n");
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(spread.memory[rank].parameters, whole.memory[rank].parameters);
    EXPECT_NEAR(static_cast<double>(spread.memory[rank].optimizer),
                static_cast<double>(whole.memory[rank].optimizer) / 4, 2) // 2 data ranks × 2 copies
        << rank;
    EXPECT_EQ(whole.memory[rank].parameters, whole.memory[3 - rank].parameters);
  }
}

TEST(DualPipe, FiguresCountHalfOfTheMicroBatchesAChunk) {
  const Plan plan = fromBothEnds(""),
             straight = test::planOf("pipeline = 4, data = 2", "  schedule = 1f1b\n", "32seq");
  const figures::Figures of(plan), ofStraight(straight);
  double chunks = 0;
  for (const char* stage : {"stage[0.0]", "stage[0.1]"})
    for (const char* pass : {".forward", ".backward"})
      chunks += *of.value(std::string(stage) + pass);
  EXPECT_EQ(plan.mesh.microBatches, 16U);
  EXPECT_NEAR(*of.value("time.compute") + *of.value("time.launch_bound"), 8 * chunks, 1e-9);
  EXPECT_DOUBLE_EQ(*of.value("flop.model"), *ofStraight.value("flop.model"));
  EXPECT_EQ(*of.value("memory.rank[1].micro_batches_in_flight"), 5);
}
