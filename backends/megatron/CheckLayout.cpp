//===- CheckLayout.cpp - Meshes, schedules, shards and overlaps that Megatron-LM runs ---------===//
#include "backends/MeshOrder.h"
#include "backends/ScheduleAnswers.h"
#include "backends/megatron/Megatron.h"
#include "backends/megatron/Rules.h"
#include "backends/megatron/Split.h"
#include "ir/Names.h"

using namespace dpl;
using namespace dpl::megatron;

namespace {

using enum ir::ScheduleKind;
constexpr ScheduleAnswers schedules = {
    {"1f1b", {OneForwardOneBackward}},
    {"interleaved", {Interleaved}},
    {refuses,
     {GPipe, EagerOneForwardOneBackward, LoopedBreadthFirst, ZeroBubbleH1, ZeroBubbleH2,
      ZeroBubble1p, ZeroBubble2p, ZeroBubbleAutomatic, InterleavedZeroBubble, ZeroBubbleV,
      ZeroBubbleVTimed, VHalf, VMin, DualPipeV, DualPipe, PipeDream, Listed}}};

void checkSchedule(const MegatronLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  if (s.pipeline > 1 && !runsSchedule(layout)) {
    findings.report<rule::Schedule>("schedule", ir::name(layout.schedule));
  } else if (s.chunks > 1) {
    // With two ranks and no overlap, one batch of sends and receives would have two sends to the
    // same rank.
    const std::uint64_t least = layout.overlap.pipeline ? 2 : 3;
    const std::uint64_t batches = s.plan.mesh.microBatches;
    if (s.pipeline < least)
      // Without a pipeline only another schedule helps, as the general error for this case also
      // says.
      findings.report<rule::InterleavedStages>(s.pipeline > 1 ? "mesh.pipeline" : "schedule",
                                               s.pipeline, least);
    else if (layout.group == 0 && batches % s.pipeline != 0)
      findings.report<rule::InterleavedBatch>("batch", batches, s.pipeline, s.pipeline);
  } else if (s.pipeline > 1 && layout.overlap.pipeline && layout.ranges.count("overlap.pipeline")) {
    findings.report<rule::PipelineOverlap>("overlap.pipeline");
  }
  switch (splitOf(s).problem) {
  case SplitProblem::None:
    break;
  case SplitProblem::Ends:
    findings.report<rule::SplitEnds>("split");
    break;
  case SplitProblem::PredictionLayers:
    findings.report<rule::PredictionLayers>("split", s.plan.model.predictionLayers);
    break;
  }
}

void checkShard(const MegatronLayout& s, Findings& findings) {
  const ir::Shard& shard = s.plan.layout.shard;
  using enum ir::ShardAxis;
  const bool nested = (shard.parameters != Data || shard.gradients == Data) &&
                      (shard.gradients != Data || shard.optimizer == Data);
  if (!nested || shard.parameters == Tensor || shard.gradients == Tensor ||
      shard.optimizer == Tensor)
    findings.report<rule::ShardCombination>("shard", ir::name(shard.parameters),
                                            ir::name(shard.gradients), ir::name(shard.optimizer));
  if (shard.sequence == Data)
    findings.report<rule::ShardSequence>("shard.sequence", ir::name(shard.sequence));
  if (s.pipeline > 1 && shard.scattersMessages(s.tensor))
    findings.report<rule::ScatteredMessages>("shard.messages", s.tensor);
  if (shard.parameters == Data && !shard.reshard)
    findings.report<rule::KeptParameters>("shard.reshard_after_forward");
  if (s.fullySharded() && s.pipeline > 1) {
    findings.report<rule::FullyShardedPipeline>("shard", s.pipeline);
    findings.report<rule::FullyShardedMesh>("shard", s.pipeline);
  }
  if (s.zero > 0 && s.plan.layout.optimizer == ir::OptimizerKind::Sgd)
    findings.report<rule::ShardedSgd>("optimizer");
}

/// The optimizers of `--optimizer`, and what the script trains. Muon and Lion are emerging
/// optimizers, which validate_args of megatron/training/arguments.py refuses with FSDP. Since 0.18
/// it distributes their state by layers; before, Muon goes without `--use-distributed-optimizer`
/// and without overlap, and DistributedOptimizer asserts Adam.
void checkTraining(const MegatronLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  using enum ir::OptimizerKind;
  if (layout.optimizer == AdamW8Bit || layout.optimizer == Adafactor)
    findings.report<rule::OptimizerKind>("optimizer", ir::name(layout.optimizer));
  const bool emerging = layout.optimizer == Muon || layout.optimizer == Lion;
  if (layout.optimizer == Muon && s.zero > 0)
    findings.report<rule::ShardedMuon>("optimizer");
  if (layout.optimizer == Muon && (layout.overlap.gradients || layout.overlap.parameters))
    findings.report<rule::OverlappedMuon>("optimizer",
                                          layout.overlap.gradients ? "gradients" : "parameters");
  if (layout.optimizer == Lion && s.zero > 0)
    findings.report<rule::ShardedLion>("optimizer");
  if (emerging && s.fullySharded())
    findings.report<rule::WholeMatrices>("optimizer", ir::name(layout.optimizer));
  if (!layout.fineTuning.empty()) {
    const char* field = layout.fineTuning.front().adapters.empty() ? "frozen" : "lora";
    findings.report<rule::FineTuning>(field, field);
  }
  if (!layout.documents.empty())
    findings.report<rule::Documents>("documents");
}

void checkOverlap(const MegatronLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  if (layout.gradientBucket > 0 && !s.hasBuckets())
    findings.report<rule::GradientBucket>(
        "gradient_bucket_size", s.pipeline > 1              ? "in a pipeline"
                                : !layout.overlap.gradients ? "without `overlap.gradients`"
                                                            : "with sharded gradients");
  if (s.zero > 0 && layout.overlap.parameters && !layout.overlap.gradients)
    findings.report<rule::GatherWithoutReduce>("overlap.gradients");
  if (layout.overlap.tensor && !s.sequenceParallel())
    findings.report<rule::TensorOverlap>("overlap.tensor");
  if (const ir::MeshAxis* axis = s.plan.mesh.find(ir::Axis::Tensor);
      layout.overlap.tensor && s.tensor > 1 && axis && axis->spans > ir::Level::Domain)
    findings.report<rule::TensorOverlapDomain>("overlap.tensor", s.tensor,
                                               s.plan.cluster.devicesIn(ir::Level::Domain));
  if (!layout.overlap.experts)
    return;
  const auto refuse = [&](const char* because) {
    findings.report<rule::ExpertOverlap>("overlap.experts", because);
  };
  if (s.expert == 1)
    refuse("expert parallel 1");
  else if (s.pipeline > 1 && s.chunks == 1)
    refuse("pipeline parallelism that is not interleaved");
  else if (layout.recompute.kind == ir::RecomputeKind::Full)
    refuse("full recomputation");
  else if (s.plan.model.predictionLayers > 1)
    refuse("more than one MTP layer");
  else if (s.wideCompute() == ir::DataType::FP32)
    refuse("fp32 compute");
  else if (layout.kernels.dispatch == ir::DispatchKind::AllGather)
    refuse("`kernels.token_dispatcher = allgather`");
  if (layout.recompute.has(ir::ModuleKind::Moe))
    findings.report<rule::ExpertOverlapRecompute>("overlap.experts");
  if (s.plan.model.predictionLayers > 0 && s.pipeline == 1)
    findings.report<rule::ExpertOverlapPrediction>("overlap.experts");
}

void checkRecompute(const MegatronLayout& s, Findings& findings) {
  const ir::Recompute& recompute = s.plan.layout.recompute;
  if (recompute.inAdvance)
    findings.report<rule::RecomputeInAdvance>("recompute.in_advance");
  if (recompute.kind == ir::RecomputeKind::Full && s.plan.model.predictionLayers > 0) {
    if (recompute.method == ir::RecomputeMethod::Block)
      findings.report<rule::PredictionBlocks>("recompute");
    else if (recompute.layers > 1)
      findings.report<rule::PredictionRecompute>("recompute", recompute.layers);
  }
  if (recompute.kind != ir::RecomputeKind::Selective)
    return;
  const bool latent = s.attention && s.attention->kind == ir::AttentionKind::Latent;
  for (const ir::ModuleKind module : recompute.modules) {
    const char* path = "recompute";
    switch (module) {
    case ir::ModuleKind::CoreAttention:
    case ir::ModuleKind::Norm:
      break;
    case ir::ModuleKind::Attention:
      findings.report<rule::RecomputeModule>(path, ir::name(module),
                                             ", it has `core_attention` or a full layer");
      break;
    case ir::ModuleKind::Activation:
      if (!s.routed)
        findings.report<rule::RecomputeModule>(path, ir::name(module),
                                               " of a dense part, it has `mlp`");
      break;
    case ir::ModuleKind::Mlp:
    case ir::ModuleKind::Moe:
    case ir::ModuleKind::SharedExperts:
      break; // these have no effect in a model without such a module
    case ir::ModuleKind::AlternateProducts:
      findings.report<rule::RecomputeModule>(path, ir::name(module), ", a policy of torchtitan's");
      break;
    case ir::ModuleKind::MlaUp:
      if (!latent)
        findings.report<rule::RecomputeFit>(path, ir::name(module), "latent attention");
      break;
    }
  }
}

void checkGraphs(const MegatronLayout& s, Findings& findings) {
  const GraphCapture graphs = s.graphs();
  if (graphs == GraphCapture::Nothing)
    return;
  const ir::Recompute& recompute = s.plan.layout.recompute;
  const bool old = s.release.isBefore("0.16"), parts = graphs == GraphCapture::WithoutExperts;
  if (s.plan.layout.overlap.experts)
    findings.report<rule::Graphs>("cuda_graphs", "`overlap.experts`");
  else if (old && parts)
    findings.report<rule::Graphs>("cuda_graphs",
                                  "experts without `pad_to_capacity` before release 0.16");
  if (old && recompute.kind != ir::RecomputeKind::None)
    findings.report<rule::OldGraphRecompute>("cuda_graphs");
  else if (parts && recompute.kind == ir::RecomputeKind::Full)
    findings.report<rule::GraphRecompute>("cuda_graphs", "whole layers");
  else if (parts && recompute.has(ir::ModuleKind::Moe))
    findings.report<rule::GraphRecompute>("cuda_graphs", "`moe`");
  if (old || recompute.kind != ir::RecomputeKind::Selective)
    return;
  // graphArguments says which modules are inside the graphs.
  const auto refuse = [&](double dropout, ir::ModuleKind module) {
    if (dropout > 0 && recompute.has(module))
      findings.report<rule::GraphDropout>("cuda_graphs", dropout, ir::name(module));
  };
  const ir::Model& model = s.plan.model;
  refuse(model.attentionDropout, ir::ModuleKind::CoreAttention);
  if (!parts || s.dense)
    refuse(model.hiddenDropout, ir::ModuleKind::Mlp);
  if (!parts)
    refuse(model.hiddenDropout, ir::ModuleKind::Moe);
}

/// Checks attention with context parallelism, for which Transformer Engine uses only flash or fused
/// kernels (get_attention_backend in pytorch/attention/dot_product_attention/utils.py). They need
/// 16-bit types and head sizes divisible by 8 (there for flash-attn 2, in the kernels for cuDNN and
/// flash-attn 3).
void checkContextAttention(const MegatronLayout& s, Findings& findings) {
  if (s.context == 1 || !s.attention)
    return;
  const ir::Attention& a = *s.attention;
  if (!s.plan.layout.fusedAttention)
    findings.report<rule::ContextAttention>("fused_attention", s.context,
                                            "`fused_attention = false`");
  else if (s.wideCompute() == ir::DataType::FP32)
    findings.report<rule::ContextAttention>("precision.compute", s.context, "fp32 compute");
  else if (a.sinks) // supported only if heads are exchanged, which no plan can request
    findings.report<rule::ContextAttention>("mesh.context", s.context, "attention sinks");
  if (const ir::KeyExchangeKind keys = s.plan.layout.communication().keys;
      keys != ir::KeyExchangeKind::Ring)
    findings.report<rule::KeyExchange>("communication_options.context_exchange", ir::name(keys));
  const bool latent = a.kind == ir::AttentionKind::Latent;
  const std::uint64_t keys = latent ? a.nope + a.rope : a.headDim,
                      values = latent ? a.value : a.headDim;
  if (keys % 8 != 0 || values % 8 != 0)
    findings.report<rule::ContextHeads>("mesh.context", s.context, keys % 8 != 0 ? keys : values);
}

} // namespace

