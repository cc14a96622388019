//===- MegatronTest.cpp - Options, splits and refusals of the Megatron target -----------------===//
#include "backends/megatron/Megatron.h"
#include "MegatronPlans.h"
#include "backends/megatron/Rules.h"
#include "backends/megatron/Split.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

FailureOr<std::vector<EmittedFile>> emitMegatron(const ir::Plan& plan, DiagnosticEngine& diags,
                                                 const char* release = "0.19") {
  return emit({*targetNamed("megatron"), plan, Release(release), {}}, diags);
}

/// The text of one emitted file, "" when the plan was refused.
std::string emitted(const ir::Plan& plan, const std::string& file, const char* release = "0.19") {
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files = emitMegatron(plan, diags, release);
  if (!files.failed())
    for (const EmittedFile& f : *files)
      if (f.path == file)
        return f.content;
  return "";
}
std::string arguments(const ir::Plan& plan) { return emitted(plan, "arguments.txt"); }

/// The messages of a refusal, one a line.
std::string refusal(const ir::Plan& plan) {
  DiagnosticEngine diags;
  std::string out;
  if (emitMegatron(plan, diags).failed())
    for (const Diagnostic& d : diags.diagnostics())
      out += std::string(d.info.code) + " " + d.message + "\n";
  return out;
}

std::vector<std::string> split(const PlanSketch& sketch) {
  const ir::Plan plan = planOf(sketch);
  return megatron::splitOf(megatron::MegatronLayout(plan)).arguments;
}

// ---- the split, in the cases of get_num_layers_to_build -----------------------------------------

TEST(MegatronSplit, EqualStages_NeedNoOption) {
  EXPECT_THAT(split({.pipeline = 4, .layerCount = 32}), IsEmpty());
}
TEST(MegatronSplit, EqualChunks_GiveTheirLayers) {
  EXPECT_THAT(split({.pipeline = 4, .chunks = 4, .layerCount = 32}),
              ElementsAre("--num-layers-per-virtual-pipeline-stage", "2"));
}
TEST(MegatronSplit, SlotsForEmbeddingAndHead_AreTheAccountOptions) {
  EXPECT_THAT(split({.pipeline = 4, .layerCount = 30, .layers = {7, 8, 8, 7}}),
              ElementsAre("--account-for-embedding-in-pipeline-split",
                          "--account-for-loss-in-pipeline-split"));
}
TEST(MegatronSplit, AChunkWithoutLayers_IsASlotToo) {
  EXPECT_THAT(
      split({.pipeline = 2, .chunks = 4, .layerCount = 6, .layers = {0, 1, 1, 1, 1, 1, 1, 0}}),
      ElementsAre("--account-for-embedding-in-pipeline-split",
                  "--account-for-loss-in-pipeline-split", "--num-layers-per-virtual-pipeline-stage",
                  "1"));
}
TEST(MegatronSplit, FewerLayersAtBothEnds_AreFirstAndLast) {
  EXPECT_THAT(split({.pipeline = 4, .layerCount = 32, .layers = {6, 10, 10, 6}}),
              ElementsAre("--decoder-first-pipeline-num-layers", "6",
                          "--decoder-last-pipeline-num-layers", "6"));
}
TEST(MegatronSplit, ALighterFirstRankWithChunks_CountsAllItsChunks) {
  EXPECT_THAT(
      split({.pipeline = 4, .chunks = 2, .layerCount = 14, .layers = {1, 2, 2, 2, 1, 2, 2, 2}}),
      ElementsAre("--decoder-first-pipeline-num-layers", "2",
                  "--num-virtual-stages-per-pipeline-rank", "2"));
}
TEST(MegatronSplit, TwoUnequalRanksWithChunks_AreALayoutString) {
  // First and last would leave no rank between, by whose number Megatron-LM then divides.
  EXPECT_THAT(split({.pipeline = 2, .chunks = 2, .layerCount = 10, .layers = {3, 2, 3, 2}}),
              ElementsAre("--pipeline-model-parallel-layout", "Et*3|t*2|t*3|t*2L"));
}
TEST(MegatronSplit, AnythingElse_IsALayoutString) {
  EXPECT_THAT(split({.pipeline = 16,
                     .layerCount = 61,
                     .layers = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3}}),
              ElementsAre("--pipeline-model-parallel-layout", "Et*4|(t*4|)*12t*3|t*3|t*3L"));
}
TEST(MegatronSplit, PredictionLayersOffTheLastChunk_AreInTheLayoutString) {
  ir::Plan plan = planOf({.pipeline = 4, .layerCount = 8, .layers = {2, 2, 4, 0}});
  plan.model.predictionLayers = 1;
  plan.chunks[2].predictionLayers = 1;
  EXPECT_THAT(megatron::splitOf(megatron::MegatronLayout(plan)).arguments,
              ElementsAre("--pipeline-model-parallel-layout", "Et*2|t*2|t*4m|L"));
}
TEST(MegatronSplit, PredictionLayersOnTwoChunks_AreAProblem) {
  ir::Plan plan = planOf({.pipeline = 4, .layerCount = 8});
  plan.model.predictionLayers = 2;
  plan.chunks[2].predictionLayers = plan.chunks[3].predictionLayers = 1;
  EXPECT_EQ(megatron::splitOf(megatron::MegatronLayout(plan)).problem,
            megatron::SplitProblem::PredictionLayers);
}

