//===- BuildGroups.cpp - Process groups of subsets of axes ------------------------------------===//
#include "passes/BuildGroups.h"
#include "cost/collectives/Torus.h"
#include "cost/network/AxisSet.h"
#include "cost/network/LinkLoad.h"
#include "cost/network/RingOrder.h"
#include "passes/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace dpl;
using cost::AxisSet;
using ir::Axis;

namespace {

void finish(ir::Group& group, const ir::Cluster& cluster, LinkLoads loads) {
  group.size = 1;
  for (const ir::Stride& s : group.strides)
    group.size *= s.count;
  group.spans = ir::Level::Gpu;
  group.inside.reserve(cluster.levels.size());
  for (const ir::LinkLevel& level : cluster.levels) {
    // The level may have room for more devices than the cluster has.
    const std::uint64_t inside =
        cost::ranksInside(group.strides, std::min(level.devices, cluster.devices()));
    if (group.size > 1 && inside == group.size && group.spans == ir::Level::Gpu)
      group.spans = level.level;
    group.inside.push_back(inside);
  }
  for (const ir::Torus& torus : cluster.network.torus)
    group.torus = cost::torusRanks(group.strides, torus,
                                   std::min(cluster.levels.front().devices, cluster.devices()));
  group.order = cost::ringOrder(group, cluster);
  if (loads == LinkLoads::Known)
    group.loads = cost::linkLoads(group, cluster);
}

} // namespace

ir::Group dpl::makeGroup(const ir::Mesh& mesh, const ir::Cluster& cluster, std::string name,
                         llvm::ArrayRef<Axis> axes, bool copies, LinkLoads loads) {
  ir::Group group;
  group.name = std::move(name);
  group.axes.reserve(axes.size() + 1), group.strides.reserve(axes.size() + 1);
  const AxisSet among = cost::setOfAll(axes);
  const bool expert = among >= cost::setOf(Axis::ExpertData);
  for (const ir::MeshAxis& axis : expert ? mesh.expertAxes : mesh.axes) {
    const bool opposite = copies && axis.axis == Axis::Pipeline;
    if (!opposite && (among & cost::setOf(axis.axis)) == 0)
      continue;
    const std::uint64_t period = axis.stride * axis.size;
    group.axes.push_back(axis.axis);
    if (opposite)
      group.strides.push_back({2, period - axis.stride, period, true});
    else
      group.strides.push_back({axis.size, axis.stride, period});
  }
  finish(group, cluster, loads);
  group.groups = cluster.devices() / group.size;
  return group;
}

ir::Group dpl::makeEmbeddingGroup(const ir::Mesh& mesh, const ir::Placement& placement,
                                  const ir::Cluster& cluster, LinkLoads loads) {
  ir::Group group;
  group.name = "embedding";
  group.axes = {Axis::Pipeline};
  const ir::MeshAxis& pipeline = *mesh.find(Axis::Pipeline);
  const std::uint64_t ranks = pipeline.size;
  // The first stage is always on the first rank. The last stage may be there too, if a rank has
  // both ends of the model.
  if (const std::uint64_t apart =
          placement.rankOf(placement.stages() - 1, placement.directions() - 1);
      apart > 0)
    group.strides = {{2, pipeline.stride * apart, pipeline.stride * ranks}};
  finish(group, cluster, loads);
  group.groups = cluster.devices() / ranks;
  return group;
}

std::vector<ir::Group> dpl::buildGroups(const ir::Mesh& mesh, const ir::Placement& placement,
                                        const ir::Cluster& cluster) {
  std::vector<ir::Group> groups;
  groups.reserve(16);
  const auto add = [&](const char* name, llvm::ArrayRef<Axis> axes) {
    groups.push_back(makeGroup(mesh, cluster, name, axes));
  };
  add("tensor", {Axis::Tensor});
  add("context", {Axis::Context});
  add("data", {Axis::Data});
  add("replica", {Axis::Replica});
  add("data+context", {Axis::Data, Axis::Context});
  add("replica+data+context", {Axis::Replica, Axis::Data, Axis::Context});
  add("pipeline", {Axis::Pipeline});
  groups.push_back(makeEmbeddingGroup(mesh, placement, cluster));
  const bool copies = placement.directions() > 1;
  const auto addCopies = [&](const char* name, llvm::ArrayRef<Axis> axes) {
    if (copies)
      groups.push_back(makeGroup(mesh, cluster, name, axes, true));
  };
  addCopies("stage_replica+data+context", {Axis::Data, Axis::Context});
  addCopies("stage_replica+replica+data+context", {Axis::Replica, Axis::Data, Axis::Context});
  if (mesh.expertAxes.empty())
    return groups;
  add("expert", {Axis::Expert});
  add("expert_tensor", {Axis::ExpertTensor});
  add("expert_data", {Axis::ExpertData});
  add("replica+expert_data", {Axis::Replica, Axis::ExpertData});
  addCopies("stage_replica+expert_data", {Axis::ExpertData});
  addCopies("stage_replica+replica+expert_data", {Axis::Replica, Axis::ExpertData});
  return groups;
}

/// No collective uses only the pipeline axis; estimates compute pipeline messages separately.
std::vector<ir::Group> dpl::groupsOfEstimates(const ir::Plan& plan) {
  using enum Axis;
  const AxisSet asked = cost::wideAxes(plan.mesh) & ~cost::setOf(Pipeline);
  std::vector<ir::Group> groups;
  groups.reserve(4);
  llvm::SmallVector<std::pair<AxisSet, bool>, 16> known;
  const auto add = [&](const char* name, llvm::ArrayRef<Axis> axes, bool copies = false) {
    const AxisSet set = cost::setOfAll(axes) & asked;
    if ((set == 0 && !copies) || llvm::is_contained(known, std::pair(set, copies)))
      return;
    known.emplace_back(set, copies);
    groups.push_back(makeGroup(plan.mesh, plan.cluster, name, axes, copies, LinkLoads::Omitted));
  };
  // Groups of layers have the same places in all meshes with the same division of layers.
  add("tensor", {Tensor});
  add("context", {Context});
  add("expert", {Expert});
  add("expert_tensor", {ExpertTensor});
  add("replica", {Replica});
  const bool copies = plan.placement.directions() > 1;
  add("data+context", {Data, Context}, copies);
  add("replica+data+context", {Replica, Data, Context}, copies);
  if (!plan.mesh.expertAxes.empty()) {
    add("expert_data", {ExpertData}, copies);
    add("replica+expert_data", {Replica, ExpertData}, copies);
  }
  if (plan.model.tiedEmbeddings)
    groups.push_back(
        makeEmbeddingGroup(plan.mesh, plan.placement, plan.cluster, LinkLoads::Omitted));
  return groups;
}

namespace {

/// Builds all groups. Relies on: strides are set (place-ranks).
class BuildGroups final : public Pass {
public:
  llvm::StringRef name() const override { return "build-groups"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine&) override {
    plan.groups = buildGroups(plan.mesh, plan.placement, plan.cluster);
    return LogicalResult::success();
  }
};

} // namespace

std::unique_ptr<Pass> dpl::createBuildGroupsPass() { return std::make_unique<BuildGroups>(); }
