//===- PlaceRanks.cpp - Strides of the axes, and the level each spans -------------------------===//
#include "passes/PlaceRanks.h"
#include "passes/Passes.h"
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace dpl;
using ir::Axis;

namespace {

/// The innermost axis has stride 1; a group of an axis lies in stride × size consecutive devices.
void place(std::vector<ir::MeshAxis>& axes, const ir::Cluster& cluster) {
  std::uint64_t stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    axis->stride = stride;
    stride *= axis->size;
    axis->spans = axis->size == 1 ? ir::Level::Gpu : cluster.levelOf(stride).level;
  }
}

/// Whether one of the consecutive devices first … end − 1 is of the pipeline rank: ranks follow one
/// another in blocks of `stride` devices, `ranks` blocks a pipeline.
bool holds(std::uint64_t first, std::uint64_t end, std::uint64_t rank, std::uint64_t stride,
           std::uint64_t ranks) {
  const std::uint64_t block = first / stride, wait = (rank + ranks - block % ranks) % ranks;
  return wait == 0 || (block + wait) * stride < end;
}

/// `within LEVEL`: every group of the axis lies in one unit of the level.
LogicalResult checkWithin(const ir::Plan& plan, const ir::AxisRequest& request,
                          const ir::MeshAxis& axis, DiagnosticEngine& diags) {
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

/// `across LEVEL`: no two ranks of a group lie in one unit of the level.
LogicalResult checkAcross(const ir::Plan& plan, const ir::AxisRequest& request,
                          const ir::MeshAxis& axis, DiagnosticEngine& diags) {
  const std::uint64_t unit = plan.cluster.devicesIn(request.across);
  if (axis.size == 1 || axis.stride % unit == 0)
    return LogicalResult::success();
  return withCluster(
      diags
          .report<diag::AcrossNotMet>(rangeOf(plan.layout, axis.axis), spelling(axis.axis),
                                      plural(axis.stride, "device"), ir::name(request.across), unit)
          .label(fmt::format("needed a multiple of {}", unit))
          .help("axes are written outermost first; an axis across large units stands "
                "before the others"),
      plan);
}

/// Relies on: the product of the axes is the number of devices (check-layout).
LogicalResult placeRanks(ir::Plan& plan, DiagnosticEngine& diags) {
  place(plan.mesh.axes, plan.cluster);
  place(plan.mesh.expertAxes, plan.cluster);
  plan.mesh.held = heldRanks(plan.mesh, plan.cluster);
  bool failed = false;
  // Where an axis leaves a unit that it should stay in, one across units of the same level fails
  // for the same reason.
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
  // Both grids cut the world into the same pipelines and replicas, or a stage's experts would be on
  // devices of another stage.
  for (const ir::MeshAxis& expert : plan.mesh.expertAxes) {
    if (expert.axis != Axis::Pipeline && expert.axis != Axis::Replica)
      continue;
    const ir::MeshAxis* dense = plan.mesh.find(expert.axis); // the mesh comes first
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

std::vector<ir::HeldRanks> dpl::heldRanks(const ir::Mesh& mesh, const ir::Cluster& cluster) {
  const ir::MeshAxis* pipeline = mesh.find(Axis::Pipeline);
  const std::uint64_t ranks = pipeline->size, stride = pipeline->stride;
  std::vector<ir::HeldRanks> all;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::uint64_t> classes;
    std::uint64_t first = 0;
    for (std::uint64_t c = 0; c < cluster.classes.size(); ++c) {
      const std::uint64_t end = first + cluster.classes[c].nodes * cluster.gpusPerNode;
      if (first < end && holds(first, end, rank, stride, ranks))
        classes.push_back(c);
      first = end;
    }
    if (!all.empty() && all.back().classes == classes)
      ++all.back().count;
    else
      all.push_back({rank, 1, std::move(classes)});
  }
  return all;
}

std::unique_ptr<Pass> dpl::createPlaceRanksPass() { return std::make_unique<PlaceRanks>(); }
