//===- Losses.cpp - Why the step takes longer than its arithmetic at peak ---------------------===//
#include "backends/report/Losses.h"
#include "backends/report/Format.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

std::string bubbleReason(const ir::Plan& plan) {
  std::string out = fmt::format("pipeline bubble: {} stages", plan.mesh.size(ir::Axis::Pipeline));
  if (plan.layout.chunks > 1)
    out += fmt::format(" x {} chunks", plan.layout.chunks);
  return out + fmt::format(", {} micro-batches", plan.mesh.microBatches);
}

/// `tensor` of `time.exposed.tensor`, with the size of the axis and the level it spans.
std::string exposedReason(const ir::Plan& plan, const std::string& axis) {
  std::string out = axis + " communication with nothing beside it";
  for (const ir::MeshAxis& a : plan.mesh.axes)
    if (axis == ir::name(a.axis))
      out += fmt::format(": {} ranks within one {}", a.size, ir::name(a.spans));
  return out;
}

} // namespace

std::vector<Loss> report::losses(const ir::Plan& plan) {
  std::vector<Loss> out;
  const auto step = figure(plan, "step_time"), ideal = figure(plan, "time.ideal");
  if (!step || !ideal || *step <= 0)
    return out;
  auto add = [&](const std::string& path, std::string reason, double seconds) {
    if (seconds >= *step / 1000)
      out.push_back({path, std::move(reason), seconds, seconds / *step});
  };
  for (const ir::Quantity& q : plan.results.quantities) {
    const llvm::StringRef path = q.path;
    if (path == "time.compute" && q.value > 0)
      add(q.path, fmt::format("kernels and stages reach {} of peak", percent(*ideal / q.value)),
          q.value - *ideal);
    else if (path == "time.recompute")
      add(q.path, "recomputation: " + recomputeText(plan), q.value);
    else if (path == "time.bubble")
      add(q.path, bubbleReason(plan), q.value);
    else if (path.startswith("time.exposed."))
      add(q.path, exposedReason(plan, path.drop_front(13).str()), q.value);
    else if (path == "time.jitter")
      add(q.path, "waiting for the slowest device (jitter)", q.value);
    else if (path == "time.optimizer")
      add(q.path, "optimizer update", q.value);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Loss& a, const Loss& b) { return a.seconds > b.seconds; });
  return out;
}
