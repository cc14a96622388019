//===- Shape.cpp - A plan in Megatron-LM's terms ----------------------------------------------===//
#include "backends/megatron/Shape.h"
#include "backends/megatron/Options.h"

using namespace dpl;
using namespace dpl::megatron;

namespace {

/// One axis of a grid and its size, for stride comparison.
struct Step {
  ir::Axis axis;
  std::uint64_t size;
};

/// Whether the axes of `grid` have the strides of a rank order, given fastest first. An axis of
/// size 1 has no stride that matters.
bool hasStrides(const std::vector<ir::MeshAxis>& grid, std::initializer_list<Step> order) {
  std::uint64_t stride = 1;
  for (const Step& step : order) {
    for (const ir::MeshAxis& axis : grid)
      if (axis.axis == step.axis && axis.size > 1 && axis.stride != stride)
        return false;
    stride *= step.size;
  }
  return true;
}

bool matches(const Shape& s, RankOrder order) {
  using enum ir::Axis;
  const Step tensor{Tensor, s.tensor}, context{Context, s.context}, pipeline{Pipeline, s.pipeline},
      data{Data, s.data}, replica{Replica, s.replica}, expertTensor{ExpertTensor, s.expertTensor},
      expert{Expert, s.expert}, expertData{ExpertData, s.expertData};
  const ir::Mesh& mesh = s.plan.mesh;
  if (order == RankOrder::PipelineOutside)
    return hasStrides(mesh.axes, {tensor, context, data, replica, pipeline}) &&
           hasStrides(mesh.expertAxes, {expertTensor, expert, expertData, replica, pipeline});
  return hasStrides(mesh.axes, {tensor, context, pipeline, data, replica}) &&
         hasStrides(mesh.expertAxes, {expertTensor, expert, pipeline, expertData, replica});
}

} // namespace

Shape::Shape(const ir::Plan& plan, Release release)
    : plan(plan), release(release), tensor(plan.mesh.size(ir::Axis::Tensor)),
      context(plan.mesh.size(ir::Axis::Context)), data(plan.mesh.size(ir::Axis::Data)),
      replica(plan.mesh.size(ir::Axis::Replica)), pipeline(plan.mesh.size(ir::Axis::Pipeline)),
      chunks(plan.layout.schedule == ir::ScheduleKind::Interleaved ? plan.layout.chunks : 1),
      zero(plan.layout.shard.stage()) {
  for (std::uint64_t i = 0; i < plan.model.layers(); ++i) {
    const ir::LayerClass& layer = plan.model.layer(i);
    const bool experts = layer.feedForward.kind == ir::FeedForwardKind::Experts;
    expertLayers.push_back(experts);
    if (!attention && layer.attention.kind != ir::AttentionKind::None)
      attention = &layer.attention;
    if (const ir::FeedForward*& first = experts ? routed : dense;
        !first && layer.feedForward.kind != ir::FeedForwardKind::None)
      first = &layer.feedForward;
  }
  if (plan.mesh.expertAxes.empty()) {
    expertTensor = tensor;
    expertData = context * data;
  } else {
    expert = plan.mesh.size(ir::Axis::Expert);
    expertTensor = plan.mesh.size(ir::Axis::ExpertTensor);
    expertData = plan.mesh.size(ir::Axis::ExpertData);
  }
  for (const RankOrder candidate : {RankOrder::PipelineOutside, RankOrder::DataOutside})
    if (!order && matches(*this, candidate))
      order = candidate;
}

std::uint64_t Shape::paddedVocab() const {
  const std::uint64_t multiple = plan.layout.vocabMultiple * tensor;
  return ir::ceilDiv(plan.model.vocab, multiple) * multiple;
}

bool Shape::sequenceParallel() const {
  return plan.layout.shard.sequence == ir::ShardAxis::Tensor && tensor > 1;
}

std::uint64_t Shape::tokensPerRank() const {
  return plan.tokensPerMicroBatch() / context / (sequenceParallel() ? tensor : 1);
}

bool Shape::gated() const {
  const auto isGated = [](const ir::FeedForward* part) {
    return part && (part->gated || part->kind == ir::FeedForwardKind::Gated);
  };
  return isGated(dense) || isGated(routed);
}

bool Shape::narrowCompute() const { return ir::bitsOf(plan.layout.precision.compute) < 16; }

ir::DataType Shape::wideCompute() const {
  return narrowCompute() ? ir::DataType::BF16 : plan.layout.precision.compute;
}

bool Shape::fullyShardedTypes() const {
  const ir::Precision& p = plan.layout.precision;
  const bool needed = p.gradients != p.reduce || (p.hasMaster && p.master != ir::DataType::FP32);
  return fullySharded() && (needed || hasOption(release, "--megatron-fsdp-main-grads-dtype"));
}

bool Shape::narrowOptimizerState() const {
  const ir::Precision& p = plan.layout.precision;
  return p.moments != ir::DataType::FP32 ||
         (wideCompute() != ir::DataType::FP32 && p.hasMaster && p.master != ir::DataType::FP32);
}

std::vector<ir::MeshAxis> dpl::megatron::expertAxes(const Shape& s) {
  if (!s.plan.mesh.expertAxes.empty() || !s.routed)
    return s.plan.mesh.expertAxes;
  using enum ir::Axis;
  const std::uint64_t inner = s.expertTensor * s.expert;
  const bool outside = s.order != RankOrder::DataOutside;
  const std::uint64_t dataStride = outside ? inner : inner * s.pipeline;
  return {{Replica, s.replica, dataStride * s.expertData, {}},
          {Pipeline, s.pipeline, outside ? inner * s.expertData * s.replica : inner, {}},
          {ExpertData, s.expertData, dataStride, {}},
          {Expert, s.expert, s.expertTensor, {}},
          {ExpertTensor, s.expertTensor, 1, {}}};
}
