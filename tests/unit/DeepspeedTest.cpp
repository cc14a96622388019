//===- DeepspeedTest.cpp - Files, placements and refusals of the DeepSpeed target -------------===//
#include "backends/deepspeed/Deepspeed.h"
#include "MegatronPlans.h"
#include "backends/deepspeed/Partition.h"
#include "support/Json.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

FailureOr<std::vector<EmittedFile>> emitDeepspeed(const ir::Plan& plan, DiagnosticEngine& diags) {
  const Target& target = *targetNamed("deepspeed");
  return emit({target, plan, target.newest(), {}}, diags);
}
/// The text of one emitted file, "" when the plan was refused.
std::string emitted(const ir::Plan& plan, const std::string& file) {
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files = emitDeepspeed(plan, diags);
  if (!files.failed())
    for (const EmittedFile& f : *files)
      if (f.path == file)
        return f.content;
  return "";
}
Json parsed(const ir::Plan& plan, const std::string& file) {
  return Json::parse(emitted(plan, file));
}
/// The codes and messages of a refusal, one a line.
std::string refusal(const ir::Plan& plan) {
  DiagnosticEngine diags;
  std::string out;
  if (emitDeepspeed(plan, diags).failed())
    for (const Diagnostic& d : diags.diagnostics())
      if (d.info.severity == Severity::Error)
        out += d.notes.at(0).message + ": " + d.message + "\n";
  return out;
}
/// A plan that nothing is wrong with; the pipeline's own overlap is a default of the language.
ir::Plan sound(const PlanSketch& sketch) {
  ir::Plan plan = planOf(sketch);
  plan.layout.shard.sequence = ir::ShardAxis::None;
  return plan;
}

// ---- placements, against partition_uniform and partition_balanced of deepspeed.runtime.utils
// 0.19.8

TEST(DeepspeedParts, Uniform_GivesTheFirstStagesMore) {
  EXPECT_THAT(deepspeed::partitionUniform(10, 4), ElementsAre(0, 3, 6, 8, 10));
  EXPECT_THAT(deepspeed::partitionUniform(2, 4), ElementsAre(0, 1, 2, 2, 2));
}
TEST(DeepspeedParts, Balanced_IsEvenWhereItCanBe) {
  EXPECT_THAT(deepspeed::partitionBalanced({0, 1, 1, 1, 1, 0}, 2), ElementsAre(0, 3, 6));
}
TEST(DeepspeedParts, Balanced_ChoosesAmongEqualsAsDeepSpeedDoes) {
  EXPECT_THAT(deepspeed::partitionBalanced({0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}, 4),
              ElementsAre(0, 4, 7, 9, 12));
  EXPECT_THAT(deepspeed::partitionBalanced({0, 1, 1, 1, 1, 1, 0}, 3), ElementsAre(0, 3, 5, 7));
}
TEST(DeepspeedParts, EvenStages_AreCountedByType) {
  EXPECT_STREQ(deepspeed::partitionMethodOf(planOf({.pipeline = 4})), "type:transformer");
}
TEST(DeepspeedParts, EndsThatCountAsLayers_AreUniform) {
  EXPECT_STREQ(deepspeed::partitionMethodOf(
                   planOf({.pipeline = 4, .layerCount = 14, .layers = {3, 4, 4, 3}})),
               "uniform");
}
TEST(DeepspeedParts, AnEmptyStage_HasNoMethod) {
  EXPECT_EQ(deepspeed::partitionMethodOf(
                planOf({.pipeline = 4, .layerCount = 8, .layers = {4, 0, 2, 2}})),
            nullptr);
}

// ---- files

