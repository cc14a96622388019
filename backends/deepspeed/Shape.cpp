//===- Shape.cpp - A plan in DeepSpeed's terms ------------------------------------------------===//
#include "backends/deepspeed/Shape.h"

using namespace dpl;
using namespace dpl::deepspeed;

namespace {

/// Whether the axes of `grid` have the strides of an order, given fastest first. An axis of size 1
/// has no stride that matters.
bool hasStrides(const std::vector<ir::MeshAxis>& grid, std::initializer_list<ir::Axis> order) {
  std::uint64_t stride = 1;
  for (const ir::Axis wanted : order)
    for (const ir::MeshAxis& axis : grid)
      if (axis.axis == wanted) {
        if (axis.size > 1 && axis.stride != stride)
          return false;
        stride *= axis.size;
      }
  return true;
}

} // namespace

Shape::Shape(const ir::Plan& plan)
    : plan(plan), tensor(plan.mesh.size(ir::Axis::Tensor)),
      context(plan.mesh.size(ir::Axis::Context)), data(plan.mesh.size(ir::Axis::Data)),
      replica(plan.mesh.size(ir::Axis::Replica)), pipeline(plan.mesh.size(ir::Axis::Pipeline)),
      zero(plan.layout.shard.stage()) {
  for (const ir::LayerRun& run : plan.model.runs) {
    const ir::LayerClass& layer = plan.model.classes[run.layerClass];
    if (!attention && layer.attention.kind != ir::AttentionKind::None)
      attention = &layer.attention;
    const bool experts = layer.feedForward.kind == ir::FeedForwardKind::Experts;
    if (const ir::FeedForward*& first = experts ? routed : dense;
        !first && layer.feedForward.kind != ir::FeedForwardKind::None)
      first = &layer.feedForward;
  }
  expertTensor = tensor;
  if (!plan.mesh.expertAxes.empty()) {
    expert = plan.mesh.size(ir::Axis::Expert);
    expertTensor = plan.mesh.size(ir::Axis::ExpertTensor);
  }
}

bool Shape::autocast() const {
  const ir::Precision& p = plan.layout.precision;
  return p.parameters == ir::DataType::FP32 && ir::bitsOf(p.compute) == 16;
}

bool Shape::afterBackward() const {
  const ir::Precision& p = plan.layout.precision;
  return zero == 1 && p.parameters == ir::DataType::BF16 && p.gradients == ir::DataType::FP32;
}

bool Shape::inOrder() const {
  using enum ir::Axis;
  // runtime/pipe/topology.py: [pipe, data, model]; utils/groups.py: experts inside a stage.
  const std::vector<ir::MeshAxis>& grid = plan.mesh.axes;
  return (hasStrides(grid, {Tensor, Context, Data, Replica, Pipeline}) ||
          hasStrides(grid, {Tensor, Context, Replica, Data, Pipeline})) &&
         hasStrides(plan.mesh.expertAxes, {ExpertTensor, Expert, ExpertData, Replica, Pipeline});
}