// ---- rank orders --------------------------------------------------------------------------------

TEST(MegatronOrder, PipelineOutside_IsTheDefault) {
  const std::string text = arguments(planOf({.pipeline = 2, .data = 4, .tensor = 2}));
  EXPECT_THAT(text, AllOf(HasSubstr("--tensor-model-parallel-size\n2\n"),
                          Not(HasSubstr("--use-tp-pp-dp-mapping"))));
}
TEST(MegatronOrder, DataOutside_IsTheOtherMapping) {
  EXPECT_THAT(arguments(planOf({.pipeline = 2, .data = 4, .tensor = 2, .dataOutside = true})),
              HasSubstr("--use-tp-pp-dp-mapping"));
}
TEST(MegatronOrder, TensorOutsideData_HasNoCounterpart) {
  ir::Plan plan = planOf({.data = 4, .tensor = 2});
  plan.mesh.axes[2].stride = 1; // data innermost
  plan.mesh.axes[4].stride = 4; // tensor around it
  std::swap(plan.mesh.axes[2], plan.mesh.axes[4]);
  EXPECT_THAT(
      refusal(plan),
      HasSubstr(
          "DPL0601 Megatron-LM has no counterpart for this: the mesh orders its axes tensor-data"));
}
TEST(MegatronOrder, ExpertsAcrossTheOtherMapping_NeedEqualInnerGrids) {
  EXPECT_THAT(
      refusal(planOf(
          {.pipeline = 2, .data = 8, .tensor = 2, .experts = 8, .expert = 8, .dataOutside = true})),
      HasSubstr("tensor × context (2 × 1) and expert tensor × expert (1 × 8) have to be equal"));
}
TEST(MegatronOrder, Replicas_AreOptimizerInstances) {
  EXPECT_THAT(arguments(planOf({.data = 4, .replica = 2})),
              HasSubstr("--num-distributed-optimizer-instances\n2\n"));
}

// ---- the rest of the layout ---------------------------------------------------------------------

