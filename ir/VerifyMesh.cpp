//===- VerifyMesh.cpp - Axes cover the devices, and groups are made of axes -------------------===//
#include "ir/Limits.h"
#include "ir/Names.h"
#include "ir/Verify.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace dpl;
using namespace dpl::ir;

namespace {

class MeshVerifier {
public:
  MeshVerifier(const Plan& plan, std::vector<std::string>& broken) : plan(plan), broken(broken) {}

  void run() {
    grid(plan.mesh.axes, {Axis::Replica, Axis::Pipeline, Axis::Data, Axis::Context, Axis::Tensor},
         "the mesh");
    if (!plan.groups.empty() || !plan.mesh.rankNodeTypes.empty())
      rankNodeTypes();
    if (!plan.mesh.expertAxes.empty())
      grid(plan.mesh.expertAxes,
           {Axis::Replica, Axis::Pipeline, Axis::ExpertData, Axis::Expert, Axis::ExpertTensor},
           "the expert grid");
    groups();
  }

private:
  template <class... Args> void rule(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds)
      broken.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void grid(const std::vector<MeshAxis>& axes, std::vector<Axis> needed, const char* what) {
    std::vector<Axis> found;
    std::uint64_t product = 1;
    for (const MeshAxis& axis : axes) {
      rule(axis.size > 0, "axis {} of {} has size 0", name(axis.axis), what);
      rule(axis.size <= mostDevices, "axis {} of {} has size {}", name(axis.axis), what, axis.size);
      found.push_back(axis.axis);
      product *= axis.size;
    }
    std::sort(found.begin(), found.end());
    std::sort(needed.begin(), needed.end());
    rule(found == needed, "{} does not hold each of its axes once", what);
    if (plan.groups.empty())
      return; // compiler passes before build-groups check sizes and set strides
    rule(product == plan.cluster.devices(), "{} uses {} devices of {}", what, product,
         plan.cluster.devices());
    std::uint64_t stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      rule(axis->stride == stride, "axis {} of {} has stride {}, its place gives {}",
           name(axis->axis), what, axis->stride, stride);
      stride *= axis->size;
    }
  }

  void rankNodeTypes() {
    std::uint64_t next = 0;
    for (const RankNodeTypes& ranks : plan.mesh.rankNodeTypes) {
      rule(ranks.first == next && ranks.count > 0,
           "{} pipeline ranks from {} on are held, the ones before end at {}", ranks.count,
           ranks.first, next);
      next += ranks.count;
      rule(!ranks.nodeTypes.empty(), "no class of nodes holds pipeline rank {}", ranks.first);
      for (std::size_t i = 0; i < ranks.nodeTypes.size(); ++i)
        rule(ranks.nodeTypes[i] < plan.cluster.nodeTypes.size() &&
                 (i == 0 || ranks.nodeTypes[i - 1] < ranks.nodeTypes[i]),
             "pipeline rank {} is held by class {} of {}", ranks.first, ranks.nodeTypes[i],
             plan.cluster.nodeTypes.size());
    }
    rule(next == plan.mesh.size(Axis::Pipeline), "{} of {} pipeline ranks are held", next,
         plan.mesh.size(Axis::Pipeline));
  }

  void groups() {
    std::set<std::string> names;
    for (const Group& g : plan.groups) {
      std::uint64_t size = 1;
      for (const Stride& s : g.strides) {
        rule(s.count > 0 && s.stride > 0 && s.period > s.stride * (s.count - 1),
             "group {} has a factor of {} ranks {} apart in a period of {}", g.name, s.count,
             s.stride, s.period);
        rule(!s.mirrored || (s.count == 2 && s.period > s.stride && s.period % 2 == 0 &&
                             s.period / 2 % (s.period - s.stride) == 0),
             "group {} mirrors {} ranks {} apart in a period of {}", g.name, s.count, s.stride,
             s.period);
        size *= s.count;
      }
      rule(size == g.size, "group {} has {} ranks, its factors give {}", g.name, g.size, size);
      rule(g.groups > 0 && g.groups * g.size <= plan.cluster.devices(),
           "{} groups {} of {} ranks exceed the {} devices", g.groups, g.name, g.size,
           plan.cluster.devices());
      rule(g.inside.size() == plan.cluster.levels.size(), "group {} counts {} levels of {}", g.name,
           g.inside.size(), plan.cluster.levels.size());
      rule(g.torus.size() <= mostDimensions, "group {} lies along {} dimensions", g.name,
           g.torus.size());
      for (const TorusRanks& d : g.torus)
        rule(d.ranks > 0 && d.apart > 0 && d.size > 1, "group {} has {} ranks {} apart of {}",
             g.name, d.ranks, d.apart, d.size);
      rule(isOrder(g.order) && (g.order.empty() || g.size % g.order.size() == 0),
           "group {} of {} ranks has {} in order", g.name, g.size, g.order.size());
      for (const std::uint64_t inside : g.inside)
        rule(inside > 0 && g.size % inside == 0, "group {} of {} ranks has {} inside a unit",
             g.name, g.size, inside);
      const std::size_t loads = g.size == 1 ? 0 : plan.cluster.network.links.size();
      rule(g.loads.size() == loads, "group {} loads {} classes of links of {}", g.name,
           g.loads.size(), loads);
      for (const LinkLoad& load : g.loads)
        rule(load.ranks <= g.size && load.groups <= g.groups &&
                 (load.ranks == 0) == (load.groups == 0),
             "{} ranks of {} groups {} load a class of links", load.ranks, load.groups, g.name);
      rule(names.insert(g.name).second, "two groups are called {}", g.name);
    }
  }

  const Plan& plan;
  std::vector<std::string>& broken;
};

} // namespace

void ir::verifyMesh(const Plan& plan, std::vector<std::string>& broken) {
  MeshVerifier(plan, broken).run();
}