void dpl::megatron::checkMesh(const MegatronLayout& s, Findings& findings) {
  const ir::Plan& plan = s.plan;
  if (plan.mesh.devices != plan.cluster.devices())
    findings.report<rule::WorldSize>("mesh", plan.mesh.devices, plan.cluster.devices(),
                                     plan.cluster.nodes, plan.cluster.gpusPerNode);
  if (!s.order) {
    findings.report<rule::RankOrder>("mesh", orderText(plan.mesh));
  } else if (*s.order == AxisRankOrder::DataOutside && s.pipeline > 1 &&
             s.tensor * s.context != s.expertTensor * s.expert) {
    findings.report<rule::ExpertMapping>("mesh.experts", s.tensor, s.context, s.expertTensor,
                                         s.expert);
  }
  if (s.context > 1 && plan.model.context % (2 * s.context) != 0)
    findings.report<rule::ContextHalves>("mesh.context", plan.model.context, s.context);
  else if (s.sequenceParallel() && plan.model.context / s.context % s.tensor != 0)
    findings.report<rule::SequenceByTensor>("shard.sequence", plan.model.context / s.context,
                                            s.tensor);
  if (const std::uint64_t step = plan.layout.microBatch * s.dataRanks();
      step == 0 || plan.layout.batch % step != 0)
    findings.report<rule::BatchByData>("batch", plan.layout.batch, plan.layout.microBatch,
                                       s.dataRanks());
}

bool dpl::megatron::runsSchedule(const ir::Layout& layout) {
  return answerFor(schedules, layout) != refuses;
}

void dpl::megatron::checkLayout(const MegatronLayout& s, Findings& findings) {
  const ir::LearningRate& rate = s.plan.optimizerSettings().learningRate;
  if (rate.given && rate.kind != ir::LearningRateKind::Constant && rate.end > rate.peak)
    findings.report<rule::LearningRateEnd>("optimizer", rate.end, rate.peak);
  checkGraphs(s, findings);
  checkSchedule(s, findings);
  checkShard(s, findings);
  checkTraining(s, findings);
  checkOverlap(s, findings);
  checkRecompute(s, findings);
  checkContextAttention(s, findings);
}