TEST(MegatronArguments, Experts_NameTheirGridAndLayers) {
  ir::Plan plan = planOf({.data = 8, .experts = 8, .expert = 4});
  ir::LayerType dense = planOf({}).model.layerTypes[0];
  plan.model.layerTypes.push_back(dense);
  plan.model.runs = {{1, 3}, {0, 5}};
  EXPECT_THAT(
      arguments(plan),
      AllOf(HasSubstr("--moe-layer-freq\n([0]*3+[1]*5)\n"), HasSubstr("--num-experts\n8\n"),
            HasSubstr("--expert-model-parallel-size\n4\n--expert-tensor-parallel-size\n1\n")));
}
TEST(MegatronArguments, ShardedParameters_AreMegatronFsdp) {
  ir::Plan plan = planOf({.data = 8});
  plan.layout.shard.gradients = plan.layout.shard.parameters = ir::ShardAxis::Data;
  EXPECT_THAT(arguments(plan),
              AllOf(HasSubstr("--use-megatron-fsdp\n"), HasSubstr("optim_grads_params\n"),
                    HasSubstr("--ckpt-format\nfsdp_dtensor\n")));
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("unset CUDA_DEVICE_MAX_CONNECTIONS"));
  EXPECT_THAT(emitted(plan, "launch.sh"), Not(HasSubstr("CUDA_LAUNCH_BLOCKING")));
  plan.layout.launchBlocking = true;
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("\nexport CUDA_LAUNCH_BLOCKING=1"));
  EXPECT_THAT(emitted(plan, "launch.sh"), Not(HasSubstr("TORCH_DISTRIBUTED_DEBUG")));
  plan.layout.communicationOptions = {{1'000'000, false}};
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("\nexport TORCH_DISTRIBUTED_DEBUG=DETAIL"));
}
TEST(MegatronArguments, NarrowGradients_AreReducedInBf16) {
  ir::Plan plan = planOf({.data = 8});
  plan.layout.precision.gradients = plan.layout.precision.reduce = ir::DataType::BF16;
  EXPECT_THAT(arguments(plan), HasSubstr("--bf16\n--grad-reduce-in-bf16\n"));
}
TEST(MegatronArguments, AShareOfTheOptimizer_IsInTheMemoryOfTheHost) {
  ir::Plan plan = planOf({.data = 8});
  plan.layout.offload = {{.optimizer = 0.25}};
  EXPECT_THAT(arguments(plan),
              AllOf(HasSubstr("--use-precision-aware-optimizer\n"),
                    Not(HasSubstr("--exp-avg-dtype")),
                    HasSubstr("--optimizer-cpu-offload\n--optimizer-offload-fraction\n0.25\n"
                              "--overlap-cpu-optimizer-d2h-h2d\n")));
  plan.layout.shard.optimizer = ir::ShardAxis::None;
  EXPECT_THAT(refusal(plan), HasSubstr("or in host memory, needs Adam"));
}
/// Options of transformer_config.py and arguments.py at core_v0.15.3 to 0.19.0.
TEST(MegatronArguments, Graphs_CaptureWhatTheReleaseCan) {
  const auto text = [](const ir::Plan& plan, const char* release) {
    return emitted(plan, "arguments.txt", release);
  };
  ir::Plan plan = planOf({});
  EXPECT_THAT(arguments(plan), Not(HasSubstr("graph")));
  plan.layout.graphs = true;
  for (const char* release : {"0.15", "0.16", "0.19"})
    EXPECT_THAT(text(plan, release), HasSubstr("--cuda-graph-impl\nlocal\n")) << release;
  EXPECT_THAT(emitted(plan, "launch.sh", "0.15"), HasSubstr("unset PYTORCH_CUDA_ALLOC_CONF"));
  const std::string grows = "export PYTORCH_CUDA_ALLOC_CONF=";
  for (const bool set : {false, true}) { // one line, whether the layout sets it or not
    plan.layout.buffers.expandableSegments = set;
    const std::string script = emitted(plan, "launch.sh");
    EXPECT_NE(script.find(grows), std::string::npos);
    EXPECT_EQ(script.find(grows), script.rfind(grows));
  }
  EXPECT_THAT(emitted(plan, "launch.sh"), Not(HasSubstr("NCCL_GRAPH_REGISTER")));
  plan.layout.recompute.kind = ir::RecomputeKind::Selective;
  plan.layout.recompute.modules = {ir::ModuleKind::CoreAttention};
  EXPECT_THAT(text(plan, "0.16"), HasSubstr("--cuda-graph-impl\nlocal\n"));
  EXPECT_EQ(text(plan, "0.15"), "");
  plan.layout.recompute = {};
  plan.layout.recompute.kind = ir::RecomputeKind::Full;
  EXPECT_THAT(arguments(plan), HasSubstr("--cuda-graph-impl\nfull_iteration\n"
                                         "--no-check-for-nan-in-loss-and-grad\n"));
  EXPECT_THAT(text(plan, "0.17"),
              HasSubstr("--cuda-graph-impl\nlocal\n--cuda-graph-scope\nfull_iteration\n"
                        "--no-check-for-nan-in-loss-and-grad\n"));
}
TEST(MegatronArguments, GraphsOfExperts_LeaveOutRowsThatAreNotPadded) {
  ir::Plan plan = planOf({.data = 4, .experts = 8, .expert = 4});
  plan.layout.graphs = true;
  EXPECT_THAT(arguments(plan), HasSubstr("--cuda-graph-impl\ntransformer_engine\n"
                                         "--cuda-graph-modules\nattn\nmoe_router\n"
                                         "moe_preprocess\n"));
  EXPECT_THAT(emitted(plan, "arguments.txt", "0.17"),
              HasSubstr("--cuda-graph-scope\nattn\nmoe_router\nmoe_preprocess\n"));
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("export NCCL_GRAPH_REGISTER=0"));
  EXPECT_EQ(emitted(plan, "arguments.txt", "0.15"), "") << "it has no such parts";
  ir::FeedForward& experts = plan.model.layerTypes.back().feedForward;
  experts.capacity = 1.25;
  EXPECT_THAT(arguments(plan), Not(HasSubstr("moe_preprocess")));
  experts.padded = true;
  EXPECT_THAT(arguments(plan), AllOf(HasSubstr("--cuda-graph-impl\ntransformer_engine\n"),
                                     Not(HasSubstr("--cuda-graph-modules"))));
}
TEST(MegatronArguments, RecipesOfFp8_HaveTheirFormats) {
  ir::Plan plan = planOf({});
  plan.layout.precision.compute = ir::DataType::FP8;
  EXPECT_THAT(arguments(plan), HasSubstr("--fp8-format\nhybrid\n--fp8-recipe\ntensorwise\n"));
  plan.layout.precision.recipe = ir::Fp8Recipe::Delayed;
  EXPECT_THAT(arguments(plan),
              HasSubstr("--fp8-format\nhybrid\n--fp8-recipe\ndelayed\n"
                        "--fp8-amax-history-len\n1024\n--fp8-amax-compute-algo\nmax\n"));
  plan.layout.precision.recipe = ir::Fp8Recipe::Blockwise;
  EXPECT_THAT(arguments(plan), HasSubstr("--fp8-format\ne4m3\n--fp8-recipe\nblockwise\n"));
}
TEST(MegatronArguments, Dispatch_HasItsBackend) {
  ir::Plan plan = planOf({.data = 4, .experts = 8, .expert = 4});
  EXPECT_THAT(arguments(plan), HasSubstr("--moe-token-dispatcher-type\nalltoall\n"));
  plan.layout.kernels.dispatch = ir::DispatchKind::DeepEp;
  plan.layout.kernels.router = ir::KernelKind::Fused;
  EXPECT_THAT(arguments(plan), HasSubstr("--moe-router-fusion\n--moe-token-dispatcher-type\nflex\n"
                                         "--moe-flex-dispatcher-backend\ndeepep\n"));
  EXPECT_THAT(emitted(plan, "arguments.txt", "0.15"),
              HasSubstr("--moe-token-dispatcher-type\nflex\n--moe-enable-deepep\n"));
  // A default dispatcher that cannot run is replaced.
  ir::Plan alone = planOf({.data = 4, .experts = 8});
  alone.layout.kernels.dispatch = ir::DispatchKind::DeepEp;
  EXPECT_THAT(arguments(alone), HasSubstr("--moe-token-dispatcher-type\nalltoall\n"));
  plan.layout.kernels.dispatch = ir::DispatchKind::HybridEp;
  EXPECT_THAT(emitted(plan, "arguments.txt", "0.15"),
              HasSubstr("--moe-token-dispatcher-type\nflex\n--moe-enable-deepep\n"));
  plan.layout.kernels.dispatch = ir::DispatchKind::AllGather;
  EXPECT_THAT(arguments(plan), AllOf(HasSubstr("--moe-token-dispatcher-type\nallgather\n"),
                                     Not(HasSubstr("backend\n"))));
}
TEST(MegatronArguments, LatentAttention_KeepsPlainRotaryPositions) {
  ir::Plan plan = planOf({.tensor = 2});
  ir::Attention& a = plan.model.layerTypes[0].attention;
  a.kind = ir::AttentionKind::Latent, a.kvRank = 128, a.nope = 64, a.rope = 32, a.value = 64;
  EXPECT_THAT(arguments(plan),
              AllOf(HasSubstr("--multi-latent-attention\n--kv-channels\n64\n--kv-lora-rank\n128\n"),
                    HasSubstr("--rope-type\nrope\n"), Not(HasSubstr("--group-query-attention"))));
}
TEST(MegatronDifferences, QueriesWithoutARank_AreOfAnInputThatIsNormalisedTwice) {
  ir::Plan plan = planOf({.tensor = 2});
  ir::Attention& a = plan.model.layerTypes[0].attention;
  a.kind = ir::AttentionKind::Latent, a.kvRank = 128, a.nope = 64, a.rope = 32, a.value = 64;
  EXPECT_THAT(emitted(plan, "launch.sh", "0.19"), HasSubstr("normalized twice"));
  EXPECT_THAT(emitted(plan, "launch.sh", "0.18"), Not(HasSubstr("normalized twice")));
  a.queryRank = 256;
  EXPECT_THAT(emitted(plan, "launch.sh", "0.19"), Not(HasSubstr("normalized twice")));
}
TEST(MegatronArguments, AWindowOverACutSequence_GathersKeysAndValues) {
  const auto windowOf = [](std::uint64_t context) {
    ir::Plan plan = planOf({.context = context});
    plan.model.layerTypes[0].attention.window = 1024;
    return plan;
  };
  EXPECT_THAT(arguments(windowOf(1)),
              AllOf(HasSubstr("--window-size\n1023,0\n"), Not(HasSubstr("--cp-comm-type"))));
  EXPECT_THAT(arguments(windowOf(2)), HasSubstr("--cp-comm-type\nall_gather\n"));
  EXPECT_THAT(emitted(windowOf(2), "launch.sh"), HasSubstr("gathers keys and values"));
}
TEST(MegatronArguments, APredictionLayerInBlocks_IsSaidToBeKept) {
  ir::Plan plan = planOf({});
  plan.layout.recompute.kind = ir::RecomputeKind::Full;
  plan.layout.recompute.method = ir::RecomputeMethod::Block;
  EXPECT_THAT(emitted(plan, "launch.sh"), Not(HasSubstr("MTP layers")));
  plan.model.predictionLayers = plan.chunks[0].predictionLayers = 1;
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("MTP layers are not recomputed"));
}
TEST(MegatronArguments, TheSamePlan_GivesTheSameBytes) {
  const ir::Plan plan =
      planOf({.nodes = 2, .pipeline = 4, .data = 2, .tensor = 2, .experts = 8, .expert = 2});
  for (const char* file : {"launch.sh", "arguments.txt", "plan.json"})
    EXPECT_EQ(emitted(plan, file), emitted(plan, file));
}
TEST(MegatronArguments, ALineBreakInAName_StaysInsideItsComment) {
  ir::Plan plan = planOf({});
  plan.file = "a\nrm -rf b.dpl";
  EXPECT_THAT(emitted(plan, "launch.sh"), HasSubstr("# sketch of a?rm -rf b.dpl, plan"));
}

