//===- AccelerateTest.cpp - Files, plug-ins and refusals of the Accelerate target -------------===//
#include "backends/accelerate/Accelerate.h"
#include "MegatronPlans.h"
#include "support/Json.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using accelerate::PlugIn;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

FailureOr<std::vector<EmittedFile>> emitAccelerate(const ir::Plan& plan, DiagnosticEngine& diags) {
  const Target& target = *targetNamed("accelerate");
  return emit({target, plan, target.newest(), {}}, diags);
}
/// The text of one emitted file, "" when the plan was refused.
std::string emitted(const ir::Plan& plan, const std::string& file) {
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files = emitAccelerate(plan, diags);
  if (!files.failed())
    for (const EmittedFile& f : *files)
      if (f.path == file)
        return f.content;
  return "";
}
/// The rules and messages of a refusal, one a line.
std::string refusal(const ir::Plan& plan) {
  DiagnosticEngine diags;
  std::string out;
  if (emitAccelerate(plan, diags).failed())
    for (const Diagnostic& d : diags.diagnostics())
      out += d.notes.at(0).message + ": " + d.message + "\n";
  return out;
}

ir::Plan quiet(const PlanSketch& sketch) {
  ir::Plan plan = planOf(sketch);
  plan.layout.shard.sequence = ir::ShardAxis::None;
  return plan;
}
ir::Plan fullySharded(const PlanSketch& sketch) {
  ir::Plan plan = quiet(sketch);
  plan.layout.shard.gradients = plan.layout.shard.parameters = ir::ShardAxis::Data;
  return plan;
}
ir::Plan megatron(const PlanSketch& sketch) {
  ir::Plan plan = planOf(sketch);
  plan.layout.recompute.kind = ir::RecomputeKind::Full;
  return plan;
}
PlugIn plugIn(const ir::Plan& plan) { return accelerate::AccelerateLayout(plan).plugIn; }

// ---- which plug-in

TEST(AcceleratePlugIn, IsChosenByWhatThePlanAsks) {
  EXPECT_EQ(plugIn(fullySharded({.data = 4, .tensor = 2})), PlugIn::FullySharded);
  EXPECT_EQ(plugIn(quiet({.data = 8})), PlugIn::DeepSpeed);
  EXPECT_EQ(plugIn(megatron({.pipeline = 2, .data = 4})), PlugIn::Megatron);
  EXPECT_EQ(plugIn(megatron({.data = 4, .tensor = 2})), PlugIn::Megatron);
  ir::Plan plan = quiet({.data = 8});
  plan.layout.shard.optimizer = ir::ShardAxis::None;
  EXPECT_EQ(plugIn(plan), PlugIn::DataParallel);
  plan = quiet({});
  plan.layout.shard.optimizer = ir::ShardAxis::None;
  EXPECT_EQ(plugIn(plan), PlugIn::None);
}

// ---- files

