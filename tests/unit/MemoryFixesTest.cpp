//===- MemoryFixesTest.cpp - Changes of a plan that does not fit ------------------------------===//
#include "passes/MemoryFixes.h"
#include "backends/report/Memory.h"
#include "cost/memory/RankMemory.h"
#include "cost/step/StepTimes.h"
#include "passes/Passes.h"
#include "tests/unit/CompiledPlan.h"
#include "llvm/ADT/StringMap.h"
#include <gmock/gmock.h>

using namespace dpl;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

namespace {
std::string textOf(const std::string& model, const std::string& fields) {
  return "import std.models\nimport std.clusters\n"
         "cluster pod from clusters.dgx_h100 { nodes = 4, node.gpu.memory = 1TiB }\n"
         "layout plan for models." +
         model +
         " on pod {\n  batch = 256seq\n  mesh { data = rest, tensor = 4, pipeline = 2 }\n  " +
         fields + "\n}\n";
}
/// With so many bytes less than it takes.
ir::Plan withLess(ir::Plan plan, double less) {
  const auto peak = static_cast<double>(ir::tightest(plan.memory)->peak());
  for (ir::NodeType& nodes : plan.cluster.nodeTypes)
    nodes.device.memory = static_cast<std::uint64_t>(peak - less);
  plan.memory = cost::memoryOf(plan);
  return plan;
}
ir::Plan shortOf(const std::string& fields, double less, const std::string& model = "llama3_8b") {
  return withLess(test::completedPlan("plan.dpl", textOf(model, fields)), less);
}
std::vector<std::string> textsOf(const std::vector<MemoryOutcome>& outcomes) {
  std::vector<std::string> out;
  for (const MemoryOutcome& o : outcomes)
    out.push_back(o.text);
  return out;
}
constexpr double GiB = 1ULL << 30;
const std::string sharded = "shard { optimizer = data, sequence = tensor }\n  ";
} // namespace

/// The review's case: an activation that runs again costs next to nothing.
TEST(MemoryFixes, OfAModuleThatRunsAgain_AreTheSmallestThatFit) {
  ir::Plan plan = shortOf(sharded, 2 * GiB);
  plan.lint.headroom = 0; // fixes need not leave memory free
  const std::vector<MemoryOutcome> found = memoryFixes(plan, {}).found;
  ASSERT_FALSE(found.empty());
  const double step = cost::stepTimes(plan).step;
  EXPECT_TRUE(found.front().fits());
  EXPECT_LT(found.front().step, 1.02 * step) << found.front().text;
  EXPECT_THAT(textsOf(found), Contains(HasSubstr("recompute = selective { modules = [")));
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].fits()) {
      EXPECT_LE(found[i - 1].step, found[i].step);
    }
  // Each is what the plan that says it comes to.
  for (const MemoryOutcome& out : found) {
    if (out.changes > 1)
      continue;
    const std::string said = llvm::StringRef(out.text).trim('`').str();
    const ir::Plan changed = test::completedPlan("plan.dpl", textOf("llama3_8b", sharded + said));
    EXPECT_EQ(ir::tightest(changed.memory)->peak(), out.tightest.peak()) << said;
    EXPECT_EQ(cost::stepTimes(changed).step, out.step) << said;
  }
}

/// With a headroom to leave, fixes that fit without it come after those that leave it.
TEST(MemoryFixes, ThatLeaveRoom_StandFirst) {
  const ir::Plan plan = shortOf(sharded, 2 * GiB);
  const std::vector<MemoryOutcome> found = memoryFixes(plan, {}).found;
  ASSERT_FALSE(found.empty());
  EXPECT_GE(found.front().free(), 0.1) << found.front().text;
  const auto roomy = [](const MemoryOutcome& out) { return out.fits() && out.free() >= 0.1; };
  EXPECT_TRUE(std::is_partitioned(found.begin(), found.end(), roomy));
}

TEST(MemoryFixes, AreAHandful_AndNoMoreThanTwoOfOneField) {
  for (const double less : {1.0, 6.0, 12.0, 30.0}) {
    const std::vector<MemoryOutcome> found = memoryFixes(shortOf("", less * GiB), {}).found;
    EXPECT_LE(found.size(), 5U);
    llvm::StringMap<int> fields;
    for (const MemoryOutcome& out : found)
      if (out.changes == 1) {
        EXPECT_LE(++fields[llvm::StringRef(out.text).trim('`').split(' ').first], 2) << out.text;
      }
  }
}