// ---- refusals -----------------------------------------------------------------------------------

TEST(MegatronRules, GPipe_HasNoCounterpart) {
  ir::Plan plan = planOf({.pipeline = 2});
  plan.layout.schedule = ir::ScheduleKind::GPipe;
  EXPECT_THAT(refusal(plan), HasSubstr("the schedule is `gpipe`"));
}
TEST(MegatronRules, AListOfLayers_IsNoDecoder) {
  ir::Plan plan = planOf({});
  plan.model.kind = "layer_list";
  EXPECT_THAT(refusal(plan), HasSubstr("is of kind `layer_list`"));
}
TEST(MegatronRules, SeveralMistakes_AreAllReported) {
  ir::Plan plan = planOf({.pipeline = 2, .data = 3, .tensor = 2, .batch = 64});
  plan.layout.schedule = ir::ScheduleKind::GPipe;
  plan.layout.overlap.gradients = false;
  EXPECT_THAT(refusal(plan),
              AllOf(HasSubstr("gpipe"), HasSubstr("`overlap.parameters` without"),
                    HasSubstr("64 is not divisible by micro-batch 1 × data parallel 3")));
}
TEST(MegatronRules, KeyValueHeads_DivideTensorOneWayOrTheOther) {
  EXPECT_EQ(refusal(planOf({.tensor = 8})), ""); // 4 key-value heads on 8 ranks: since core 0.16
  ir::Plan plan = planOf({.tensor = 4});
  plan.model.layerTypes[0].attention.heads = 24, plan.model.layerTypes[0].attention.kvHeads = 6;
  EXPECT_THAT(refusal(plan),
              HasSubstr("neither of 6 key-value heads and tensor parallel 4 divides the other"));
}
TEST(MegatronRules, InterleavingTwoStagesWithoutOverlap_IsRefused) {
  ir::Plan plan = planOf({.pipeline = 2, .chunks = 2});
  plan.layout.overlap.pipeline = false;
  EXPECT_THAT(refusal(plan),
              HasSubstr("interleaved_1f1b has pipeline parallel 2, it needs at least 3"));
}
TEST(MegatronRules, OneTypeForGradients_OrNoCounterpart) {
  ir::Plan plan = planOf({});
  plan.layout.precision.reduce = ir::DataType::BF16;
  EXPECT_THAT(refusal(plan), HasSubstr("gradients in fp32 and reduced in bf16"));
}
TEST(MegatronRules, RefusalsNameTheRuleAndWhenItStrikes) {
  ir::Plan plan = planOf({.tensor = 2, .experts = 8});
  plan.layout.shard.sequence = ir::ShardAxis::None;
  DiagnosticEngine diags;
  EXPECT_TRUE(emitMegatron(plan, diags).failed());
  ASSERT_EQ(diags.diagnostics().size(), 1U);
  EXPECT_EQ(diags.diagnostics()[0].notes.at(0).message,
            "rule `megatron.M44` (expert-sequence): ValueError when it runs the first step, in "
            "Megatron-LM since 0.12");
}

} // namespace
