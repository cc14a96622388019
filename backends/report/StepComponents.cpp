//===- StepComponents.cpp - The components of the step time -----------------------------------===//
#include "backends/report/StepComponents.h"
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "cost/step/Exposure.h"
#include "cost/step/StageWords.h"
#include "figures/LaunchBound.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

/// Rows with a smaller share of the step would show 0.00%. They come from rounding to picoseconds.
constexpr double leastShareOfRows = 5e-5;

/// Axes of exposed communication with at least `least` seconds, in the order of `exposedAxes`.
std::vector<std::pair<const char*, double>> axesOf(const figures::Figures& figures, double least) {
  std::vector<std::pair<const char*, double>> out;
  for (const char* axis : cost::exposedAxes())
    if (const double seconds = figures.value(std::string("time.exposed.") + axis).value_or(0);
        seconds >= least)
      out.emplace_back(axis, seconds);
  return out;
}

/// Whether one axis causes all exposed communication, up to rounding.
bool isAll(double seconds, const figures::Figures& figures) {
  return std::abs(figures.value("time.exposed").value_or(0) - seconds) <
         leastShareOfRows * figures.value("step_time").value_or(0);
}

/// The size of an axis and the level that it spans: "8 ranks within one node". For `data`, the
/// replicas are included.
std::string rangeOf(const ir::Plan& plan, llvm::StringRef axis) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (const ir::MeshAxis& a : plan.mesh.axes)
    if (a.size > 1 && (axis == ir::name(a.axis) || (axis == "data" && a.axis == ir::Axis::Replica)))
      add(fmt::format("{} ranks within one {}", a.size, ir::name(a.spans)));
  if (axis == "data" && plan.placement.directions() > 1)
    add("both replicas of each stage");
  if (axis == "expert")
    add(cost::fieldsOfExpertCommunication(plan));
  return out;
}

