//===- MicroBatchCostsTest.cpp - Micro-batches that do not compute equally long ---------------===//
#include "ir/MicroBatchCosts.h"
#include "cost/execution/StepSweep.h"
#include "cost/step/Timeline.h"
#include "figures/Figures.h"
#include "simulate/diagnosis/Diagnosis.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/FollowThePlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
std::optional<std::vector<std::uint64_t>> ratioOf(std::initializer_list<const char*> costs) {
  std::vector<Rational> all;
  for (const char* cost : costs)
    all.push_back(*Rational::parse(cost));
  return wholeRatio(all);
}
using Whole = std::vector<std::uint64_t>;

/// Two stages of 10 ms forward and 20 ms backward, messages and update of no time.
Plan planOf(const std::string& rest) {
  return test::completedPlan(
      "unequal.dpl",
      "import std.models\nimport std.clusters\n"
      "cluster node from clusters.dgx_h100 { nodes = 1 }\n"
      "model net from models.layer_list {\n"
      "  layer[0..<2] { name = \"layer\", time { forward = 10ms, backward = 20ms }, "
      "saved_activations = 1MB, "
      "message = 0B }\n}\n"
      "layout plan for net on node {\n"
      "  devices = 2\n  mesh { pipeline = 2 }\n  micro_batch = 1sample\n  batch = 3sample\n"
      "  optimizer_time = 0s\n" +
          rest + "\n}\n");
}
constexpr std::uint64_t ms = 1'000'000'000;

/// Begins of a rank's passes in ms.
std::vector<std::uint64_t> begins(const Plan& plan, std::uint64_t rank) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < plan.schedule[rank].actions.size(); ++i)
    if (isChunkAction(plan.schedule[rank].actions[i].kind))
      out.push_back(plan.schedule[rank].start[i] / ms);
  return out;
}
} // namespace

TEST(MicroBatchCosts, WrittenCosts_AreTheLeastWholeNumbersOfTheirRatio) {
  EXPECT_EQ(ratioOf({"1", "1.5", "0.25"}), (Whole{4, 6, 1}));
  EXPECT_EQ(ratioOf({"30", "20"}), (Whole{3, 2}));
  EXPECT_EQ(ratioOf({"2.5"}), Whole{});
  EXPECT_EQ(ratioOf({"7", "7", "7"}), Whole{});
  EXPECT_EQ(ratioOf({"1000000000", "1"}), (Whole{1'000'000'000, 1}));
  EXPECT_EQ(ratioOf({"1", "0.0000000009"}), std::nullopt);
}

TEST(MicroBatchCosts, Times_AreThoseOfAMeanMicroBatchOnAverage) {
  const MicroBatchCosts costs(Whole{1, 2, 3, 2});
  EXPECT_EQ(costs.kinds(), 3U);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 8; ++i)
    sum += costs.of(i).of(1000);
  EXPECT_EQ(sum, 8000U);
  EXPECT_EQ(costs.of(6).of(1000), 1500U); // the third of the second round
  EXPECT_EQ(costs.sum(1, 3), 2.5);
  EXPECT_EQ(costs.least(), 0.5);
  EXPECT_EQ(costs.most(), 1.5);
  const MicroBatchCosts thirds(Whole{1, 2});
  EXPECT_EQ(thirds.of(0).of(100), 67U); // 66.7
  EXPECT_EQ(thirds.of(1).of(std::uint64_t{1} << 59), 768614336404564651U);
}

TEST(MicroBatchCosts, GPipe_OfTwoStagesByHand) {
  // Forwards of 5, 10, 15 ms and backwards of 10, 20, 30.
  const Plan plan = planOf("  schedule = gpipe\n  micro_batch_costs = [1, 2, 3]");
  EXPECT_EQ(begins(plan, 0), (std::vector<std::uint64_t>{0, 5, 15, 55, 75, 105}));
  EXPECT_EQ(begins(plan, 1), (std::vector<std::uint64_t>{5, 15, 30, 45, 55, 75}));
}

TEST(MicroBatchCosts, OneForwardOneBackward_OfTwoStagesByHand) {
  const Plan plan = planOf("  micro_batch_costs = [0.5, 1, 1.5]");
  EXPECT_EQ(begins(plan, 0), (std::vector<std::uint64_t>{0, 5, 20, 30, 50, 95}));
  EXPECT_EQ(begins(plan, 1), (std::vector<std::uint64_t>{5, 10, 20, 30, 50, 65}));
  figures::Figures figures(plan);
  EXPECT_NEAR(*figures.value("time.makespan"), 0.125,
              1e-4); // of equal ones 0.12; messages have latency
  EXPECT_NEAR(*figures.value("time.compute"), 0.09, 1e-9);
  EXPECT_FALSE(figures.value("bubble_fraction.equal_stages"));
  const Plan equal = planOf("");
  EXPECT_NEAR(*figures::Figures(equal).value("time.makespan"), 0.12, 1e-4);
}

TEST(MicroBatchCosts, EqualOnes_AreThePlanWithoutThem) {
  EXPECT_EQ(ir::print(planOf("  micro_batch_costs = [3, 3, 3]")), ir::print(planOf("")));
  EXPECT_EQ(ir::print(planOf("  micro_batch_costs = [0.7]")), ir::print(planOf("")));
}

TEST(MicroBatchCosts, SimulationAndTrace_FollowThePlan) {
  test::simulationAndTraceFollow(planOf("  micro_batch_costs = [5, 1, 3]"));
}

TEST(MicroBatchCosts, Diagnosis_SaysWhatTheyCost) {
  const Plan plan = planOf("  micro_batch_costs = [1, 2, 3]"), equal = planOf("");
  double without = 0;
  for (const diagnosis::Saving& of : diagnosis::diagnose(plan, {}, {}).savings)
    if (llvm::StringRef(of.cause->key) == "micro_batch_imbalance")
      without = of.step;
  EXPECT_EQ(without, static_cast<double>(simulation::runSteps(equal, {}).steady));
}