TEST(DeepspeedConfig, TheBatchIsATriangle) {
  const Json config =
      parsed(sound({.nodes = 2, .data = 8, .batch = 64, .microBatch = 2}), "ds_config.json");
  EXPECT_EQ(config["train_batch_size"], 64);
  EXPECT_EQ(config["train_micro_batch_size_per_gpu"], 2);
  EXPECT_EQ(config["gradient_accumulation_steps"], 4);
  EXPECT_EQ(config["gradient_clipping"], 1.0);
}
TEST(DeepspeedConfig, AutoTensors_AreForPlansWithoutStages) {
  const ir::Plan flat = sound({.data = 2, .tensor = 4});
  EXPECT_EQ(parsed(flat, "ds_config.json")["tensor_parallel"]["autotp_size"], 4);
  EXPECT_THAT(emitted(flat, "plan.json"), HasSubstr("mpu=dpl_layout.mpu()"));
  const ir::Plan staged = sound({.pipeline = 2, .data = 2, .tensor = 4});
  EXPECT_THAT(emitted(staged, "ds_config.json"), Not(HasSubstr("tensor_parallel")));
  EXPECT_THAT(emitted(staged, "plan.json"), HasSubstr("the topology's axis `model`"));
}
TEST(DeepspeedConfig, BucketsOfGradients_AreCountedInElements) {
  ir::Plan plan = sound({.data = 8});
  plan.layout.shard.optimizer = plan.layout.shard.gradients = ir::ShardAxis::Data;
  plan.layout.gradientBucket = 64 << 20;
  const std::uint64_t bytes = ir::bitsOf(plan.layout.precision.reduce) / 8;
  EXPECT_EQ(parsed(plan, "ds_config.json")["zero_optimization"]["reduce_bucket_size"],
            (64 << 20) / bytes);
}
TEST(DeepspeedConfig, WhatTheHostHolds_IsZeroOffload) {
  ir::Plan plan = sound({.data = 8});
  plan.layout.shard.gradients = plan.layout.shard.parameters = ir::ShardAxis::Data;
  plan.layout.offload = {{.optimizer = 1, .gradients = true}};
  Json host = Json::object();
  host["device"] = "cpu";
  const Json updated = parsed(plan, "ds_config.json")["zero_optimization"];
  EXPECT_EQ(updated["offload_optimizer"], host);
  EXPECT_FALSE(updated.contains("offload_param"));
  plan.layout.offload.front().parameters = true;
  EXPECT_EQ(parsed(plan, "ds_config.json")["zero_optimization"]["offload_param"], host);
}
TEST(DeepspeedConfig, MessagesOfStages_AreInPartsWhereThePlanSaysSo) {
  ir::Plan plan = sound({.pipeline = 2, .data = 2, .tensor = 4});
  const auto partitioned = [&] {
    const Json config = parsed(plan, "ds_config.json");
    EXPECT_EQ(config["pipeline"]["pipe_partitioned"], config["pipeline"]["grad_partitioned"]);
    return config["pipeline"]["pipe_partitioned"];
  };
  plan.layout.shard.sequence = ir::ShardAxis::None;
  EXPECT_EQ(partitioned(), false);
  plan.layout.shard.messages = ir::ShardAxis::Tensor;
  EXPECT_EQ(partitioned(), true);
  plan.layout.shard.sequence = ir::ShardAxis::Tensor; // whose parts it must not part again
  EXPECT_EQ(partitioned(), false);
  EXPECT_FALSE(parsed(sound({.pipeline = 2, .data = 4}), "ds_config.json").contains("pipeline"));
}
TEST(DeepspeedConfig, ExpertsWithAutoTensors_LeaveTheTriangleOpen) {
  const Json config =
      parsed(sound({.data = 4, .tensor = 2, .experts = 8, .expert = 4}), "ds_config.json");
  EXPECT_EQ(config["expert_parallel"]["autoep_size"], 4);
  EXPECT_FALSE(config.contains("train_batch_size"));
}
TEST(DeepspeedConfig, ParametersInFp32WithNarrowProducts_AreAutocast) {
  ir::Plan plan = sound({.data = 8});
  plan.layout.precision.parameters = ir::DataType::FP32;
  const Json config = parsed(plan, "ds_config.json");
  EXPECT_EQ(config["torch_autocast"]["dtype"], "bfloat16");
  EXPECT_FALSE(config.contains("bf16"));
}
TEST(DeepspeedConfig, RecomputedLayersOfStages_AreItsInterval) {
  ir::Plan plan = sound({.pipeline = 2, .data = 4});
  plan.layout.recompute.kind = ir::RecomputeKind::Full;
  plan.layout.recompute.layers = 2;
  EXPECT_EQ(parsed(plan, "ds_config.json")["pipeline"]["activation_checkpoint_interval"], 2);
}
TEST(DeepspeedConfig, AConstantRateWithWarmUp_IsItsSchedule) {
  ir::Plan plan = sound({.data = 8});
  plan.layout.optimizer = ir::OptimizerKind::Sgd;
  plan.layout.optimizerSettings.learningRate = {true, ir::LearningRateKind::Constant, 0.5, 0, 10};
  const Json config = parsed(plan, "ds_config.json");
  EXPECT_EQ(config["scheduler"]["params"]["warmup_num_steps"], 10);
  EXPECT_EQ(config["zero_allow_untested_optimizer"], true);
}
TEST(DeepspeedHosts, AreOneLineANode) {
  EXPECT_THAT(emitted(sound({.nodes = 12, .data = 96, .batch = 96}), "hostfile"),
              AllOf(HasSubstr("\nnode00 slots=8\n"), HasSubstr("\nnode11 slots=8\n")));
  EXPECT_THAT(emitted(sound({.data = 8}), "hostfile"), HasSubstr("\nlocalhost slots=8\n"));
}
TEST(DeepspeedFiles, TheSamePlan_GivesTheSameBytes) {
  const ir::Plan plan = sound({.nodes = 2, .pipeline = 4, .data = 4});
  for (const char* file : {"ds_config.json", "hostfile", "launch.sh", "dpl_layout.py", "plan.json"})
    EXPECT_EQ(emitted(plan, file), emitted(plan, file));
}
TEST(DeepspeedFiles, HostileNames_StayInsideCommentsAndStrings) {
  ir::Plan plan = sound({.pipeline = 2, .data = 4});
  plan.file = "a\nrm -rf \"b\" $(c) \xff.dpl";
  plan.model.name = "m\"}, \"n\": {\"\n";
  for (const char* file : {"hostfile", "launch.sh", "dpl_layout.py"})
    EXPECT_THAT(emitted(plan, file), HasSubstr("# sketch of a?rm -rf \"b\" $(c)"));
  EXPECT_THAT(parsed(plan, "ds_config.json")["_comment"][0].get<std::string>(),
              HasSubstr("a?rm -rf \"b\" $(c)"));
  EXPECT_EQ(parsed(plan, "plan.json")["model"]["name"], plan.model.name);
}
TEST(DeepspeedDifferences, SayWhatDeepSpeedDoesOtherwise) {
  EXPECT_THAT(
      deepspeed::differencesOf(deepspeed::DeepspeedLayout(sound({.data = 4, .context = 2}))),
      testing::Contains(HasSubstr("Ulysses")));
}

