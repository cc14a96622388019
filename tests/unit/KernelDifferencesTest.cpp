// Kernels that move a plan's figures and that a target does not choose are said.
#include "backends/Target.h"
#include "backends/megatron/Arguments.h"
#include "backends/torchtitan/Torchtitan.h"
#include "tests/unit/CompiledPlan.h"
#include <gmock/gmock.h>

using namespace dpl;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

ir::Plan planWith(const std::string& more) {
  return test::completedPlan("plan.dpl", "import std.models\nimport std.clusters\n"
                                         "cluster pod from clusters.dgx_h100 { nodes = 1 }\n"
                                         "layout plan for models.llama3_8b on pod { mesh { data = "
                                         "rest }, batch = 64seq, recompute = full, "
                                         "shard { parameters = data, gradients = data, "
                                         "optimizer = data }, " +
                                             more + " }\n");
}

std::vector<std::string> ofMegatron(const std::string& kernels) {
  const ir::Plan plan = planWith(kernels);
  return megatron::differencesOf(megatron::MegatronLayout(plan));
}

TEST(KernelDifferences, MegatronHasAnOptionOrSaysSo) {
  EXPECT_THAT(ofMegatron("kernels { loss = fused, rotary = unfused, activation = unfused }"),
              IsEmpty());
  EXPECT_THAT(ofMegatron("kernels { loss = eager, norm = unfused }"),
              ElementsAre(HasSubstr("`kernels.norm = unfused` has no setting"),
                          HasSubstr("`kernels.loss = eager` has no setting")));
}

TEST(KernelDifferences, TorchtitanRunsPyTorchs) {
  const Target& target = *targetNamed("torchtitan");
  const auto script = [&](const std::string& kernels) {
    const ir::Plan plan = planWith(kernels);
    return target.render({target, plan, target.newest(), {}}).front().content;
  };
  EXPECT_THAT(script("kernels.loss = eager"), Not(HasSubstr("`kernels.")));
  EXPECT_THAT(script("kernels.loss = fused"), HasSubstr("`kernels.loss = fused` has no setting"));
}

} // namespace
