//===- Measures.cpp - Figures of a plan, and what is drawn of its steps and runs --------------===//
#include "driver/study/Measures.h"
#include "simulate/plan/WorkersSimulation.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::study;

namespace {
/// What the study says at a point of how it is drawn, which it may vary itself.
ir::Space spaceAt(const ir::Plan& plan, ir::Space space) {
  for (const ir::Space& at : plan.spaces)
    if (at.kind == ir::SpaceKind::Study && at.name == space.name)
      space.level = at.level, space.seeds = at.seeds, space.steps = at.steps,
      space.draws = at.draws, space.until = at.until;
  return space;
}

double shareAbove(const std::vector<double>& values, double threshold) {
  const auto above = llvm::count_if(values, [&](double value) { return value > threshold; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}
} // namespace

Measures::Measures(const ir::Plan& plan, const ir::Space& study, unsigned threads)
    : plan(plan), space(spaceAt(plan, study)), threads(threads),
      figures(plan, {}, figures::Depth::Values), variation(figures) {}

std::optional<ir::ResultValue> Measures::result(const std::string& path) {
  const std::optional<ir::DrawnFigure> asked = ir::drawnFigureNamed(path);
  if (!asked)
    return figures.result(path);
  if (asked->kind == ir::DrawnFigure::DrawnFigureKind::OfSteps) {
    const WorkerFigures* of = ofWorkers();
    const std::optional<double> value = of ? of->value(path) : std::nullopt;
    return value ? std::optional(ir::ResultValue{*value, ir::dimensionOfDrawn(path)})
                 : std::nullopt;
  }
  if (asked->kind == ir::DrawnFigure::DrawnFigureKind::Interval) {
    auto of = intervals.find(asked->run);
    if (of == intervals.end())
      of = intervals.emplace(asked->run, drawBestInterval(plan, asked->run, space, threads)).first;
    return of->second ? std::optional(ir::ResultValue{*of->second, ir::dimensionOfDrawn(path)})
                      : std::nullopt;
  }
  if (asked->run.empty())
    return statistic(*asked, ofSteps(), "step_time", 1e-12);
  auto of = drawnRuns.find(asked->run);
  if (of == drawnRuns.end())
    of = drawnRuns.emplace(asked->run, drawRuns(plan, asked->run, space, threads)).first;
  return statistic(*asked, of->second, fmt::format("run[{}].time", asked->run), 1);
}

std::string Measures::refused() const {
  for (const std::optional<DrawnTimes>* of : {&simulated, &workers})
    if (*of && !(*of)->refused.empty())
      return (*of)->refused;
  for (const auto& [name, run] : drawnRuns)
    if (!run.refused.empty())
      return run.refused;
  return "";
}

bool Measures::farOff() const {
  return space.until > 0 && ((steps() && !steps()->within(space.until)) ||
                             llvm::any_of(drawnRuns, [&](const auto& run) {
                               return !run.second.within(space.until);
                             }));
}

const DrawnTimes& Measures::ofSteps() {
  if (!simulated)
    simulated = drawSteps(plan, space, threads);
  return *simulated;
}

/// Null where data ranks are no single devices, so that these figures do not exist.
const WorkerFigures* Measures::ofWorkers() {
  if (simulation::stepsByWorkers(plan))
    return ofSteps().refused.empty() ? &simulated->workers : nullptr;
  if (!simulation::whyNotSimulated(plan, {simulation::synchronizationOf(plan), space.steps, 1})
           .empty())
    return nullptr;
  if (!workers)
    workers = drawWorkers(plan, space);
  return &workers->workers;
}

/// A figure of the plan when what it is made of, a step or a run, takes `now`.
double Measures::valueWith(const figures::Figure& of, const figures::Figure& whole, double now) {
  // Work over time, which the formula has the other way round.
  if (llvm::StringRef(of.path).endswith("].goodput"))
    return of.value * whole.value / now;
  return variation.evaluate(of, whole, now / whole.value);
}

std::optional<ir::ResultValue> Measures::statistic(const ir::DrawnFigure& asked,
                                                   const DrawnTimes& of, const std::string& whole,
                                                   double unit) {
  const figures::Figure *figure = figures.find(asked.figure), *time = figures.find(whole);
  if (!figure || !time || !of.refused.empty())
    return std::nullopt;
  std::vector<double> values;
  for (const double each : of.times)
    values.push_back(valueWith(*figure, *time, each * unit));
  if (asked.kind == ir::DrawnFigure::DrawnFigureKind::Above)
    return ir::ResultValue{shareAbove(values, asked.number), {}};
  const simulate::Sample sample(std::move(values));
  return ir::ResultValue{asked.kind == ir::DrawnFigure::DrawnFigureKind::Mean
                             ? sample.mean()
                             : sample.quantile(asked.number),
                         figure->dimension};
}
