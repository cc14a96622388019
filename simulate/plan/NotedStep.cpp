//===- NotedStep.cpp - Records one step again, and finds the slowest rank ---------------------===//
#include "simulate/plan/NotedStep.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// The first device that a simulated rank represents. If one simulated rank
/// represents all data ranks (a folded rank), it is the device of the first
/// data rank.
std::uint32_t deviceOf(const StepShape& shape, std::uint32_t unit) {
  const std::vector<std::uint32_t> devices = shape.devicesOf(unit);
  const ir::MeshAxis* axis = shape.plan.mesh.find(ir::Axis::Pipeline);
  const auto stride = static_cast<std::uint32_t>(axis ? axis->stride : 1);
  return devices.empty() ? shape.pipelineRankOf(unit) * stride : devices.front();
}

StepPath pathOf(const StepShape& shape, const StepRun& run, const StepWaits& waits) {
  StepPath path;
  const StepRun::StepEnd end = run.end();
  path.parts = criticalPath(waits, end.rank, end.begin, end.time);
  if (end.samples > 0) {
    for (PathPart& part : path.parts)
      part.from += end.samples, part.to += end.samples;
    path.parts.insert(path.parts.begin(), {end.rank, false, WaitFor::Samples, 0, end.samples});
  }
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit) {
    path.pipelineRank.push_back(shape.pipelineRankOf(unit));
    path.device.push_back(deviceOf(shape, unit));
  }
  return path;
}

/// The activities of each rank. The waits of a rank are freed when its activities are known.
StepTimeline timelinesOf(const StepShape& shape, const StepRun& run, StepWaits& waits) {
  StepTimeline out;
  const std::optional<std::uint32_t> slowest = slowestSimulatedRank(shape, run);
  std::uint64_t end = 0;
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    end = std::max(end, run.through(unit));
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    out.ranks.push_back({shape.pipelineRankOf(unit), deviceOf(shape, unit), slowest == unit,
                         timelineOf(waits.release(unit), run.through(unit), end)});
  out.time = end;
  return out;
}
} // namespace

std::uint64_t dpl::simulation::nearestToMean(const std::vector<std::uint64_t>& steps) {
  const double mean = simulate::Sample({steps.begin(), steps.end()}).mean();
  const auto off = [&](std::uint64_t step) { return std::abs(static_cast<double>(step) - mean); };
  const auto found =
      std::min_element(steps.begin(), steps.end(),
                       [&](std::uint64_t a, std::uint64_t b) { return off(a) < off(b); });
  return static_cast<std::uint64_t>(found - steps.begin());
}

void dpl::simulation::noteStep(const SimulationRequest& request, const StepShape& shape,
                               StepRun& run, std::uint64_t step,
                               llvm::function_ref<std::uint64_t()> again,
                               SimulationResult& result) {
  if (!request.path && !request.timeline)
    return;
  StepWaits waits(shape.simulatedRanks());
  run.note(&waits);
  const std::uint64_t time = again();
  run.note(nullptr);
  const bool drawn = result.apart > 0;
  if (request.path) {
    result.path = pathOf(shape, run, waits);
    result.path->step = step, result.path->time = time, result.path->drawn = drawn;
  }
  if (request.timeline) {
    result.timeline = timelinesOf(shape, run, waits);
    result.timeline->step = step, result.timeline->drawn = drawn;
  }
}

std::optional<std::uint32_t> dpl::simulation::slowestSimulatedRank(const StepShape& shape,
                                                                   const StepRun& run) {
  std::vector<double> mean(shape.plan.placement.ranks), over;
  const auto computed = [&](std::uint32_t unit) {
    return static_cast<double>(run.times()[unit].compute);
  };
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    mean[shape.pipelineRankOf(unit)] += computed(unit) / shape.replicas;
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    over.push_back(computed(unit) / std::max(1.0, mean[shape.pipelineRankOf(unit)]));
  return longestOf(over);
}

std::optional<Slowest>
dpl::simulation::slowestOf(const StepShape& shape,
                           llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps) {
  const std::optional<MostFrequent> often = mostOften(shape.simulatedRanks(), ofSteps);
  if (!often)
    return std::nullopt;
  return Slowest{shape.pipelineRankOf(often->index), deviceOf(shape, often->index), often->share};
}
