//===- TorchtitanTest.cpp - Flavors, splits, files and refusals of the torchtitan target ------===//
#include "MegatronPlans.h"
#include "backends/torchtitan/Rules.h"
#include "backends/torchtitan/Split.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

TargetRequest requestFor(const ir::Plan& plan, const char* release) {
  return {*targetNamed("torchtitan"), plan, Release(release), {}};
}

/// The layers of a flavor with windows: every other one has it, all have what goes with it.
void addWindows(ir::Model& m, const torchtitan::Flavor& flavor) {
  m.bias = m.qkvBias = true;
  ir::LayerClass& layer = m.classes[0];
  layer.attention.sinks = true;
  layer.feedForward.activation = ir::Activation::QuickGelu;
  layer.feedForward.offset = 1, layer.feedForward.clamp = 7;
  m.classes.push_back(layer);
  m.classes[0].attention.window = flavor.window;
  m.runs.clear();
  for (std::uint64_t i = 0; i < flavor.layers; ++i)
    m.runs.push_back({i % 2, 1});
}

/// A plan of a flavor with grouped attention: llama3 8B unless another one is named.
ir::Plan flavored(PlanSketch sketch, const char* name = "llama3", const char* size = "8B") {
  const torchtitan::Flavor* flavor = nullptr;
  for (const torchtitan::Flavor& f : torchtitan::allFlavors())
    if (std::string(f.model) == name && std::string(f.flavor) == size)
      flavor = &f;
  sketch.layerCount = flavor->layers;
  ir::Plan plan = planOf(sketch);
  ir::Model& m = plan.model;
  m.hidden = flavor->hidden, m.vocab = flavor->vocab, m.context = 8192;
  m.tiedEmbeddings = flavor->tied;
  m.qkNorm = flavor->qkNorm ? ir::QkNorm::Head : ir::QkNorm::None;
  ir::LayerClass& layer = m.classes[0];
  layer.attention.heads = flavor->heads, layer.attention.kvHeads = flavor->kvHeads;
  layer.attention.headDim = flavor->headDim;
  layer.feedForward.width = flavor->experts > 0 ? flavor->expertWidth : flavor->width;
  if (flavor->experts > 0) {
    layer.feedForward.experts = flavor->experts, layer.feedForward.active = flavor->active;
    layer.feedForward.kind = ir::FeedForwardKind::Experts;
  }
  if (flavor->window > 0)
    addWindows(m, *flavor);
  ir::Shard& shard = plan.layout.shard;
  shard.parameters = shard.gradients = shard.optimizer = ir::ShardAxis::Data;
  plan.layout.recompute.kind = ir::RecomputeKind::Full;
  return plan;
}

std::string emitted(const ir::Plan& plan, const char* release, const std::string& file) {
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files = emit(requestFor(plan, release), diags);
  if (!files.failed())
    for (const EmittedFile& f : *files)
      if (f.path == file)
        return f.content;
  return "";
}

/// The codes of the rules that refuse a plan: "T16 T20".
std::string refusal(const ir::Plan& plan, const char* release = "0.2.2") {
  DiagnosticEngine diags;
  std::string out;
  if (check(requestFor(plan, release), diags).failed())
    for (const Diagnostic& d : diags.diagnostics()) {
      const std::string note = d.notes.at(0).message; // rule `torchtitan.T16` (…
      const std::size_t dot = note.find('.');
      out += (out.empty() ? "" : " ") + note.substr(dot + 1, note.find('`', dot) - dot - 1);
    }
  return out;
}

// ---- flavors
// ----------------------------------------------------------------------------------------

TEST(TorchtitanLaunch, NoticeThatNothingHears_IsSaidAndNotWaitedFor) {
  ir::Plan plan = flavored({.nodes = 1});
  plan.runs.emplace_back().name = "train";
  ir::Launch& launch = plan.launches.emplace_back();
  launch.run = "train", launch.notice = 120, launch.checkpoints = "/saved";
  const std::string script = emitted(plan, "0.3.0", "launch.sh");
  EXPECT_THAT(script, HasSubstr("# Not as in the plan: nothing is saved when the job is told"));
  EXPECT_THAT(script, HasSubstr("\nexec torchrun"));
}

