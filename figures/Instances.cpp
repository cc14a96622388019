//===- Instances.cpp - The instances of placeholders in paths of figures ----------------------===//
#include "figures/Instances.h"
#include "figures/Rows.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;

namespace {

bool isExpert(ir::Axis axis) {
  return axis == ir::Axis::ExpertData || axis == ir::Axis::Expert || axis == ir::Axis::ExpertTensor;
}

std::vector<Instance> axes(const std::vector<ir::MeshAxis>& of, bool expert) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (isExpert(of[i].axis) == expert)
      out.push_back({FigureContext::axisPath(of[i].axis), i, 0});
  return out;
}

std::vector<Instance> nodeTypes(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.cluster.nodeTypes.size(); ++i)
    out.push_back({fmt::format("node_type[{}]", i), i, 0});
  return out;
}

std::vector<Instance> rankDevices(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.rankDevices().size(); ++i)
    out.push_back({rankDevicesPath(f.rankDevices()[i]), i, 0});
  return out;
}

std::vector<Instance> mixedNodeTypes(const FigureContext& f) {
  std::vector<Instance> out;
  if (f.cluster.nodeTypes.size() > 1)
    for (std::size_t i = 0; i < f.cluster.nodeTypes.size(); ++i)
      out.push_back({fmt::format("energy.node_type[{}]", i), i, 0});
  return out;
}

std::vector<Instance> stages(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.plan.chunks.size() && i < f.plan.costs.size(); ++i)
    out.push_back({f.stagePath(f.plan.costs[i]), i, 0});
  return out;
}

std::vector<Instance> modules(const FigureContext& f) {
  std::vector<Instance> out;
  llvm::StringSet<> known;
  for (std::size_t i = 0; i < f.modules().size(); ++i)
    for (std::size_t j = 0; j < f.modules()[i].size(); ++j)
      if (known.insert(f.modules()[i][j].name).second)
        out.push_back({f.modules()[i][j].name, i, j});
  return out;
}

std::vector<Instance> operators(const FigureContext& f) {
  std::vector<Instance> out;
  const std::size_t passes = cost::operatorDirections().size();
  for (std::size_t p = 0; p < f.operators().size(); ++p)
    for (std::size_t i = 0; i < f.operators()[p].operators.size(); ++i)
      out.push_back({operatorPath(f.operators()[p], i), p, i * passes});
  return out;
}

std::vector<Instance> operatorDirectionsOf(const FigureContext& f) {
  std::vector<Instance> out;
  for (const Instance& op : operators(f))
    for (std::size_t pass = 0; pass < cost::operatorDirections().size(); ++pass)
      out.push_back(
          {op.prefix + "." + cost::operatorDirections()[pass].name, op.index, op.inner + pass});
  return out;
}

std::vector<Instance> devices(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.cluster.nodeTypes.size(); ++i)
    out.push_back({f.devicePath(i), i, 0});
  return out;
}

std::vector<Instance> peaks(const FigureContext& f) {
  std::vector<Instance> out;
  for (const Instance& device : devices(f))
    for (const auto& peak : f.cluster.nodeTypes[device.index].device.peak)
      out.push_back({fmt::format("{}.peak[{}]", device.prefix, ir::name(peak.first)), device.index,
                     static_cast<std::size_t>(peak.first)});
  return out;
}

std::vector<Instance> ranks(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.plan.memory.size(); ++i)
    out.push_back({fmt::format("memory.rank[{}]", f.plan.memory[i].rank), i, 0});
  return out;
}

std::vector<Instance> traffic(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.traffic().size(); ++i)
    out.push_back({cost::pathOf(f.plan, f.traffic()[i]), i, 0});
  return out;
}

std::vector<Instance> levelsBelow(const FigureContext& f, const std::string& prefix,
                                  std::size_t index) {
  std::vector<Instance> out;
  for (std::size_t l = 0; l < f.cluster.levels.size(); ++l)
    out.push_back({prefix + "." + ir::name(f.cluster.levels[l].level), index, l});
  return out;
}

std::vector<Instance> trafficLevels(const FigureContext& f) {
  std::vector<Instance> out;
  for (const Instance& row : traffic(f))
    for (Instance& level : levelsBelow(f, row.prefix, row.index))
      out.push_back(std::move(level));
  return out;
}

std::vector<Instance> links(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.cluster.network.links.size(); ++i) {
    const ir::LinkType& link = f.cluster.network.links[i];
    // A spine that is not oversubscribed never limits traffic.
    if (link.kind != ir::LinkKind::Spine || link.taper > 1)
      out.push_back({"link[" + link.displayName() + "]", 0, i});
  }
  return out;
}

std::vector<Instance> groups(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.plan.groups.size(); ++i)
    if (f.plan.groups[i].size > 1)
      out.push_back({"group[" + f.plan.groups[i].name + "]", i, 0});
  return out;
}

std::vector<Instance> loads(const FigureContext& f) {
  std::vector<Instance> out;
  for (const Instance& group : groups(f))
    for (const Instance& link : links(f))
      if (f.plan.groups[group.index].loads[link.inner].ranks > 0)
        out.push_back({group.prefix + "." + link.prefix, group.index, link.inner});
  return out;
}

std::vector<Instance> runs(const FigureContext& f) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < f.plan.runs.size(); ++i)
    out.push_back({fmt::format("run[{}]", f.plan.runs[i].name), i, 0});
  return out;
}

std::vector<Instance> exposures(const FigureContext&) {
  std::vector<Instance> out;
  for (std::size_t i = 0; i < cost::exposedAxes().size(); ++i)
    out.push_back({std::string("time.exposed.") + cost::exposedAxes()[i], i, 0});
  return out;
}

} // namespace

llvm::ArrayRef<InstanceSet> figures::instanceSets() {
  static constexpr InstanceSet sets[] = {
      {"DEVICE.peak[TYPE]", peaks},
      {"DEVICE", devices},
      {"node_type[N]", nodeTypes},
      {"energy.rank[R].node_type[N]", rankDevices},
      {"energy.node_type[N]", mixedNodeTypes},
      {"mesh.experts.AXIS",
       [](const FigureContext& f) { return axes(f.plan.mesh.expertAxes, true); }},
      {"mesh.AXIS", [](const FigureContext& f) { return axes(f.plan.mesh.axes, false); }},
      {"stage[STAGE]", stages},
      {"MODULE.operator[OPERATOR].ACTION", operatorDirectionsOf},
      {"MODULE.operator[OPERATOR]", operators},
      {"MODULE", modules},
      {"link[LINK]", links},
      {"group[GROUP].link[LINK]", loads},
      {"group[GROUP]", groups},
      {"memory.rank[R]", ranks},
      {"communication[GROUP].CONTENTS.COLLECTIVE.LEVEL", trafficLevels},
      {"communication[GROUP].CONTENTS.COLLECTIVE", traffic},
      {"time.exposed.AXIS", exposures},
      {"run[RUN]", runs},
      {"traffic.LEVEL", [](const FigureContext& f) { return levelsBelow(f, "traffic", 0); }},
  };
  return sets;
}
