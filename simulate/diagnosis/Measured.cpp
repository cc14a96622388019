//===- Measured.cpp - Simulated steps of a plan, of all ranks or of workers -------------------===//
#include "simulate/diagnosis/Measured.h"
#include <cmath>

using namespace dpl;
using namespace dpl::diagnosis;
using simulate::WorkerSynchronization;

namespace {
simulation::WorkersRequest ofWorkers(const ir::Plan& plan,
                                     const simulation::SimulationRequest& request) {
  return {simulation::synchronizationOf(plan), request.steps, request.seed};
}

std::vector<double> meansOf(const std::vector<double>& parts, std::size_t count) {
  const std::size_t each = parts.size() / count;
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count * each; ++i)
    out[i / each] += parts[i] / static_cast<double>(each);
  return out;
}

/// The differences of paired step times, or of paired means over rounds if only one side has
/// rounds. None if the numbers of samples do not match.
std::optional<std::vector<double>> differences(const MeasuredSteps& now,
                                               const MeasuredSteps& with) {
  std::vector<double> a = now.samples(), b = with.samples();
  if (a.size() == 1)
    a.resize(b.size(), a.front());
  if (b.size() == 1)
    b.resize(a.size(), b.front());
  const std::size_t count = std::min(a.size(), b.size());
  if (!now.aligned() || !with.aligned() || std::max(a.size(), b.size()) % count != 0)
    return std::nullopt;
  a = meansOf(a, count), b = meansOf(b, count);
  for (std::size_t i = 0; i < count; ++i)
    a[i] -= b[i];
  return a;
}
} // namespace

double MeasuredSteps::mean() const { return workers ? workers->time.step : ranks->sample().mean(); }

std::vector<double> MeasuredSteps::samples() const {
  return workers ? workers->time.parts
                 : std::vector<double>(ranks->steps.begin(), ranks->steps.end());
}

bool MeasuredSteps::aligned() const {
  return !workers || (workers->workers.synchronization != WorkerSynchronization::Bounded &&
                      workers->workers.synchronization != WorkerSynchronization::Never);
}

std::optional<double> MeasuredSteps::halfWidth() const {
  return workers ? workers->halfWidth() : ranks->halfWidth();
}

std::optional<double> MeasuredSteps::halfWidthOf(const std::vector<double>& ofEach) const {
  if (!workers)
    return ranks->halfWidthOf(ofEach);
  if (workers->workers.apart == 0)
    return 0;
  return workers->settles
             ? simulate::Sample(simulate::batchMeans(ofEach, workers->workers.apart)).halfWidth()
             : std::nullopt;
}

std::string diagnosis::whyNotMeasured(const ir::Plan& plan,
                                      const simulation::SimulationRequest& request, bool byWorkers,
                                      std::uint64_t times) {
  return byWorkers ? simulation::whyNotSimulated(plan, ofWorkers(plan, request))
                   : simulation::whyNotSimulated(plan, request, times);
}

MeasuredSteps diagnosis::measured(const ir::Plan& plan,
                                  const simulation::SimulationRequest& request, bool byWorkers) {
  MeasuredSteps out;
  if (byWorkers)
    out.workers = simulation::runWorkers(plan, ofWorkers(plan, request));
  else
    out.ranks = simulation::runSteps(plan, request);
  return out;
}

StepComparison diagnosis::compare(const MeasuredSteps& now, const MeasuredSteps& with) {
  const double step = now.mean();
  StepComparison out{with.mean(), 1 - with.mean() / step, {}};
  if (const auto of = differences(now, with)) {
    const simulate::Sample saved(*of);
    out.saved = saved.mean() / step;
    if (saved.alike()) // the difference does not depend on the draws
      out.halfWidth = 0;
    else if (const std::optional<double> halfWidth = now.halfWidthOf(*of))
      out.halfWidth = *halfWidth / step;
  } else if (const auto a = now.halfWidth(), b = with.halfWidth(); a && b) {
    out.halfWidth = std::hypot(*a, *b) / step; // half-width for independent samples
  }
  return out;
}