TEST(TorchtitanFlavors, ArePickedByTheirDimensions) {
  const ir::Plan plan = flavored({.data = 8});
  EXPECT_STREQ(torchtitan::flavorOf(plan.model, Release("0.2.2"))->flavor, "8B");
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              HasSubstr("name = \"llama3\"\nflavor = \"8B\"\n"));
}
TEST(TorchtitanFlavors, BelongToReleases) {
  const ir::Plan plan = flavored({.data = 8}, "llama3", "1B");
  EXPECT_EQ(torchtitan::flavorOf(plan.model, Release("0.2.2")), nullptr);
  EXPECT_STREQ(torchtitan::flavorOf(plan.model, Release("0.3.0"))->flavor, "1B");
}
TEST(TorchtitanFlavors, AModelWithoutOneIsToldTheNearest) {
  ir::Plan plan = flavored({.data = 8});
  plan.model.vocab = 32000;
  EXPECT_EQ(refusal(plan), "T2");
  EXPECT_EQ(torchtitan::whyNoFlavor(plan.model, Release("0.3.0")),
            "the nearest, llama3 8B, has vocab 128256 (32000 here)");
}
TEST(TorchtitanFlavors, EveryRowIsFoundByItsOwnDimensions) {
  for (const torchtitan::Flavor& f : torchtitan::allFlavors()) {
    if (f.latent())
      continue; // flavored makes grouped attention
    const ir::Plan plan = flavored({.data = 8}, f.model, f.flavor);
    const torchtitan::Flavor* found = torchtitan::flavorOf(plan.model, Release("0.3.0"));
    ASSERT_NE(found, nullptr) << f.model << " " << f.flavor;
    EXPECT_STREQ(found->flavor, f.flavor);
  }
}

TEST(TorchtitanFlavors, WindowsAreOnEveryOtherLayerFromTheFirst) {
  ir::Plan plan = flavored({.data = 8}, "gpt_oss", "20b");
  std::swap(plan.model.classes[0], plan.model.classes[1]);
  EXPECT_EQ(torchtitan::flavorOf(plan.model, Release("0.3.0")), nullptr);
  EXPECT_THAT(torchtitan::whyNoFlavor(plan.model, Release("0.3.0")),
              HasSubstr("gpt_oss 20b, has a window on every other layer"));
}
TEST(TorchtitanFlavors, SequencesOfGptOssAreNotCut) {
  EXPECT_EQ(refusal(flavored({.data = 8}, "gpt_oss", "20b"), "0.3.0"), "");
  EXPECT_EQ(refusal(flavored({.data = 4, .context = 2}, "gpt_oss", "20b"), "0.3.0"), "T53");
}

// ---- the split, against generate_llm_fqn_per_model_part
// ------------------------------------------------

TEST(TorchtitanSplit, EmbeddingAndHeadCountAsLayers) {
  EXPECT_THAT(*torchtitan::spread(4, 32, 1, 1), ElementsAre(8, 9, 8, 7));
  EXPECT_THAT(*torchtitan::spread(4, 30, 1, 1), ElementsAre(7, 8, 8, 7));
  EXPECT_THAT(*torchtitan::spread(2, 32, 0, 0), ElementsAre(16, 16));
}
TEST(TorchtitanSplit, TooManyStagesOrTooHeavyEnds_AreNone) {
  EXPECT_EQ(torchtitan::spread(9, 6, 1, 1), std::nullopt);
  EXPECT_EQ(torchtitan::spread(4, 6, 3, 0), std::nullopt);
}
TEST(TorchtitanSplit, AnEvenOneNeedsNoSlots) {
  const std::string text = emitted(flavored({.pipeline = 4, .data = 2}), "0.2.2", "train.toml");
  EXPECT_THAT(text, AllOf(HasSubstr("first_stage_less_layers = 0"), Not(HasSubstr("fqns"))));
}
TEST(TorchtitanSplit, MoreChunksThanTwo_AreLayersAStage) {
  EXPECT_THAT(
      emitted(flavored({.pipeline = 2, .data = 4, .chunks = 4}), "0.2.2", "train.toml"),
      AllOf(HasSubstr("schedule = \"Interleaved1F1B\""), HasSubstr("layers_per_stage = 4")));
}
TEST(TorchtitanSplit, AnythingElse_IsAListOfModules) {
  const ir::Plan plan = flavored({.pipeline = 2, .data = 4, .layers = {12, 20}});
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              AllOf(HasSubstr("[\"tok_embeddings\", \"layers.0\", "),
                    HasSubstr("\"layers.31\", \"norm\", \"output\"]")));
  EXPECT_THAT(emitted(plan, "0.3.0", "dpl_plan.py"),
              AllOf(HasSubstr("[\"tok_embeddings\", *layers(0, 12)],"),
                    HasSubstr("[*layers(12, 32), \"norm\", \"lm_head\"],")));
}

