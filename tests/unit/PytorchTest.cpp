//===- PytorchTest.cpp - The PyTorch module: what it has, and what is refused -----------------===//
#include "MegatronPlans.h"
#include "backends/Target.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

TargetRequest requestFor(const ir::Plan& plan) {
  const Target& target = *targetNamed("pytorch");
  return {target, plan, target.newest(), {}};
}

std::string module(const ir::Plan& plan) {
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files = emit(requestFor(plan), diags);
  return files.failed() ? "" : files->front().content;
}

/// "P1 P6": the rules that refuse a plan.
std::string refusal(const ir::Plan& plan) {
  DiagnosticEngine diags;
  std::string out;
  if (check(requestFor(plan), diags).failed())
    for (const Diagnostic& d : diags.diagnostics()) {
      const std::string note = d.notes.at(0).message;
      const std::size_t dot = note.find('.');
      out += (out.empty() ? "" : " ") + note.substr(dot + 1, note.find('`', dot) - dot - 1);
    }
  return out;
}

TEST(PytorchModule, HasWhatThePlanNeedsAndNothingElse) {
  EXPECT_THAT(module(planOf({.data = 4})),
              AllOf(HasSubstr("\"gradients\": [(4, 1)]"), Not(HasSubstr("Collective")),
                    Not(HasSubstr("PipelineStage")), Not(HasSubstr("Experts"))));
  EXPECT_THAT(module(planOf({.pipeline = 2, .tensor = 2})),
              AllOf(HasSubstr("SCHEDULE = Schedule1F1B\n"), HasSubstr("layout.tensor"),
                    Not(HasSubstr("def joined")), Not(HasSubstr("\"gradients\""))));
  EXPECT_THAT(module(planOf({.context = 2})),
              AllOf(HasSubstr("attn_mask=earlier"), Not(HasSubstr("def same"))));
}
TEST(PytorchModule, HasTheStagesOfThePlan) {
  EXPECT_THAT(module(planOf({.pipeline = 2, .chunks = 2, .layers = {1, 3, 2, 2}})),
              AllOf(HasSubstr("    (0, 1, True, False),\n    (1, 3, False, False),\n"),
                    HasSubstr("SCHEDULE = ScheduleInterleaved1F1B\n")));
}
TEST(PytorchModule, ScalesSizesDownButNotCounts) {
  EXPECT_THAT(module(planOf({.data = 4, .experts = 64, .expert = 4})),
              AllOf(HasSubstr("HEADS = 16\nKV_HEADS = 4\n"), HasSubstr("HIDDEN = 64\n"),
                    HasSubstr("EXPERTS = 8\nACTIVE = 2\n"), HasSubstr("\"exchange\": [(4, 1)]")));
}
TEST(PytorchModule, SavesWhatNoOtherRankNames) {
  EXPECT_THAT(module(planOf({.data = 4})),
              AllOf(HasSubstr("f\"{dist.get_rank()}.{name}\""), HasSubstr("--checkpoint-dir"),
                    HasSubstr("TORCHELASTIC_RESTART_COUNT")));
}
TEST(PytorchModule, HostileNamesStayInTheHeader) {
  ir::Plan plan = planOf({.data = 4});
  plan.name = "a\"\"\"\nimport os; os.system('touch x')";
  const std::string text = module(plan);
  EXPECT_THAT(text, HasSubstr("\n# a\"\"\"?import os; os.system('touch x') of sketch.dpl"));
  EXPECT_EQ(text.find("touch"), text.rfind("touch"));
}
TEST(PytorchRules, EachFires) {
  ir::Plan plan = planOf({.data = 4});
  plan.model.kind = "layer_list";
  EXPECT_EQ(refusal(plan), "P1");
  plan = planOf({.data = 4});
  plan.model.layerTypes[0].attention.kind = ir::AttentionKind::None;
  EXPECT_EQ(refusal(plan), "P2");
  EXPECT_EQ(refusal(planOf({.tensor = 8})), "P3");
  plan = planOf({.pipeline = 2});
  plan.chunks[0].head = true;
  EXPECT_EQ(refusal(plan), "P4");
  plan = planOf({.data = 4});
  plan.cluster.nodes = 2;
  EXPECT_EQ(refusal(plan), "P5");
  EXPECT_EQ(refusal(planOf({.pipeline = 4, .batch = 2})), "P6");
  EXPECT_EQ(refusal(planOf({.pipeline = 4, .layers = {4, 0, 2, 2}})), "P7");
}

} // namespace
