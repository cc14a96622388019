//===- PlaceRanks.cpp - Strides of the axes, and the level that each spans --------------------===//
#include "passes/PlaceRanks.h"
#include "passes/Passes.h"
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace dpl;
using ir::Axis;

namespace {

/// Sets the strides of axes. The innermost axis has stride 1; groups are within stride × size
/// devices.
void place(std::vector<ir::MeshAxis>& axes, const ir::Cluster& cluster) {
  std::uint64_t stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    axis->stride = stride;
    stride *= axis->size;
    axis->spans = axis->size == 1 ? ir::Level::Gpu : cluster.levelOf(stride).level;
  }
}

/// Whether one of the devices first … end − 1 belongs to the pipeline rank. Ranks are successive
/// blocks of `stride` devices, with `ranks` blocks per pipeline.
bool holds(std::uint64_t first, std::uint64_t end, std::uint64_t rank, std::uint64_t stride,
           std::uint64_t ranks) {
  const std::uint64_t block = first / stride, wait = (rank + ranks - block % ranks) % ranks;
  return wait == 0 || (block + wait) * stride < end;
}

/// Devices of a node pool: first … end − 1.
struct PoolDevices {
  std::string name;
  std::uint64_t first, end;
};
std::vector<PoolDevices> poolsOf(const ir::Cluster& cluster) {
  std::vector<PoolDevices> pools;
  std::uint64_t first = 0;
  for (const ir::NodeType& c : cluster.nodeTypes) {
    const std::uint64_t end = first + c.nodes * cluster.gpusPerNode;
    pools.push_back({c.displayName(), first, end});
    first = end;
  }
  return pools;
}

/// The largest number of devices of a pool in one aligned block of `block` devices.
std::uint64_t mostInBlock(const PoolDevices& pool, std::uint64_t block) {
  const std::uint64_t next = (pool.first / block + 1) * block;
  if (pool.end <= next)
    return pool.end - pool.first;
  return std::max(next - pool.first, std::min(pool.end - next, block));
}

/// Checks `within node_pool` and `across node_pool`. A group is within an aligned block of stride ×
/// size devices. The group crosses pools if a pool ends inside its block. Two of its ranks share a
/// pool if the pool has more than `stride` devices of the block.
LogicalResult checkPool(const ir::Plan& plan, const ir::MeshAxis& axis, bool across,
                        DiagnosticEngine& diags) {
  const std::uint64_t block = axis.stride * axis.size;
  if (axis.size == 1)
    return LogicalResult::success();
  for (const PoolDevices& pool : poolsOf(plan.cluster)) {
    const bool crossed = !across && pool.end < plan.cluster.devices() && pool.end % block != 0;
    const bool shared = across && mostInBlock(pool, block) > axis.stride;
    if (!crossed && !shared)
      continue;
    std::string label =
        crossed ? fmt::format("groups lie in blocks of {} devices; the node pool ends after {}",
                              block, pool.end)
                : fmt::format("ranks are {} apart; the node pool has {} devices",
                              plural(axis.stride, "device"), pool.end - pool.first);
    return withCluster(
        diags
            .report<diag::PartNotMet>(
                rangeOf(plan.layout, axis.axis), spelling(axis.axis), across ? "across" : "within",
                crossed ? fmt::format("a group crosses the end of `{}`", pool.name)
                        : fmt::format("several ranks of a group lie in `{}`", pool.name))
            .label(std::move(label))
            .help("ranks go over the nodes in the order of the node pools: the outermost axis runs "
                  "over them"),
        plan);
  }
  return LogicalResult::success();
}

/// Checks `within LEVEL`: every group of the axis is in one unit of the level.
LogicalResult checkWithin(const ir::Plan& plan, const ir::AxisRequest& request,
                          const ir::MeshAxis& axis, DiagnosticEngine& diags) {
  if (request.within == ir::Level::Pool)
    return checkPool(plan, axis, false, diags);
  const std::uint64_t span = axis.stride * axis.size, unit = plan.cluster.devicesIn(request.within);
  if (axis.size == 1 || unit % span == 0)
    return LogicalResult::success();
  std::string derivation = axis.stride == 1 ? plural(span, "device")
                                            : fmt::format("{} ranks × {} devices apart = {}",
                                                          axis.size, axis.stride, span);
  auto d = diags.report<diag::WithinExceeded>(rangeOf(plan.layout, axis.axis), spelling(axis.axis),
                                              span, ir::name(request.within), unit);
  if (span <= unit)
    derivation += fmt::format(", which does not divide {}: some groups cross", unit);
  return withCluster(std::move(d).label(std::move(derivation)), plan);
}