TEST(MemoryFixes, NameNoModuleThatNoLayerHas) {
  const ir::Plan dense = shortOf(sharded, 2 * GiB);
  std::vector<std::string> all;
  for (const ChangeFamily& family : planChanges(dense))
    for (const PlanChange& change : family.changes)
      all.push_back(change.text);
  EXPECT_THAT(all, Contains("`recompute = selective { modules = [mlp] }`"));
  EXPECT_THAT(all, Each(Not(HasSubstr("moe"))));
  EXPECT_THAT(all, Each(Not(HasSubstr("mla_up"))));
  EXPECT_THAT(all, Each(Not(HasSubstr("every_other_matmul"))));
  EXPECT_THAT(all, Contains("`recompute = full { method = block, layers = 4 }`"));
  EXPECT_THAT(all, Contains("`kernels.loss = fused`"));
  EXPECT_THAT(all, Contains("`offload.activations = 2`"));
  EXPECT_THAT(all, Each(Not(HasSubstr("save_only"))));
}

TEST(MemoryFixes, KeepTheLossAndTheOffloadThatTheFileSays) {
  std::vector<std::string> all;
  for (const ChangeFamily& family :
       planChanges(shortOf(sharded + "kernels.loss = copied\n  offload.optimizer = 0.5", GiB)))
    for (const PlanChange& change : family.changes)
      all.push_back(change.text);
  EXPECT_THAT(all, Each(Not(HasSubstr("kernels.loss"))));
  EXPECT_THAT(all, Each(Not(HasSubstr("offload"))));
}

TEST(MemoryFixes, SayNothingThatTheProgramDoesNotTake) {
  const AcceptsPlan takes = [](const ir::Plan& changed) {
    return changed.layout.recompute.kind == ir::RecomputeKind::None &&
           changed.layout.offload.empty();
  };
  const std::vector<MemoryOutcome> found = memoryFixes(shortOf("", 2 * GiB), takes).found;
  EXPECT_THAT(textsOf(found), Each(Not(HasSubstr("recompute"))));
  EXPECT_THAT(textsOf(found), Each(Not(HasSubstr("offload"))));
  EXPECT_FALSE(found.empty());
}

TEST(MemoryFixes, OfOneField_AreNotJoined) {
  for (const MemoryOutcome& out : memoryFixes(shortOf("", 60 * GiB), {}).found) {
    const std::size_t first = out.text.find("`recompute = ");
    EXPECT_TRUE(first == std::string::npos ||
                out.text.find("`recompute", first + 1) == std::string::npos)
        << out.text;
  }
}

TEST(MemoryFixes, OfManyPasses_AreTriedUntilTheBudgetIsSpent) {
  ir::Plan plan = shortOf(sharded, 2 * GiB);
  EXPECT_TRUE(memoryFixes(plan, {}).all);
  const ir::Plan few = plan;
  plan.mesh.microBatches = 1'000'000;
  TrialBudget budget;
  for (int trial = 0; trial < 4; ++trial) // of two stages
    EXPECT_TRUE(budget.allows(plan)) << trial;
  EXPECT_FALSE(budget.spent());
  EXPECT_FALSE(budget.allows(plan));
  EXPECT_FALSE(budget.allows(few)) << "what would do with less is not tried behind it";
  EXPECT_TRUE(budget.spent());
  plan.mesh.microBatches = 100'000'000;
  for (const MemoryOutcomes& none : {memoryFixes(plan, {}), largestThatFit(plan, {})}) {
    EXPECT_TRUE(none.found.empty());
    EXPECT_FALSE(none.all);
  }
  DiagnosticEngine said;
  EXPECT_TRUE(createCheckMemoryPass()->run(plan, said).failed());
  EXPECT_THAT(said.diagnostics().front().help, HasSubstr("; some changes were not tried"));
  EXPECT_THAT(report::renderMemory(few, {{}, false}, 1, 200),
              HasSubstr("some changes were not tried"));
  EXPECT_THAT(report::renderMemory(few, {{}, true}, 1, 200),
              Not(HasSubstr("some changes were not tried")));
}
