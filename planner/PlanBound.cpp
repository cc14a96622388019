//===- PlanBound.cpp - Lower bounds of one plan -----------------------------------------------===//
#include "planner/PlanBound.h"
#include "ir/Arithmetic.h"
#include "planner/Bound.h"
#include "planner/MeshSpace.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace dpl;
using namespace dpl::planner;
using ir::Axis;

namespace {
/// Whether the axes have this order, given from the innermost axis on, as meshes of `mesh = auto`
/// do.
bool isStandard(const std::vector<ir::MeshAxis>& axes, std::initializer_list<Axis> order) {
  const Axis* next = order.begin();
  for (const ir::MeshAxis& axis : llvm::reverse(axes))
    if (axis.size > 1) {
      next = std::find(next, order.end(), axis.axis);
      if (next == order.end())
        return false;
    }
  return true;
}
} // namespace

bool dpl::planner::hasBounds(const ir::Plan& plan) {
  return plan.mesh.size(Axis::Replica) == 1 &&
         isStandard(plan.mesh.axes, {Axis::Tensor, Axis::Context, Axis::Data, Axis::Pipeline}) &&
         isStandard(plan.mesh.expertAxes,
                    {Axis::ExpertTensor, Axis::Expert, Axis::ExpertData, Axis::Pipeline});
}

DeviceMemory dpl::planner::deviceMemoryOf(const ir::Cluster& cluster) {
  DeviceMemory out{0, std::numeric_limits<double>::infinity()};
  for (const ir::NodeType& nodes : cluster.nodeTypes) {
    const ir::Device& device = nodes.device;
    out.largest = std::max(out.largest, ir::real(device.memory));
    out.reserved = std::min(out.reserved, ir::real(device.reserved + device.workspace));
  }
  return out;
}

PlanBound dpl::planner::planBoundOf(const Bound& bound, const ir::Cluster& cluster) {
  PlanBound out;
  out.step = bound.step;
  const auto [memory, reserved] = deviceMemoryOf(cluster);
  const double needed = (bound.memory + reserved) * boundRounding;
  out.excess = needed > memory ? needed / memory - 1 : 0;
  // With several node types, the rank with the least free memory may not be the fullest.
  if (cluster.nodeTypes.size() == 1)
    out.memory = bound.memory + reserved;
  return out;
}

PlanBound dpl::planner::boundOf(const ir::Plan& plan) {
  if (!hasBounds(plan))
    return {};
  const OpenChoice choice(plan.layout);
  Bounds bounds(plan, choice);
  bounds.choose(0);
  return planBoundOf(bounds.of(candidateOf(plan), plan.chunks), plan.cluster);
}
