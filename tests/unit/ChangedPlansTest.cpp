//===- ChangedPlansTest.cpp - Which changes of a plan its framework runs ----------------------===//
#include "backends/Target.h"
#include "tests/unit/CompiledPlan.h"
#include <gtest/gtest.h>

using namespace dpl;

namespace {
ir::Plan planOf(const std::string& fields) {
  return test::completedPlan("plan.dpl",
                             "import std.models\nimport std.clusters\n"
                             "cluster pod from clusters.dgx_h100 { nodes = 4 }\n"
                             "layout plan for models.llama3_8b on pod {\n  batch = 256seq\n"
                             "  mesh { data = rest, tensor = 4, pipeline = 2 }\n"
                             "  shard { optimizer = data, sequence = tensor }\n  " +
                                 fields + "\n}\n");
}
/// Whether the framework takes what the second fields say of a plan that has the first alone.
bool takes(const std::string& fields, const std::string& more) {
  const ir::Plan plan = planOf(fields);
  return acceptsOf(plan)(planOf(fields + "\n  " + more));
}
} // namespace

TEST(ChangedPlans, AreTakenWhereTheTargetRefusesNothingMore) {
  EXPECT_FALSE(acceptsOf(planOf("")));
  EXPECT_TRUE(takes("framework = megatron", "recompute = selective { modules = [norm] }"));
  EXPECT_TRUE(takes("framework = megatron", "recompute = full { method = block, layers = 2 }"));
  EXPECT_TRUE(takes("framework = megatron", "kernels.loss = fused"));
  EXPECT_FALSE(takes("framework = megatron", "recompute = selective { modules = [attention] }"));
  EXPECT_FALSE(takes("framework = megatron", "offload.activations = 2"));
  // What is refused in any case is no reason.
  EXPECT_TRUE(takes("framework = megatron\n  cuda_graphs = true", "recompute = full"));
}

TEST(ChangedPlans, OfFrameworksWithoutATarget_AreThoseThatTheirCodeHas) {
  EXPECT_TRUE(takes("framework = nanotron", "recompute = full"));
  EXPECT_FALSE(takes("framework = nanotron", "recompute = full { layers = 2 }"));
  EXPECT_FALSE(takes("framework = nanotron", "recompute = selective"));
  EXPECT_FALSE(takes("framework = nanotron", "kernels.loss = fused"));
  EXPECT_TRUE(
      takes("framework = megatron_2021", "recompute = full { method = block, layers = 2 }"));
  EXPECT_TRUE(takes("framework = maxtext", "recompute = save_only { operators = [out_proj] }"));
  EXPECT_FALSE(takes("framework = maxtext", "recompute = full { method = block }"));
}
