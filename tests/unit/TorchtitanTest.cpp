//===- TorchtitanTest.cpp - Flavors, splits and files of the torchtitan target ----------------===//
#include "TorchtitanPlans.h"
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

TEST(TorchtitanLaunch, NoticeThatNothingHears_IsSaidAndNotWaitedFor) {
  ir::Plan plan = flavored({.nodes = 1});
  plan.runs.emplace_back().name = "train";
  ir::Launch& launch = plan.launches.emplace_back();
  launch.run = "train", launch.notice = 120, launch.checkpoints = "/saved";
  const std::string script = emitted(plan, "0.3.0", "launch.sh");
  EXPECT_THAT(script,
              HasSubstr("# Not as in the plan: nothing is saved when the job is signalled"));
  EXPECT_THAT(script, HasSubstr("\nexec torchrun"));
}

TEST(TorchtitanLaunch, ExpandableSegmentsOfTheLayout_AreThoseOfTheAllocator) {
  ir::Plan plan = flavored({.nodes = 1});
  const std::string variable = "PYTORCH_CUDA_ALLOC_CONF";
  EXPECT_THAT(emitted(plan, "0.3.0", "launch.sh"), Not(HasSubstr(variable)));
  plan.layout.buffers.expandableSegments = true;
  EXPECT_THAT(
      emitted(plan, "0.3.0", "launch.sh"),
      HasSubstr("\nexport " + variable + "=${" + variable + ":-expandable_segments:True}\n"));
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
  std::swap(plan.model.layerTypes[0], plan.model.layerTypes[1]);
  EXPECT_EQ(torchtitan::flavorOf(plan.model, Release("0.3.0")), nullptr);
  EXPECT_THAT(torchtitan::whyNoFlavor(plan.model, Release("0.3.0")),
              HasSubstr("gpt_oss 20b, has a window on every other layer"));
}
TEST(TorchtitanFlavors, SequencesOfGptOssAreNotCut) {
  EXPECT_EQ(refusal(flavored({.data = 8}, "gpt_oss", "20b"), "0.3.0"), "");
  EXPECT_EQ(refusal(flavored({.data = 4, .context = 2}, "gpt_oss", "20b"), "0.3.0"), "T53");
}

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

TEST(TorchtitanFiles, OffloadedShards_AndCompiledLayers_HaveTheirSettings) {
  ir::Plan plan = flavored({.data = 8});
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), Not(HasSubstr("enable")));
  plan.layout.offload = {{.optimizer = 1, .gradients = true, .parameters = true}};
  plan.framework.name = "torchtitan", plan.framework.compiled = true;
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), AllOf(HasSubstr("enable_cpu_offload = true"),
                                                          HasSubstr("[compile]\nenable = true\n")));
  EXPECT_THAT(emitted(plan, "0.3.0", "dpl_plan.py"),
              AllOf(HasSubstr("enable_cpu_offload=True"),
                    HasSubstr("compile=CompileConfig(enable=True),\n")));
}

TEST(TorchtitanFiles, RecomputationByOperator_IsItsOwnPolicy) {
  using enum ir::ModuleKind;
  ir::Plan plan = flavored({.data = 8});
  plan.layout.recompute.kind = ir::RecomputeKind::Selective;
  plan.layout.recompute.modules = {AlternateProducts, Norm, Activation};
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

} // namespace