TEST(AccelerateYaml, FullShards_AreFsdp2) {
  ir::Plan plan = fullySharded({.data = 8});
  plan.layout.shard.reshard = false;
  EXPECT_THAT(emitted(plan, "accelerate.yaml"),
              AllOf(HasSubstr("distributed_type: FSDP\n"), HasSubstr("  fsdp_version: 2\n"),
                    HasSubstr("fsdp_reshard_after_forward: false\n"),
                    Not(HasSubstr("parallelism_config"))));
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("ACCELERATE_GRADIENT_ACCUMULATION_STEPS=8\n"));
}
TEST(AccelerateYaml, OtherAxes_AreItsMesh) {
  EXPECT_THAT(emitted(fullySharded({.data = 2, .context = 2, .tensor = 2, .replica = 2}),
                      "accelerate.yaml"),
              AllOf(HasSubstr("dp_replicate_size: 2\n"), HasSubstr("dp_shard_size: 2\n"),
                    HasSubstr("tp_size: 2\n"), HasSubstr("cp_size: 2\n")));
}
TEST(AccelerateYaml, DeepSpeed_HasItsOwnFile) {
  const ir::Plan plan = quiet({.data = 8});
  EXPECT_THAT(emitted(plan, "accelerate.yaml"),
              AllOf(HasSubstr("distributed_type: DEEPSPEED\n"), Not(HasSubstr("mixed_precision"))));
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("--deepspeed_config_file"));
  const Json config = Json::parse(emitted(plan, "ds_config.json"));
  EXPECT_EQ(config["zero_optimization"]["stage"], 1);
}
TEST(AccelerateYaml, MegatronStages_MayEndWithAnother) {
  EXPECT_THAT(
      emitted(megatron({.pipeline = 4, .data = 2, .layerCount = 11, .layers = {3, 3, 3, 2}}),
              "accelerate.yaml"),
      AllOf(HasSubstr("pp_degree: 4\n"), HasSubstr("context_parallel_size: 1\n"),
            HasSubstr("decoder_last_pipeline_num_layers: 2\n")));
}
TEST(AccelerateYaml, OneProcess_IsAQuotedNo) {
  ir::Plan plan = quiet({});
  plan.layout.shard.optimizer = ir::ShardAxis::None;
  plan.layout.precision.compute = plan.layout.precision.parameters = ir::DataType::FP32;
  plan.layout.precision.head = ir::DataType::FP32;
  plan.layout.precision.hasMaster = false;
  EXPECT_THAT(emitted(plan, "accelerate.yaml"),
              AllOf(HasSubstr("distributed_type: \"NO\"\n"), HasSubstr("mixed_precision: \"no\"")));
}
TEST(AccelerateFiles, HostileNames_StayInsideCommentsAndStrings) {
  ir::Plan plan = fullySharded({.data = 8});
  plan.file = "a\nrm -rf \"b\" $(c).dpl";
  plan.model.name = "m\"}, \"n\": {\"\n";
  for (const char* file : {"accelerate.yaml", "launch.sh"})
    EXPECT_THAT(emitted(plan, file), HasSubstr("# sketch of a?rm -rf \"b\" $(c).dpl, plan"));
  EXPECT_EQ(Json::parse(emitted(plan, "plan.json"))["model"]["name"], plan.model.name);
}

// ---- rules, each once

struct Refusal {
  const char* rule;
  ir::Plan plan;
  void (*change)(ir::Plan&);
  const char* says;
};
void PrintTo(const Refusal& refused, std::ostream* out) { *out << refused.rule; }
class AccelerateRules : public testing::TestWithParam<Refusal> {};

TEST_P(AccelerateRules, Fires) {
  ir::Plan plan = GetParam().plan;
  GetParam().change(plan);
  const std::string found = refusal(plan);
  EXPECT_THAT(found, HasSubstr(std::string("`accelerate.") + GetParam().rule + "`"));
  EXPECT_THAT(found, HasSubstr(GetParam().says));
}

void nothing(ir::Plan&) {}