// ---- the files
// -------------------------------------------------------------------------------------------

TEST(TorchtitanFiles, APipelineTakesAllItsMicroBatchesAtOnce) {
  const ir::Plan plan = flavored({.pipeline = 2, .data = 4, .batch = 64, .microBatch = 2});
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              AllOf(HasSubstr("local_batch_size = 16\nglobal_batch_size = 64\n"),
                    HasSubstr("pipeline_parallel_microbatch_size = 2\n")));
}
TEST(TorchtitanFiles, WithoutAPipelineTheyAreAccumulated) {
  EXPECT_THAT(emitted(flavored({.data = 4, .batch = 64, .microBatch = 2}), "0.3.0", "dpl_plan.py"),
              HasSubstr("local_batch_size=2,\n            global_batch_size=64,\n"));
}
TEST(TorchtitanFiles, NumberFormatsArePickedByWhatIsKept) {
  ir::Plan plan = flavored({.data = 8});
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              HasSubstr("dtype = \"float32\"\nmixed_precision_param = \"bfloat16\"\n"));
  ir::Precision& p = plan.layout.precision;
  p.gradients = p.moments = ir::DataType::BF16;
  p.hasMaster = false;
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), HasSubstr("dtype = \"bfloat16\"\n"));
}
TEST(TorchtitanFiles, Float8IsAConverter) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.precision.compute = ir::DataType::FP8;
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), AllOf(HasSubstr("converters = [\"float8\"]"),
                                                          HasSubstr("filter_fqns = [\"output\"]")));
  EXPECT_THAT(
      emitted(plan, "0.3.0", "dpl_plan.py"),
      HasSubstr("Float8LinearConverter.Config(recipe_name=\"rowwise\", filter_fqns=[\"lm_head\"]"));
}
TEST(TorchtitanFiles, ADataAxisThatIsNotShardedReplicates) {
  ir::Plan plan = flavored({.data = 4, .replica = 2});
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              HasSubstr("replicate_degree = 2\ndata_parallel_shard_degree = 4\n"));
  plan.layout.shard = {};
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              HasSubstr("replicate_degree = 8\ndata_parallel_shard_degree = 1\n"));
}
TEST(TorchtitanFiles, HostileNamesStayInsideCommentsAndStrings) {
  ir::Plan plan = flavored({.data = 8});
  plan.name = "a\"b $(touch x) `y`\n[model]\nname = \"z";
  plan.file = "it's \\ \xc3\xa9\n.dpl";
  const std::string toml = emitted(plan, "0.2.2", "train.toml");
  EXPECT_THAT(toml,
              HasSubstr("\n[job]\ndescription = \"a\\\"b $(touch x) `y`?[model]?name = "
                        "\\\"z of it's \\\\ \xc3\xa9?.dpl, plan 0123456789abcdef\"\n\n[model]\n"));
  for (const auto& [release, file] :
       {std::pair("0.2.2", "launch.sh"), {"0.3.0", "launch.sh"}, {"0.3.0", "dpl_plan.py"}}) {
    const std::string text = emitted(plan, release, file);
    EXPECT_THAT(text, HasSubstr("# a\"b $(touch x) `y`?[model]?name = \"z of it's"));
    EXPECT_EQ(text.find("touch"), text.rfind("touch")) << "in the comment only";
  }
}
TEST(TorchtitanFiles, NumbersAreFloatsInBothLanguages) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.optimizerSettings.beta1 = 1;
  plan.layout.optimizerSettings.learningRate = {true, ir::LearningRateKind::Cosine, 8e-5, 8e-7, 10};
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              AllOf(HasSubstr("beta1 = 1.0\n"), HasSubstr("lr = 8e-05\n"),
                    HasSubstr("warmup_steps = 10\ndecay_type = \"cosine\"\n")));
}

// ---- rules: each of them fires
// ----------------------------------------------------------------------------

