//===- Hierarchy.cpp - Data ranks divided into those of a domain and replicas -----------------===//
#include "simulate/diagnosis/Hierarchy.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
/// Whether the replica axis is next to the data axis on its outer side, apart from axes of size 1.
bool standTogether(const Mesh& mesh) {
  const MeshAxis &data = *mesh.find(Axis::Data), &replica = *mesh.find(Axis::Replica);
  return replica.stride == data.stride * data.size;
}

void resize(std::vector<AxisRequest>& axes, Axis axis, std::uint64_t times, std::uint64_t parts) {
  for (AxisRequest& request : axes)
    if (request.axis == axis && !request.rest)
      request.size = request.size * times / parts;
}
} // namespace

std::optional<Hierarchy> diagnosis::hierarchyOf(const Plan& plan) {
  const std::uint64_t replicas = plan.mesh.size(Axis::Replica), data = plan.mesh.size(Axis::Data);
  const Group* group = plan.group("data");
  if (!group || data < 2 || !plan.layout.compression.empty())
    return std::nullopt;
  const std::uint64_t inside = group->inside.front();
  if (replicas > 1)
    return inside == data && plan.layout.shard.stage() > 0 && standTogether(plan.mesh)
               ? std::optional(Hierarchy{replicas, data, true})
               : std::nullopt;
  return inside > 1 && inside < data ? std::optional(Hierarchy{data / inside, inside, false})
                                     : std::nullopt;
}

void diagnosis::applyHierarchy(Layout& layout, const Hierarchy& hierarchy, bool on) {
  std::vector<AxisRequest>& axes = layout.mesh.axes;
  llvm::erase_if(axes, [](const AxisRequest& request) { return request.axis == Axis::Replica; });
  const auto data =
      llvm::find_if(axes, [](const AxisRequest& request) { return request.axis == Axis::Data; });
  AxisRequest outer;
  outer.axis = Axis::Replica, outer.size = hierarchy.replicas;
  data->rest = false;
  data->size = on ? hierarchy.data : hierarchy.data * hierarchy.replicas;
  if (on)
    axes.insert(data, outer);
  resize(layout.mesh.experts, Axis::ExpertData, on ? 1 : hierarchy.replicas,
         on ? hierarchy.replicas : 1);
  if (layout.shard.stage() == 0)
    layout.shard.optimizer = ShardAxis::Data;
}
