//===- DeepspeedLayout.cpp - A plan in DeepSpeed's terms --------------------------------------===//
#include "backends/deepspeed/DeepspeedLayout.h"
#include "backends/MeshOrder.h"

using namespace dpl;
using namespace dpl::deepspeed;

DeepspeedLayout::DeepspeedLayout(const ir::Plan& plan)
    : FirstLayers(plan.model), plan(plan), tensor(plan.mesh.size(ir::Axis::Tensor)),
      context(plan.mesh.size(ir::Axis::Context)), data(plan.mesh.size(ir::Axis::Data)),
      replica(plan.mesh.size(ir::Axis::Replica)), pipeline(plan.mesh.size(ir::Axis::Pipeline)),
      zero(plan.layout.shard.stage()) {
  expertTensor = tensor;
  if (!plan.mesh.expertAxes.empty()) {
    expert = plan.mesh.size(ir::Axis::Expert);
    expertTensor = plan.mesh.size(ir::Axis::ExpertTensor);
  }
}

bool DeepspeedLayout::autocast() const {
  const ir::Precision& p = plan.layout.precision;
  return p.parameters == ir::DataType::FP32 && ir::bitsOf(p.compute) == 16;
}

bool DeepspeedLayout::afterBackward() const {
  const ir::Precision& p = plan.layout.precision;
  return zero == 1 && p.parameters == ir::DataType::BF16 && p.gradients == ir::DataType::FP32;
}

bool DeepspeedLayout::inOrder() const {
  using enum ir::Axis;
  // runtime/pipe/topology.py orders the axes [pipe, data, model]. utils/groups.py has expert groups
  // inside a stage.
  const std::vector<ir::MeshAxis>& grid = plan.mesh.axes;
  return (hasOrder(grid, {Tensor, Context, Data, Replica, Pipeline}) ||
          hasOrder(grid, {Tensor, Context, Replica, Data, Pipeline})) &&
         hasOrder(plan.mesh.expertAxes, {ExpertTensor, Expert, ExpertData, Replica, Pipeline});
}
