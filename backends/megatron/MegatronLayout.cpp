//===- MegatronLayout.cpp - A plan in Megatron-LM's terms -------------------------------------===//
#include "backends/megatron/MegatronLayout.h"
#include "backends/MeshOrder.h"
#include "backends/megatron/Options.h"

using namespace dpl;
using namespace dpl::megatron;

namespace {

bool matches(const ir::Mesh& mesh, AxisRankOrder order) {
  using enum ir::Axis;
  if (order == AxisRankOrder::PipelineOutside)
    return hasOrder(mesh.axes, {Tensor, Context, Data, Replica, Pipeline}) &&
           hasOrder(mesh.expertAxes, {ExpertTensor, Expert, ExpertData, Replica, Pipeline});
  return hasOrder(mesh.axes, {Tensor, Context, Pipeline, Data, Replica}) &&
         hasOrder(mesh.expertAxes, {ExpertTensor, Expert, Pipeline, ExpertData, Replica});
}

} // namespace

MegatronLayout::MegatronLayout(const ir::Plan& plan, Release release)
    : FirstLayers(plan.model), plan(plan), release(release),
      tensor(plan.mesh.size(ir::Axis::Tensor)), context(plan.mesh.size(ir::Axis::Context)),
      data(plan.mesh.size(ir::Axis::Data)), replica(plan.mesh.size(ir::Axis::Replica)),
      pipeline(plan.mesh.size(ir::Axis::Pipeline)), chunks(plan.layout.chunks),
      zero(plan.layout.shard.stage()) {
  for (const ir::LayerRun& run : plan.model.runs) {
    const ir::LayerType& layer = plan.model.layerTypes[run.layerType];
    const std::uint64_t seen = layer.attention.window;
    expertLayers.insert(expertLayers.end(), run.count,
                        layer.feedForward.kind == ir::FeedForwardKind::Experts);
    windowLayers.insert(windowLayers.end(), run.count, seen > 0);
    if (window == 0)
      window = seen;
  }
  if (plan.mesh.expertAxes.empty()) {
    expertTensor = tensor;
    expertData = context * data;
  } else {
    expert = plan.mesh.size(ir::Axis::Expert);
    expertTensor = plan.mesh.size(ir::Axis::ExpertTensor);
    expertData = plan.mesh.size(ir::Axis::ExpertData);
  }
  for (const AxisRankOrder candidate : {AxisRankOrder::PipelineOutside, AxisRankOrder::DataOutside})
    if (!order && matches(plan.mesh, candidate))
      order = candidate;
}

std::uint64_t MegatronLayout::paddedVocab() const {
  const std::uint64_t multiple = plan.layout.vocabMultiple * tensor;
  return ir::ceilDiv(plan.model.vocab, multiple) * multiple;
}

bool MegatronLayout::sequenceParallel() const {
  return plan.layout.shard.sequence == ir::ShardAxis::Tensor && tensor > 1;
}

std::uint64_t MegatronLayout::tokensPerRank() const {
  return plan.tokensPerMicroBatch() / context / (sequenceParallel() ? tensor : 1);
}

bool MegatronLayout::gated() const {
  const auto isGated = [](const ir::FeedForward* part) {
    return part && (part->gated || part->kind == ir::FeedForwardKind::Gated);
  };
  return isGated(dense) || isGated(routed);
}

bool MegatronLayout::narrowCompute() const {
  return ir::bitsOf(plan.layout.precision.compute) < 16;
}

ir::DataType MegatronLayout::wideCompute() const {
  return narrowCompute() ? ir::DataType::BF16 : plan.layout.precision.compute;
}

bool MegatronLayout::fullyShardedTypes() const {
  const ir::Precision& p = plan.layout.precision;
  const bool needed = p.gradients != p.reduce || (p.hasMaster && p.master != ir::DataType::FP32);
  return fullySharded() && (needed || hasOption(release, "--megatron-fsdp-main-grads-dtype"));
}

bool MegatronLayout::narrowOptimizerState() const {
  const ir::Precision& p = plan.layout.precision;
  return p.moments != ir::DataType::FP32 ||
         (wideCompute() != ir::DataType::FP32 && p.hasMaster && p.master != ir::DataType::FP32);
}

/// Megatron-LM captures routed experts only if their inputs are padded (transformer_config.py, "moe
/// cuda graph is only supported with drop-padding MoE").
GraphCapture MegatronLayout::graphs() const {
  if (!plan.layout.graphs)
    return GraphCapture::Nothing;
  if (routed && !(routed->capacity > 0 && routed->padded))
    return GraphCapture::WithoutExperts;
  return plan.layout.recompute.kind == ir::RecomputeKind::Full ? GraphCapture::Iteration
                                                               : GraphCapture::Layers;
}

std::vector<ir::MeshAxis> dpl::megatron::expertAxes(const MegatronLayout& s) {
  if (!s.plan.mesh.expertAxes.empty() || !s.routed)
    return s.plan.mesh.expertAxes;
  using enum ir::Axis;
  const std::uint64_t inner = s.expertTensor * s.expert;
  const bool outside = s.order != AxisRankOrder::DataOutside;
  const std::uint64_t dataStride = outside ? inner : inner * s.pipeline;
  return {{Replica, s.replica, dataStride * s.expertData, {}},
          {Pipeline, s.pipeline, outside ? inner * s.expertData * s.replica : inner, {}},
          {ExpertData, s.expertData, dataStride, {}},
          {Expert, s.expert, s.expertTensor, {}},
          {ExpertTensor, s.expertTensor, 1, {}}};
}