TEST(TorchtitanRules, TakeAPlanOfAFlavor) {
  for (const char* release : {"0.2.2", "0.3.0"})
    EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 2, .tensor = 2}), release), "") << release;
}
TEST(TorchtitanRules, OfModels) {
  ir::Plan plan = flavored({.data = 8});
  plan.model.kind = "encoder";
  EXPECT_EQ(refusal(plan), "T1");
  plan = flavored({.data = 8});
  plan.model.predictionLayers = 1;
  EXPECT_EQ(refusal(plan), "T3");
  plan = flavored({.data = 8}, "qwen3", "30B-A3B");
  plan.model.classes[0].feedForward.capacity = 1.25;
  EXPECT_THAT(refusal(plan), HasSubstr("T4"));
  plan = flavored({.data = 8}, "qwen3");
  plan.model.context = 65536;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T5");
  EXPECT_EQ(refusal(plan, "0.2.2"), "");
  plan = flavored({.data = 1, .tensor = 16});
  plan.layout.precision.compute = plan.layout.precision.parameters = ir::DataType::FP32;
  plan.layout.precision.head = ir::DataType::FP32;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T6");
  EXPECT_EQ(refusal(plan, "0.3.0"), "T7");
  plan = flavored({.data = 8});
  plan.layout.fusedAttention = false;
  EXPECT_EQ(refusal(plan), "T8");
}
TEST(TorchtitanRules, OfMeshes) {
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4, .dataOutside = true})), "T9");
  ir::Plan plan = flavored({.data = 8});
  plan.cluster.nodes = 2;
  EXPECT_EQ(refusal(plan), "T10");
  plan = flavored({.data = 8});
  plan.model.context = 8193;
  EXPECT_EQ(refusal(plan), "T16");
  plan = flavored({.data = 2, .context = 4});
  plan.model.context = 8196;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T17");
  plan = flavored({.data = 4, .tensor = 2});
  plan.layout.shard.sequence = ir::ShardAxis::None;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T19");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
}

ir::Plan routed(PlanSketch sketch) {
  sketch.experts = 128;
  return flavored(sketch, "qwen3", "30B-A3B");
}

TEST(TorchtitanRules, OfExperts) {
  const PlanSketch whole{.data = 4, .tensor = 4, .expert = 2, .expertTensor = 2};
  EXPECT_EQ(refusal(routed(whole), "0.2.2"), "T11");
  EXPECT_EQ(refusal(routed(whole), "0.3.0"), "T12");
  EXPECT_EQ(refusal(routed({.data = 4, .tensor = 2, .expert = 4})), "");
  EXPECT_EQ(refusal(routed({.data = 4, .tensor = 2})), "T12") << "experts are split over tensor";
  ir::Plan plan = routed({.data = 8, .expert = 8});
  for (ir::MeshAxis& axis : plan.mesh.expertAxes)
    if (axis.axis == ir::Axis::Expert)
      axis.size = 3;
  EXPECT_THAT(refusal(plan), AllOf(HasSubstr("T13"), HasSubstr("T14")));
}

TEST(TorchtitanRules, OfExpertsThatAreFewerThanTheirDevices) {
  // 128 experts of width 768 = 3 × 256 on a hidden size of 2048.
  EXPECT_EQ(refusal(routed({.data = 256, .batch = 512}), "0.3.0"), "");
  const PlanSketch wide{.data = 512, .batch = 512};
  EXPECT_EQ(refusal(routed(wide), "0.3.0"), "T42");
  EXPECT_EQ(refusal(routed(wide), "0.2.2"), "") << "whole experts without expert parallelism";
  const PlanSketch hidden{.data = 192, .expert = 2, .batch = 384}; // 96 shards divide 768, not 2048
  const PlanSketch width{.data = 1024, .expert = 2, .batch = 1024};
  const PlanSketch fitting{.data = 512, .expert = 2, .batch = 512};
  for (const char* release : {"0.2.2", "0.3.0"}) {
    EXPECT_EQ(refusal(routed(hidden), release), "T42") << release;
    EXPECT_EQ(refusal(routed(width), release), "T42") << release;
    EXPECT_EQ(refusal(routed(fitting), release), "") << release;
  }
}

/// A plan of DeepSeek-V3, which has experts and a pipeline in both releases.
ir::Plan latent(const PlanSketch& sketch) {
  ir::Plan plan = flavored(sketch);
  const torchtitan::Flavor& f = *torchtitan::flavorNamed("deepseek_v3", "671B", Release("0.2.2"));
  ir::Model& m = plan.model;
  m.hidden = f.hidden, m.vocab = f.vocab;
  ir::Attention& a = m.classes[0].attention;
  a = {};
  a.kind = ir::AttentionKind::Latent, a.heads = a.kvHeads = f.heads, a.queryRank = f.queryRank;
  a.kvRank = 512, a.nope = 128, a.rope = 64, a.value = 128;
  m.classes[0].feedForward = planOf({}).model.classes[0].feedForward;
  m.classes[0].feedForward.width = f.width;
  m.classes.push_back(m.classes[0]);
  ir::FeedForward& experts = m.classes[1].feedForward;
  experts.kind = ir::FeedForwardKind::Experts, experts.width = f.expertWidth;
  experts.experts = f.experts, experts.active = f.active;
  experts.shared = 1, experts.sharedWidth = f.sharedWidth;
  m.runs = {{0, f.denseLayers}, {1, f.layers - f.denseLayers}};
  return plan;
}

