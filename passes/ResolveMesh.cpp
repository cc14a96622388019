//===- ResolveMesh.cpp - Computes `rest` and the number of micro-batches ----------------------===//
#include "cost/legality/Legality.h"
#include "ir/DataRanks.h"
#include "ir/FilledFields.h"
#include "passes/Passes.h"
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace dpl;
using ir::Axis;

namespace {

constexpr Axis denseAxes[] = {Axis::Replica, Axis::Pipeline, Axis::Data, Axis::Context,
                              Axis::Tensor};

/// Resolves one plan. Only the front end has processed the plan, so degrees may be 0.
class Resolver {
public:
  Resolver(ir::Plan& plan, DiagnosticEngine& diags)
      : plan(plan), layout(plan.layout), diags(diags) {}

  LogicalResult run() {
    ir::updateFilledFields(plan); // schedule and sharding are known here
    zeros();
    if (failed)
      return LogicalResult::failure();
    Requests axes(layout.mesh.axes.begin(), layout.mesh.axes.end());
    rest(axes, plan.cluster.devices());
    if (failed)
      return LogicalResult::failure();

    ir::Mesh mesh;
    mesh.axes = dense(axes);
    mesh.found = layout.mesh.automatic;
    plan.mesh = std::move(mesh);
    const std::optional<std::uint64_t> devices = product(sizes(plan.mesh.axes));
    plan.mesh.devices = devices.value_or(UINT64_MAX);
    experts();
    if (failed)
      return LogicalResult::failure();
    const std::optional<std::uint64_t> pass =
        product({layout.microBatch, plan.mesh.size(Axis::Replica), plan.mesh.size(Axis::Data)});
    // check-layout reports a remainder, unless unequal shares can distribute it.
    plan.mesh.microBatches =
        pass ? cost::legal::mostMicroBatches(layout.batch, *pass, ir::hasUnequalShares(layout)) : 0;
    return LogicalResult::success();
  }

private:
  using Requests = llvm::SmallVector<ir::AxisRequest, 8>;
  static llvm::SmallVector<std::uint64_t, 8> sizes(const std::vector<ir::MeshAxis>& axes) {
    llvm::SmallVector<std::uint64_t, 8> all;
    for (const ir::MeshAxis& axis : axes)
      all.push_back(axis.size);
    return all;
  }

  void zero(const std::string& path, SourceRange range) {
    failed = true;
    diags.report<diag::FieldIsZero>(range, path);
  }
  /// Reports a value of 0. Builds the message only then, because a search resolves many meshes.
  void zero(std::uint64_t value, const char* path) {
    if (value == 0)
      zero(path, layout.rangeOf(path));
  }
  void zeros() {
    for (const auto* axes : {&layout.mesh.axes, &layout.mesh.experts})
      for (const ir::AxisRequest& request : *axes)
        if (!request.rest && request.size == 0)
          zero(pathOf(request.axis), rangeOf(layout, request.axis));
    zero(layout.batch, "batch");
    zero(layout.microBatch, "micro_batch");
    zero(layout.chunks, "schedule.chunks");
    if (layout.schedule == ir::ScheduleKind::ZeroBubbleAutomatic)
      zero(layout.inFlight, "schedule.in_flight");
    if (layout.group == 0 && layout.ranges.count("schedule.micro_batch_group") != 0)
      zero(layout.group, "schedule.micro_batch_group");
    zero(layout.vocabMultiple, "vocab_multiple");
    if (layout.recompute.kind == ir::RecomputeKind::Full)
      zero(layout.recompute.layers, "recompute.layers");
  }