const Refusal refusals[] = {
    {"A1", fullySharded({.pipeline = 2, .data = 4}), nothing, "with pipeline parallel 2"},
    {"A2", megatron({.pipeline = 2, .data = 4, .dataOutside = true}), nothing, "data-pipeline"},
    {"A3", fullySharded({.tensor = 2, .replica = 4}), nothing, "4 replicas with data 1"},
    {"A4", fullySharded({.tensor = 4}), nothing, "ValueError when it makes its configuration"},
    {"A5", fullySharded({.data = 8, .experts = 8, .expert = 4}), nothing, "with FSDP2"},
    {"A6", fullySharded({.data = 2, .tensor = 8}), nothing, "4 key-value heads"},
    {"A22", fullySharded({.data = 8}),
     [](ir::Plan& p) { p.layout.optimizer = ir::OptimizerKind::Muon; }, "needs whole ones"},
    {"A23", fullySharded({.data = 4, .tensor = 2}),
     [](ir::Plan& p) { p.layout.fineTuning.emplace_back().frozen = {ir::ModelPart::Embedding}; },
     "PEFT wraps"},
    {"A7", fullySharded({.data = 4, .tensor = 2}),
     [](ir::Plan& p) { p.layout.shard.sequence = ir::ShardAxis::Tensor; },
     "keeps activations whole"},
    {"A8", megatron({.pipeline = 2, .data = 4}),
     [](ir::Plan& p) { p.layout.schedule = ir::ScheduleKind::GPipe; }, "`gpipe`"},
    {"A19", fullySharded({.data = 8}), [](ir::Plan& p) { p.layout.gradientBucket = 1 << 20; },
     "no setting for it"},
    {"A18", megatron({.pipeline = 2, .data = 2, .tensor = 2}),
     [](ir::Plan& p) {
       p.layout.shard.messages = ir::ShardAxis::Tensor;
       p.layout.shard.sequence = ir::ShardAxis::None;
     },
     "send messages whole"},
    {"A9", megatron({.pipeline = 4, .data = 2, .layerCount = 8, .layers = {1, 3, 3, 1}}), nothing,
     "1-3-3-1 layers"},
    {"A10", megatron({.pipeline = 2, .data = 4}),
     [](ir::Plan& p) { p.layout.recompute.kind = ir::RecomputeKind::None; }, "`recompute = none`"},
    {"A11", megatron({.pipeline = 2, .data = 2, .replica = 2}), nothing, "2 replicas"},
    {"A12", megatron({.pipeline = 2, .data = 4}), [](ir::Plan& p) { p.model.predictionLayers = 1; },
     "MTP layers"},
    {"A13", fullySharded({.data = 8}),
     [](ir::Plan& p) { p.layout.precision.compute = ir::DataType::FP8; }, "compute = fp8"},
    {"A14", fullySharded({.data = 8}),
     [](ir::Plan& p) { p.layout.precision.moments = ir::DataType::BF16; },
     "`precision.moments = bf16` with FSDP2, which has fp32"},
    {"A15", fullySharded({.data = 8}),
     [](ir::Plan& p) {
       p.layout.overlap.gradients = false;
       p.layout.ranges["overlap.gradients"] = {};
     },
     "`overlap.gradients = false` with FSDP2, which always does"},
    {"A16", fullySharded({.data = 8}), [](ir::Plan& p) { p.layout.graphs = true; }, "graphs"},
    {"A20", megatron({.data = 4, .tensor = 2, .experts = 8}),
     [](ir::Plan& p) {
       p.layout.kernels.dispatch = ir::DispatchKind::HybridEp;
       p.layout.ranges["kernels.token_dispatcher"] = {};
     },
     "hybridep"},
    {"A21", megatron({.data = 4, .tensor = 2}),
     [](ir::Plan& p) {
       p.layout.recompute.kind = ir::RecomputeKind::Full, p.layout.recompute.inAdvance = true;
     },
     "recompute.in_advance"},
};
INSTANTIATE_TEST_SUITE_P(Accelerate, AccelerateRules, testing::ValuesIn(refusals),
                         [](const testing::TestParamInfo<Refusal>& info) {
                           return std::string(info.param.rule);
                         });

TEST(AccelerateRulesTable, EachHasATest) {
  std::size_t count = 0;
  for (const RuleInfo& rule : targetNamed("accelerate")->rules)
    for (const Refusal& refused : refusals)
      count += std::string(rule.code) == refused.rule;
  EXPECT_EQ(count, targetNamed("accelerate")->rules.size());
}
TEST(AccelerateRulesTable, DeepSpeedsRulesHoldForItsPlugIn) {
  ir::Plan plan = quiet({.data = 8});
  plan.layout.precision.moments = ir::DataType::BF16;
  EXPECT_THAT(refusal(plan), HasSubstr("`deepspeed.D24`"));
}

} // namespace