// ---- rules, each once

struct Refusal {
  const char* rule;
  PlanSketch sketch;
  void (*change)(ir::Plan&);
  const char* says;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.rule; }
class DeepspeedRules : public testing::TestWithParam<Refusal> {};

TEST_P(DeepspeedRules, Fires) {
  ir::Plan plan = sound(GetParam().sketch);
  GetParam().change(plan);
  const std::string found = refusal(plan);
  EXPECT_THAT(found, HasSubstr(std::string("`deepspeed.") + GetParam().rule + "`"));
  EXPECT_THAT(found, HasSubstr(GetParam().says));
}

void nothing(ir::Plan&) {}
ir::Precision& precision(ir::Plan& plan) { return plan.layout.precision; }
using enum ir::DataType;

const Refusal refusals[] = {
    {"D1", {.pipeline = 2, .data = 4, .dataOutside = true}, nothing, "data-pipeline"},
    {"D2", {.pipeline = 2, .data = 2, .context = 2}, nothing, "context parallel 2 in a pipeline"},
    {"D3", {.data = 2, .context = 2, .tensor = 2}, nothing, "with tensor parallel 2"},
    {"D4", {.context = 3}, nothing, "16 attention heads"},
    {"D5",
     {.context = 8},
     [](ir::Plan& p) {
       p.model.layerTypes[0].attention.heads = 24, p.model.layerTypes[0].attention.kvHeads = 6;
     },
     "6 key-value heads and context parallel 8"},
    {"D6", {.tensor = 8}, nothing, "4 key-value heads on tensor parallel 8"},
    {"D37",
     {.data = 4},
     [](ir::Plan& p) { p.layout.optimizer = ir::OptimizerKind::AdamW8Bit; },
     "the optimizer `adamw_8bit`"},
    {"D38",
     {.pipeline = 2, .data = 4},
     [](ir::Plan& p) { p.layout.optimizer = ir::OptimizerKind::Muon; },
     "in a pipeline"},
    {"D39",
     {.pipeline = 2, .data = 4},
     [](ir::Plan& p) { p.layout.fineTuning.emplace_back().frozen = {ir::ModelPart::Embedding}; },
     "with pipeline parallel 2"},
    {"D7",
     {.pipeline = 2, .data = 4},
     [](ir::Plan& p) { p.layout.shard.gradients = ir::ShardAxis::Data; },
     "AssertionError when it builds the model"},
    {"D8",
     {.pipeline = 2, .data = 4},
     [](ir::Plan& p) { p.layout.schedule = ir::ScheduleKind::GPipe; },
     "gpipe"},
    {"D9", {.pipeline = 2, .data = 4, .chunks = 2}, nothing, "2 chunks per stage"},
    {"D10",
     {.pipeline = 4, .data = 2, .layerCount = 8, .layers = {1, 3, 3, 1}},
     nothing,
     "2-3-3-2 entries of embedding, layers and head; its partition methods give 3-2-2-3 (type) or "
     "3-3-2-2 (uniform)"},
    {"D11",
     {.pipeline = 2, .data = 4},
     [](ir::Plan& p) { p.model.predictionLayers = 1; },
     "`mtp_layers = 1` in a pipeline"},
    {"D12",
     {.data = 8},
     [](ir::Plan& p) { p.layout.ranges["overlap.parameters"] = {}; },
     "`overlap.parameters = true`"},
    {"D32",
     {.data = 8},
     [](ir::Plan& p) { p.layout.gradientBucket = 1 << 20, p.layout.shard = {}; },
     "`gradient_bucket_size` is set without sharding"},
    {"D13",
     {.data = 4, .tensor = 2},
     [](ir::Plan& p) { p.layout.shard.sequence = ir::ShardAxis::Tensor; },
     "AutoTP keeps activations whole"},
    {"D14",
     {.data = 8},
     [](ir::Plan& p) {
       p.layout.shard.gradients = p.layout.shard.parameters = ir::ShardAxis::Data;
       p.layout.shard.reshard = false;
     },
     "`shard.reshard_after_forward = false`"},
    {"D15", {.data = 4, .replica = 2}, nothing, "2 replicas of sharded state"},
    {"D16", {.data = 8}, [](ir::Plan& p) { precision(p).compute = FP8; }, "compute = fp8"},
    {"D17", {.data = 8}, [](ir::Plan& p) { precision(p).parameters = FP16; }, "parameters = fp16"},
    {"D18", {.data = 8}, [](ir::Plan& p) { precision(p).gradients = FP16; }, "gradients in fp16"},
    {"D19",
     {.data = 8},
     [](ir::Plan& p) { p.layout.shard.optimizer = ir::ShardAxis::None; },
     "NotImplementedError when it builds the model"},
    {"D20", {.data = 8}, [](ir::Plan& p) { precision(p).hasMaster = false; }, "copy in none"},
    {"D21",
     {.data = 8},
     [](ir::Plan& p) {
       p.layout.shard.optimizer = ir::ShardAxis::None;
       precision(p).gradients = precision(p).master = precision(p).moments = BF16;
     },
     "without a sharded optimizer"},
    {"D22",
     {.data = 8},
     [](ir::Plan& p) { precision(p).gradients = precision(p).master = BF16; },
     "with moments in fp32"},
    {"D23",
     {.data = 8},
     [](ir::Plan& p) { precision(p).moments = precision(p).master = BF16; },
     "gradients in fp32"},
    {"D24", {.data = 8}, [](ir::Plan& p) { precision(p).moments = BF16; }, "moments in bf16"},
    {"D25", {.data = 8}, [](ir::Plan& p) { precision(p).head = FP32; }, "head computes in fp32"},
    {"D26", {.data = 8}, [](ir::Plan& p) { p.layout.graphs = true; }, "`cuda_graphs = true`"},
    {"D27",
     {.data = 4, .tensor = 2, .experts = 8, .expert = 2, .expertTensor = 2},
     nothing,
     "expert tensor parallel 2"},
    {"D28", {.data = 4, .tensor = 2, .experts = 8}, nothing, "with expert parallel 1"},
    {"D29",
     {.data = 4, .context = 2, .experts = 8, .expert = 4},
     nothing,
     "experts with context parallel 2"},
    {"D35",
     {.data = 4, .tensor = 2, .experts = 8, .expert = 2},
     [](ir::Plan& p) {
       p.layout.shard.gradients = p.layout.shard.parameters = ir::ShardAxis::Data;
     },
     "ZeRO stage 3"},
    {"D36",
     {.data = 4, .tensor = 2, .experts = 8, .expert = 2},
     [](ir::Plan& p) { p.layout.offload = {{.optimizer = 1, .gradients = true}}; },
     "`offload`"},
    {"D30",
     {.data = 8, .experts = 8, .expert = 4},
     [](ir::Plan& p) { p.model.layerTypes[0].feedForward.capacity = 1.25; },
     "with a capacity"},
    {"D33",
     {.data = 8, .experts = 8, .expert = 4},
     [](ir::Plan& p) {
       p.layout.kernels.dispatch = ir::DispatchKind::DeepEp;
       p.layout.ranges["kernels.token_dispatcher"] = {};
     },
     "token_dispatcher = deepep"},
    {"D34",
     {.data = 8},
     [](ir::Plan& p) {
       p.layout.recompute.kind = ir::RecomputeKind::Full, p.layout.recompute.inAdvance = true;
     },
     "recompute.in_advance"},
    {"D31",
     {.pipeline = 2, .data = 2, .tensor = 2, .experts = 8, .expert = 2},
     nothing,
     "expert tensor parallel 1 and tensor parallel 2 in a pipeline"},
};
INSTANTIATE_TEST_SUITE_P(Deepspeed, DeepspeedRules, testing::ValuesIn(refusals),
                         [](const testing::TestParamInfo<Refusal>& info) {
                           return std::string(info.param.rule);
                         });

TEST(DeepspeedRules, EachHasATest) {
  std::size_t count = 0;
  for (const RuleInfo& rule : targetNamed("deepspeed")->rules)
    for (const Refusal& refusal : refusals)
      count += std::string(rule.code) == refusal.rule;
  EXPECT_EQ(count, targetNamed("deepspeed")->rules.size());
}

} // namespace