  /// Replaces the single `rest` of a grid by what the other axes leave of `devices`.
  void rest(Requests& axes, std::uint64_t devices) {
    ir::AxisRequest* open = nullptr;
    llvm::SmallVector<std::uint64_t, 8> others;
    unsigned rests = 0;
    for (ir::AxisRequest& request : axes) {
      if (!request.rest) {
        others.push_back(request.size);
        continue;
      }
      ++rests;
      if (!open)
        open = &request;
    }
    if (rests > 1) {
      failed = true;
      for (auto last = axes.rbegin(); last != axes.rend(); ++last)
        if (last->rest) {
          diags.report<diag::SeveralRests>(rangeOf(layout, last->axis), rests)
              .label("of " + plural(devices, "device"))
              .note<diag::FieldGivenHere>(rangeOf(layout, open->axis), pathOf(open->axis),
                                          "`rest`");
          return;
        }
    }
    if (!open)
      return;
    const std::optional<std::uint64_t> taken = product(others);
    if (cost::legal::rest(devices, taken)) {
      open->size = devices / *taken;
      return;
    }
    failed = true;
    withCluster(diags
                    .report<diag::RestDoesNotDivide>(rangeOf(layout, open->axis),
                                                     spelling(open->axis), devices,
                                                     showProduct(others))
                    .label(taken ? showQuotient(devices, *taken) : showProduct(others)),
                plan);
  }

  /// All five axes in the order of the file, outermost first. Axes of size 1 have no effect, so
  /// axes that the file omits get their place in the default order.
  static std::vector<ir::MeshAxis> dense(const Requests& written) {
    std::vector<ir::MeshAxis> axes;
    axes.reserve(std::max(written.size(), std::size(denseAxes)));
    for (const ir::AxisRequest& request : written)
      if (request.size > 1)
        axes.push_back({request.axis, request.size, 1, ir::Level::Gpu});
    for (const Axis axis : denseAxes) {
      const auto is = [&](const ir::MeshAxis& a) { return a.axis == axis; };
      if (std::any_of(axes.begin(), axes.end(), is))
        continue;
      const auto place = std::find_if(axes.begin(), axes.end(),
                                      [&](const ir::MeshAxis& a) { return a.axis > axis; });
      axes.insert(place, {axis, 1, 1, ir::Level::Gpu});
    }
    return axes;
  }

  /// Makes the expert grid: a second factorisation of the devices of data, context and tensor. Each
  /// expert axis takes the place of the axis whose devices it uses, so that the innermost axis
  /// stays innermost.
  void experts() {
    if (!cost::hasExperts(plan.model))
      return; // a grid that no layer uses is reported by check-layout
    ir::Mesh& mesh = plan.mesh;
    std::uint64_t data = mesh.size(Axis::Data) * mesh.size(Axis::Context), expert = 1;
    std::uint64_t tensor = mesh.size(Axis::Tensor);
    if (layout.mesh.hasExperts) {
      Requests axes(layout.mesh.experts.begin(), layout.mesh.experts.end());
      const std::optional<std::uint64_t> used = product(sizes(mesh.axes));
      const std::optional<std::uint64_t> stage = product({data, tensor});
      // If the mesh does not use all devices, `rest` is undefined and check-layout reports the
      // error.
      if (used == plan.cluster.devices() && stage)
        rest(axes, *stage);
      const auto size = [&](Axis axis) {
        for (const ir::AxisRequest& request : axes)
          if (request.axis == axis)
            return std::max<std::uint64_t>(request.size, 1);
        return std::uint64_t{1};
      };
      data = size(Axis::ExpertData), expert = size(Axis::Expert), tensor = size(Axis::ExpertTensor);
    }
    for (const ir::MeshAxis& axis : mesh.axes) {
      if (axis.axis == Axis::Data)
        mesh.expertAxes.push_back({Axis::ExpertData, data, 1, ir::Level::Gpu});
      else if (axis.axis == Axis::Context)
        mesh.expertAxes.push_back({Axis::Expert, expert, 1, ir::Level::Gpu});
      else if (axis.axis == Axis::Tensor)
        mesh.expertAxes.push_back({Axis::ExpertTensor, tensor, 1, ir::Level::Gpu});
      else
        mesh.expertAxes.push_back(axis);
    }
  }

  ir::Plan& plan;
  const ir::Layout& layout;
  DiagnosticEngine& diags;
  bool failed = false;
};

class ResolveMesh final : public Pass {
public:
  llvm::StringRef name() const override { return "resolve-mesh"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    return Resolver(plan, diags).run();
  }
};

} // namespace

std::unique_ptr<Pass> dpl::createResolveMeshPass() { return std::make_unique<ResolveMesh>(); }
