//===- StepComponents.cpp - The parts of a step, and why it takes longer than its arithmetic
//---===//
#include "backends/report/StepComponents.h"
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "cost/step/StageWords.h"
#include "cost/step/StepTimes.h"
#include "figures/LaunchBound.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

std::string bubbleReason(const ir::Plan& plan, const StepComponent&) {
  return "pipeline bubble: " + cost::stagesAndMicroBatches(plan);
}

/// With the sizes of the axes, of `data` its replicas' too, and the levels they span.
std::string exposedReason(const ir::Plan& plan, const StepComponent& part) {
  std::string out = fmt::format("{} communication with nothing beside it", part.axis);
  const llvm::StringRef named = part.axis;
  const char* separator = ": ";
  for (const ir::MeshAxis& a : plan.mesh.axes)
    if (a.size > 1 &&
        (named == ir::name(a.axis) || (named == "data" && a.axis == ir::Axis::Replica))) {
      out += fmt::format("{}{} ranks within one {}", separator, a.size, ir::name(a.spans));
      separator = ", ";
    }
  if (named == "data" && plan.placement.directions() > 1)
    out += separator + std::string("both copies of each stage");
  if (named == "expert")
    out += separator + cost::fieldsOfExpertCommunication(plan);
  return out;
}

/// The reason for launch-bound time, with the fields that decide it.
std::string launchReason(const ir::Plan& plan, const StepComponent&) {
  return "launch-bound, devices wait for the host to launch kernels: " + fieldsOfLaunches(plan);
}

} // namespace

std::string report::fieldsOfLaunches(const ir::Plan& plan) {
  ir::Plan captured = plan;
  captured.layout.graphs = true;
  const std::function<bool(const ir::Plan&)> takes = acceptsOf(plan);
  return cost::fieldsOfLaunches(plan, !takes || takes(captured));
}

std::string report::launchBoundText(const ir::Plan& plan) {
  const std::vector<double> ranks = figures::launchBoundOfRanks(plan);
  const auto most = std::max_element(ranks.begin(), ranks.end());
  const double step = cost::stepTimes(plan).step;
  if (most == ranks.end() || *most < step * leastShareOfLaunches)
    return "";
  return fmt::format("launch-bound: {} ({}) of the step{}, inside the passes", duration(*most),
                     percent(*most / step),
                     ranks.size() > 1 ? fmt::format(", on rank {}", most - ranks.begin()) : "");
}

llvm::ArrayRef<StepComponent> report::stepComponents() {
  static constexpr StepComponent parts[] = {
      {"time.compute", "kernels", "", nullptr},
      {"time.launch_bound", "launch-bound", "", launchReason},
      {"time.recompute", "recomputation", "",
       [](const ir::Plan& plan, const StepComponent&) {
         return "recomputation: " + recomputeText(plan);
       }},
      {"time.compression", "coding of gradients", "",
       [](const ir::Plan&, const StepComponent&) {
         return std::string("coding of compressed gradients");
       }},
      {"time.offload", "waiting for the host", "",
       [](const ir::Plan&, const StepComponent&) {
         return std::string("what is offloaded crosses the host's link");
       }},
      {"time.exposed.tensor", "tensor communication, exposed", "tensor", exposedReason},
      {"time.exposed.context", "context communication, exposed", "context", exposedReason},
      {"time.exposed.expert", "expert communication, exposed", "expert", exposedReason},
      {"time.exposed.pipeline", "pipeline communication, exposed", "pipeline", exposedReason},
      {"time.exposed.data", "data communication, exposed", "data", exposedReason},
      {"time.exposed.interaction", "several axes at once, exposed", "",
       [](const ir::Plan&, const StepComponent&) {
         return std::string("communication of several axes at once");
       }},
      {"time.bubble", "pipeline bubble", "", bubbleReason},
      {"time.optimizer", "optimizer", "",
       [](const ir::Plan&, const StepComponent&) { return std::string("optimizer update"); }},
      {"time.jitter", "waiting for the slowest device", "",
       [](const ir::Plan&, const StepComponent&) {
         return std::string("waiting for the slowest device (jitter)");
       }},
      {"time.data_loading", "waiting for samples", "",
       [](const ir::Plan&, const StepComponent&) {
         return std::string("samples of a step take longer than it");
       }},
  };
  return parts;
}

std::vector<StepLoss> report::losses(const ir::Plan& plan, const figures::Figures& figures) {
  std::vector<StepLoss> out;
  const auto step = figures.value("step_time"), ideal = figures.value("time.ideal");
  if (!step || !ideal || *step <= 0)
    return out;
  for (const StepComponent& part : stepComponents()) {
    // Of the arithmetic only what it takes longer than at peak.
    const char* path = part.reason ? part.path : "time.below_peak";
    const double seconds = figures.value(path).value_or(0);
    if (seconds < *step / 1000)
      continue;
    const std::string reason = part.reason ? part.reason(plan, part)
                               : *ideal == 0
                                   ? "computation in the times that the layers state, no FLOP"
                                   : fmt::format("kernels and stages reach {} of peak",
                                                 percent(*ideal / (*ideal + seconds)));
    out.push_back({path, reason, seconds, seconds / *step});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const StepLoss& a, const StepLoss& b) { return a.seconds > b.seconds; });
  return out;
}