/// Help about the order of axes, which is fixed for experts.
std::string orderHelp(Axis axis) {
  switch (axis) {
  case Axis::ExpertData:
    return "inside `experts` the order is `data`, `expert`, `tensor`, outermost first, however "
           "they "
           "are written: ranks of `data` are `expert` x `tensor` devices apart";
  case Axis::Expert:
    return "inside `experts` the order is `data`, `expert`, `tensor`, outermost first, however "
           "they "
           "are written: ranks of `expert` are `tensor` devices apart";
  case Axis::ExpertTensor:
    return "inside `experts` the order is `data`, `expert`, `tensor`, outermost first, however "
           "they "
           "are written: ranks of `tensor` are neighbours";
  default:
    return "axes are written outermost first; an axis across large units stands before the others";
  }
}

/// Checks `across LEVEL`: no two ranks of a group are in one unit of the level.
LogicalResult checkAcross(const ir::Plan& plan, const ir::AxisRequest& request,
                          const ir::MeshAxis& axis, DiagnosticEngine& diags) {
  if (request.across == ir::Level::Pool)
    return checkPool(plan, axis, true, diags);
  const std::uint64_t unit = plan.cluster.devicesIn(request.across);
  if (axis.size == 1 || axis.stride % unit == 0)
    return LogicalResult::success();
  return withCluster(
      diags
          .report<diag::AcrossNotMet>(rangeOf(plan.layout, axis.axis), spelling(axis.axis),
                                      plural(axis.stride, "device"), ir::name(request.across), unit)
          .label(fmt::format("needed a multiple of {}", unit))
          .help(orderHelp(axis.axis)),
      plan);
}

/// Places the ranks. Relies on: the product of the axes is the number of devices (check-layout).
LogicalResult placeRanks(ir::Plan& plan, DiagnosticEngine& diags) {
  place(plan.mesh.axes, plan.cluster);
  place(plan.mesh.expertAxes, plan.cluster);
  plan.mesh.rankNodeTypes = rankNodeTypes(plan.mesh, plan.cluster);
  bool failed = false;
  // If an axis leaves a unit that `within` requires, `across` on the same level fails for the same
  // reason.
  llvm::SmallVector<ir::Level, 4> left;
  for (const auto* requests : {&plan.layout.mesh.axes, &plan.layout.mesh.experts})
    for (const ir::AxisRequest& request : *requests) {
      const ir::MeshAxis* axis = plan.mesh.find(request.axis);
      if (!axis)
        continue;
      if (request.hasWithin && checkWithin(plan, request, *axis, diags).failed())
        left.push_back(request.within);
    }
  failed = !left.empty();
  for (const auto* requests : {&plan.layout.mesh.axes, &plan.layout.mesh.experts})
    for (const ir::AxisRequest& request : *requests) {
      const ir::MeshAxis* axis = plan.mesh.find(request.axis);
      if (axis && request.hasAcross && !llvm::is_contained(left, request.across))
        failed |= checkAcross(plan, request, *axis, diags).failed();
    }
  // The mesh and the expert grid must have the same pipelines and replicas; otherwise experts of a
  // stage would be on devices of another stage.
  for (const ir::MeshAxis& expert : plan.mesh.expertAxes) {
    if (expert.axis != Axis::Pipeline && expert.axis != Axis::Replica)
      continue;
    const ir::MeshAxis* dense = plan.mesh.find(expert.axis); // the mesh, which find searches first
    if (expert.size == 1 || expert.stride == dense->stride)
      continue;
    failed = true;
    diags
        .report<diag::ExpertPipelineDiffers>(plan.layout.rangeOf("mesh.experts"),
                                             ir::name(expert.axis), expert.stride, dense->stride)
        .help(fmt::format("write `{}` before `data`, outside the axes that experts divide again",
                          ir::name(expert.axis)));
  }
  return failed ? LogicalResult::failure() : LogicalResult::success();
}

class PlaceRanks final : public Pass {
public:
  llvm::StringRef name() const override { return "place-ranks"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    return placeRanks(plan, diags);
  }
};

} // namespace

std::vector<ir::RankNodeTypes> dpl::rankNodeTypes(const ir::Mesh& mesh,
                                                  const ir::Cluster& cluster) {
  const ir::MeshAxis* pipeline = mesh.find(Axis::Pipeline);
  const std::uint64_t ranks = pipeline->size, stride = pipeline->stride;
  std::vector<ir::RankNodeTypes> all;
  if (cluster.nodeTypes.size() == 1) { // the usual case: one node type
    all.push_back({0, ranks, {0}});
    return all;
  }
  std::vector<std::uint64_t> classes;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    classes.clear();
    std::uint64_t first = 0;
    for (std::uint64_t c = 0; c < cluster.nodeTypes.size(); ++c) {
      const std::uint64_t end = first + cluster.nodeTypes[c].nodes * cluster.gpusPerNode;
      if (first < end && holds(first, end, rank, stride, ranks))
        classes.push_back(c);
      first = end;
    }
    if (!all.empty() && all.back().nodeTypes == classes)
      ++all.back().count;
    else
      all.push_back({rank, 1, classes});
  }
  return all;
}

std::unique_ptr<Pass> dpl::createPlaceRanksPass() { return std::make_unique<PlaceRanks>(); }