/// The reason for exposed communication: "exposed tensor communication: 8 ranks within one node".
/// If there are several axes, each has its share.
std::string exposedReason(const ir::Plan& plan, const figures::Figures& figures) {
  const double step = figures.value("step_time").value_or(0);
  auto axes = axesOf(figures, step * leastShareOfLosses);
  const auto range = [&](const char* axis, const char* before, const char* after) {
    const std::string text = rangeOf(plan, axis);
    return text.empty() ? "" : before + text + after;
  };
  if (axes.size() == 1 && isAll(axes[0].second, figures))
    return fmt::format("exposed {} communication{}", axes[0].first, range(axes[0].first, ": ", ""));
  std::stable_sort(axes.begin(), axes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string list;
  for (const auto& [axis, seconds] : axes)
    list += fmt::format("{}{} {}{}", list.empty() ? ": " : ", ", axis, percent(seconds / step),
                        range(axis, " (", ")"));
  return "exposed communication" + list;
}

/// The reason why kernels run below the peak, without stage imbalance.
std::string kernelReason(const ir::Plan& plan, const figures::Figures& figures) {
  const double ideal = figures.value("time.ideal").value_or(0),
               below = figures.value("time.below_peak.kernels").value_or(0);
  if (ideal == 0)
    return "computation in the times that the layers state, no FLOP";
  // Kernels in more bits have a lower peak, so that the type of the peak is named.
  const ir::DataType type = plan.cluster.device().computesIn(cost::peakType(plan));
  return fmt::format("kernels run at {} of {}peak FLOP/s", percent(ideal / (ideal + below)),
                     ir::bitsOf(type) < 16 ? fmt::format("{} ", ir::name(type)) : "");
}

std::string imbalanceReason(const ir::Plan& plan, const figures::Figures& figures) {
  const double mean = figures.value("time.compute.mean").value_or(0);
  const std::string slow = cost::slowDevicesOf(plan, plan.step->rank);
  return fmt::format(
      "unequal stages: kernels of pipeline rank {}{} take {:.2f} times the mean of all ranks",
      plan.step->rank, slow.empty() ? "" : ", on " + slow + ",",
      figures.value("time.compute").value_or(0) / mean);
}

/// The reason for the bubble. Where the closed form of equal stages explains less than the bubble
/// by a hundredth of the step, the reason has both parts.
std::string bubbleReason(const ir::Plan& plan, const figures::Figures& figures) {
  std::string out = "pipeline bubble (time.bubble): " + cost::stagesAndMicroBatches(plan);
  const double step = figures.value("step_time").value_or(0),
               bubble = figures.value("time.bubble").value_or(0),
               fraction = figures.value("bubble_fraction.equal_stages").value_or(1),
               ranks = figures.value("mesh.pipeline").value_or(1);
  if (fraction >= 1 || ranks < 2)
    return out;
  // A rank computes for the remaining share of the step of equal stages.
  const double equal = figures.value("time.busy").value_or(0) / ranks * fraction / (1 - fraction);
  constexpr double leastUnequal = 0.01;
  if (bubble - equal < leastUnequal * step)
    return out;
  return out + fmt::format("; equal stages would give {}, unequal stages and messages add {}",
                           percent(equal / step), percent((bubble - equal) / step));
}

/// A component of the step: the path of its figure, its label, and the reason for the loss.
struct StepComponent {
  const char* path;
  const char* label;
  std::string (*reason)(const ir::Plan& plan, const figures::Figures& figures);
};

/// The components add up to the step. In `losses`, `lossesOfKernels` stands for the losses in
/// `time.compute`.
constexpr StepComponent components[] = {
    {"time.compute", "kernels", nullptr},
    {"time.launch_bound", "launch-bound",
     [](const ir::Plan& plan, const figures::Figures&) {
       return "launch-bound, devices wait for the host to launch kernels: " +
              fieldsOfLaunches(plan);
     }},
    {"time.recompute", "recomputation",
     [](const ir::Plan& plan, const figures::Figures&) {
       return "recomputation: " + recomputeText(plan);
     }},
    {"time.compression", "encoding of gradients",
     [](const ir::Plan&, const figures::Figures&) {
       return std::string("encoding of compressed gradients");
     }},
    {"time.offload", "waiting for the host",
     [](const ir::Plan&, const figures::Figures&) {
       return std::string("offloaded tensors cross the link to the host");
     }},
    {"time.exposed", "exposed communication", exposedReason},
    {"time.bubble", "pipeline bubble", bubbleReason},
    {"time.optimizer", "optimizer",
     [](const ir::Plan&, const figures::Figures&) { return std::string("optimizer update"); }},
    {"time.jitter", "waiting for the slowest device",
     [](const ir::Plan&, const figures::Figures&) {
       return std::string("waiting for the slowest device (jitter)");
     }},
    {"time.data_loading", "waiting for samples",
     [](const ir::Plan&, const figures::Figures&) {
       return std::string("loading the samples of a step takes longer than the step");
     }},
};
/// The parts of the kernels' losses, which add up to `time.below_peak`.
constexpr StepComponent lossesOfKernels[] = {
    {"time.below_peak.kernels", "kernel inefficiency", kernelReason},
    {"time.below_peak.stage_imbalance", "stage imbalance", imbalanceReason},
};

/// Adds the row of exposed communication. If there is only one axis, the row is named after it;
/// otherwise it has a detail for each axis. If two axes wait at the same time, the details add up
/// to more than the row.
void addExposed(std::vector<StepRow>& rows, const figures::Figures& figures, StepRow row,
                double least) {
  const auto axes = axesOf(figures, least);
  if (axes.size() == 1 && isAll(axes[0].second, figures)) {
    rows.push_back({fmt::format("exposed {} communication", axes[0].first),
                    std::string("time.exposed.") + axes[0].first, axes[0].second});
    return;
  }
  rows.push_back(std::move(row));
  for (const auto& [axis, seconds] : axes)
    rows.push_back({std::string("  ") + axis, std::string("time.exposed.") + axis, seconds, true});
  constexpr const char* together = "time.exposed.interaction";
  if (const double seconds = figures.value(together).value_or(0); seconds >= least)
    rows.push_back({"  interaction of axes", together, seconds, true});
}

/// The axis that explains at least half of a change of exposed communication: " (tensor)".
std::string changedAxis(const figures::Figures& before, const figures::Figures& after,
                        double change) {
  for (const char* axis : cost::exposedAxes()) {
    const std::string path = std::string("time.exposed.") + axis;
    const double ofAxis = after.value(path).value_or(0) - before.value(path).value_or(0);
    if (ofAxis / change >= 0.5)
      return fmt::format(" ({})", axis);
  }
  return "";
}

} // namespace