TEST(TorchtitanRules, OfLatentAttention) {
  ir::Plan plan = latent({.data = 4, .tensor = 2});
  EXPECT_EQ(refusal(plan), "");
  plan.layout.precision.compute = ir::DataType::FP8;
  EXPECT_EQ(refusal(plan), "T36");
  plan.layout.precision.compute = ir::DataType::BF16;
  for (ir::MeshAxis& axis : plan.mesh.axes) // tensor 2 becomes context 2
    if (axis.axis == ir::Axis::Context || axis.axis == ir::Axis::Tensor)
      axis.size = axis.axis == ir::Axis::Context ? 2 : 1, axis.stride = 1;
  EXPECT_THAT(refusal(plan), HasSubstr("T18"));
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  for (ir::MeshAxis& axis : plan.mesh.axes) // 8 replicas, whose experts are on 1 rank each
    axis.size = axis.axis == ir::Axis::Replica ? 8 : 1;
  plan.mesh.expertAxes = {{ir::Axis::Expert, 2, 1, {}}};
  EXPECT_THAT(refusal(plan, "0.2.2"), HasSubstr("T15 T13"));
}

TEST(TorchtitanRules, OfPipelines) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.batch = 63;
  EXPECT_EQ(refusal(plan), "T20");
  EXPECT_EQ(refusal(flavored({.pipeline = 4, .data = 2, .batch = 4})), "T21");
  plan = flavored({.pipeline = 4, .data = 2, .batch = 4});
  plan.layout.schedule = ir::ScheduleKind::GPipe;
  EXPECT_EQ(refusal(plan), "");
  plan.layout.schedule = ir::ScheduleKind::ZeroBubbleH1; // from a table
  EXPECT_EQ(refusal(plan), "");
  plan.layout.schedule = ir::ScheduleKind::DualPipe;
  EXPECT_THAT(refusal(plan), HasSubstr("T44"));
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4, .chunks = 2, .batch = 20})), "T22");
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4}, "qwen3")), "T23");
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4}, "qwen3", "4B"), "0.3.0"), "T24");
  EXPECT_EQ(refusal(flavored({.pipeline = 4, .data = 2, .layers = {16, 0, 8, 8}})), "T25");
  plan = flavored({.pipeline = 2, .data = 4});
  plan.chunks[0].head = true;
  EXPECT_EQ(refusal(plan), "T26");
}
TEST(TorchtitanRules, OfShards) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.shard.parameters = ir::ShardAxis::None;
  EXPECT_EQ(refusal(plan), "T27");
  plan = flavored({.data = 4, .tensor = 2});
  plan.layout.shard.parameters = plan.layout.shard.gradients = plan.layout.shard.optimizer =
      ir::ShardAxis::None;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T28 T29");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  plan = flavored({.data = 8});
  plan.layout.overlap.gradients = false;
  EXPECT_EQ(refusal(plan), "T30");
  plan.layout.launchBlocking = true; // nothing overlaps, whatever FSDP does
  EXPECT_EQ(refusal(plan), "");
  plan.layout.overlap = {};
  plan.layout.overlap.experts = plan.layout.overlap.tensor = true;
  EXPECT_EQ(refusal(plan), "T31 T32");
}
TEST(TorchtitanRules, OfExpertsBesideDualPipeV) {
  const std::string setting = "pipeline_parallel_expert_parallel_overlap = ";
  ir::Plan plan = latent({.pipeline = 2, .data = 4, .chunks = 2, .experts = 256, .expert = 4});
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), Not(HasSubstr(setting)));
  plan.layout.schedule = ir::ScheduleKind::DualPipeV; // with recomputation
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), HasSubstr(setting + "false\n"));
  plan.layout.overlap.experts = true;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T54");
  EXPECT_EQ(refusal(plan, "0.3.0"), "T31");
  plan.layout.recompute.kind = ir::RecomputeKind::None;
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), HasSubstr(setting + "true\n"));
  plan.layout.schedule = ir::ScheduleKind::ZeroBubbleV;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T31");
  plan = flavored({.pipeline = 2, .data = 4, .chunks = 2});
  plan.layout.schedule = ir::ScheduleKind::DualPipeV;
  plan.layout.overlap.experts = true;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T31") << "no experts";
}
TEST(TorchtitanRules, OfCompiledLayersInBackwardsOfTwoParts) {
  using enum ir::ScheduleKind;
  ir::Plan plan = flavored({.pipeline = 2, .data = 2, .tensor = 2, .chunks = 2});
  plan.layout.overlap.tensor = true;
  for (const ir::ScheduleKind kind : {Interleaved, InterleavedZeroBubble, ZeroBubbleV, DualPipeV}) {
    plan.layout.schedule = kind;
    EXPECT_EQ(refusal(plan, "0.2.2"), kind == Interleaved ? "" : "T55");
    EXPECT_EQ(refusal(plan, "0.3.0"), "");
  }
}
TEST(TorchtitanRules, OfWhatContextRanksExchange) {
  ir::Plan plan = flavored({.data = 4, .context = 2});
  EXPECT_EQ(refusal(plan), ""); // a ring that nobody wrote
  plan.layout.ranges["calls.keys"] = {};
  EXPECT_EQ(refusal(plan), "T50");
  plan.layout.callHabits = {ir::CallHabits{}};
  plan.layout.callHabits.front().keys = ir::KeyExchangeKind::Gathered;
  EXPECT_EQ(refusal(plan), "");
}
TEST(TorchtitanFiles, RecomputationByOperator_IsItsOwnPolicy) {
  using enum ir::Module;
  ir::Plan plan = flavored({.data = 8});
  plan.layout.recompute = {ir::RecomputeKind::Selective, {AlternateProducts, Norm, Activation}};
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"),
              HasSubstr("mode = \"selective\"\nselective_ac_option = \"op\"\n"));
  EXPECT_THAT(emitted(plan, "0.3.0", "dpl_plan.py"),
              AllOf(HasSubstr("import SelectiveAC\n"),
                    HasSubstr("activation_checkpoint=SelectiveAC.Config(),\n")));
  plan.layout.recompute.modules = {AlternateProducts};
  EXPECT_EQ(refusal(plan), "T37");
  plan.layout.recompute.modules = {CoreAttention, Norm, Activation, AlternateProducts};
  EXPECT_EQ(refusal(plan), "T37");
}
TEST(TorchtitanRules, OfNumbersAndTheRest) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.precision.moments = ir::DataType::BF16;
  EXPECT_EQ(refusal(plan), "T33");
  plan = flavored({.data = 8});
  plan.layout.precision.reduce = ir::DataType::BF16;
  EXPECT_EQ(refusal(plan), "T34");
  plan = flavored({.data = 8});
  plan.layout.precision.head = ir::DataType::FP32;
  EXPECT_EQ(refusal(plan), "T35");
  plan = flavored({.data = 8});
  plan.layout.precision.compute = ir::DataType::FP8;
  EXPECT_EQ(refusal(plan, "0.3.0"), ""); // nobody asked for a scale by tensor
  plan.layout.ranges["precision.recipe"] = {};
  EXPECT_EQ(refusal(plan, "0.2.2"), "");
  EXPECT_EQ(refusal(plan, "0.3.0"), "T47");
  plan.layout.precision.recipe = ir::Fp8Recipe::Rowwise;
  EXPECT_EQ(refusal(plan, "0.2.2"), "");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  plan.layout.precision.recipe = ir::Fp8Recipe::Delayed;
  EXPECT_EQ(refusal(plan), "T47");
  plan = flavored({.data = 8});
  plan.layout.recompute.method = ir::RecomputeMethod::Block;
  EXPECT_EQ(refusal(plan), "T37");
  plan.layout.recompute.kind = ir::RecomputeKind::None;
  plan.layout.optimizer = ir::OptimizerKind::Sgd;
  EXPECT_EQ(refusal(plan), "T38");
  plan = flavored({.data = 8});
  plan.layout.graphs = true;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T39");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  plan = flavored({.pipeline = 2, .data = 4});
  plan.layout.graphs = true;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T40");
  plan = routed({.data = 8, .expert = 2});
  plan.layout.graphs = true;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T41");
}

} // namespace