std::string report::changedLosses(const ir::Plan& before, const ir::Plan& after) {
  const figures::Figures from(before, {}, figures::Depth::Values),
      to(after, {}, figures::Depth::Values);
  struct Change {
    const StepComponent* part;
    double seconds;
  };
  std::vector<Change> changes;
  const double least = leastShareOfLosses * from.value("step_time").value_or(0);
  const auto add = [&](const StepComponent& part) {
    const double change = to.value(part.path).value_or(0) - from.value(part.path).value_or(0);
    if (std::abs(change) >= least)
      changes.push_back({&part, change});
  };
  for (const StepComponent& part : lossesOfKernels)
    add(part);
  for (const StepComponent& part : components)
    if (part.reason)
      add(part);
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::abs(a.seconds) > std::abs(b.seconds);
  });
  constexpr std::size_t most = 3;
  changes.resize(std::min(changes.size(), most));
  std::string out;
  for (const Change& change : changes)
    out += fmt::format("{}{} {} {}{}", out.empty() ? "" : ", ", duration(std::abs(change.seconds)),
                       change.seconds < 0 ? "less" : "more", change.part->label,
                       change.part->path == llvm::StringRef("time.exposed")
                           ? changedAxis(from, to, change.seconds)
                           : "");
  return out;
}

std::string report::fieldsOfLaunches(const ir::Plan& plan) {
  ir::Plan captured = plan;
  captured.layout.graphs = true;
  const std::function<bool(const ir::Plan&)> takes = acceptsOf(plan);
  return cost::fieldsOfLaunches(plan, !takes || takes(captured));
}

std::string report::launchBoundText(const ir::Plan& plan) {
  const std::vector<double> ranks = figures::launchBoundOfRanks(plan);
  const auto most = std::max_element(ranks.begin(), ranks.end());
  const double step = plan.step->step;
  if (most == ranks.end() || *most < step * leastShareOfLosses)
    return "";
  return fmt::format("launch-bound: {} ({}) of the step{}, inside the passes", duration(*most),
                     percent(*most / step),
                     ranks.size() > 1 ? fmt::format(", on rank {}", most - ranks.begin()) : "");
}

std::vector<StepRow> report::stepRows(const figures::Figures& figures) {
  std::vector<StepRow> rows;
  const double least = figures.value("step_time").value_or(0) * leastShareOfRows;
  for (const StepComponent& part : components) {
    StepRow row{part.label, part.path, figures.value(part.path).value_or(0)};
    if (row.seconds < least)
      continue;
    if (row.path == "time.exposed")
      addExposed(rows, figures, std::move(row), least);
    else
      rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<StepLoss> report::losses(const ir::Plan& plan, const figures::Figures& figures) {
  std::vector<StepLoss> out;
  const auto step = figures.value("step_time");
  if (!step || *step <= 0)
    return out;
  const auto add = [&](const StepComponent& part) {
    if (const double seconds = figures.value(part.path).value_or(0);
        seconds >= *step * leastShareOfLosses)
      out.push_back({part.path, part.reason(plan, figures), seconds, seconds / *step});
  };
  for (const StepComponent& part : lossesOfKernels)
    add(part);
  for (const StepComponent& part : components)
    if (part.reason)
      add(part);
  std::stable_sort(out.begin(), out.end(),
                   [](const StepLoss& a, const StepLoss& b) { return a.seconds > b.seconds; });
  return out;
}
