//===- Measures.cpp - Figures of a plan, and drawn values of its steps and runs ---------------===//
#include "driver/study/Measures.h"
#include "ir/Names.h"
#include "simulate/plan/WorkersSimulation.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::study;

namespace {
/// The space of the study with the sampling settings of one point, because a study can vary its own
/// seeds and steps.
ir::Space spaceAt(const ir::Plan& plan, ir::Space space) {
  for (const ir::Space& at : plan.spaces)
    if (at.kind == ir::SpaceKind::Study && at.name == space.name)
      space.level = at.level, space.seeds = at.seeds, space.steps = at.steps,
      space.draws = at.draws, space.until = at.until;
  return space;
}

/// The run in a path: "train" for "run[train].time". Empty for other paths.
std::string runNamed(llvm::StringRef path) {
  return path.consume_front("run[") ? path.split("].").first.str() : "";
}

double valueOf(const ir::Statistic& statistic, const simulate::Sample& sample) {
  switch (statistic.kind) {
  case ir::Statistic::StatisticKind::Mean:
    return sample.mean();
  case ir::Statistic::StatisticKind::Deviation:
    return sample.deviation();
  case ir::Statistic::StatisticKind::Quantile:
    break;
  }
  return sample.quantile(statistic.quantile);
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
  if (!asked) {
    Convergence* descent = convergenceOf(runNamed(path));
    return descent ? withSteps(path, *descent, 0) : figures.result(path);
  }
  if (Convergence* descent = convergenceOf(asked->run))
    return ofProblem(*asked, *descent);
  if (asked->kind == ir::DrawnFigure::DrawnFigureKind::OfProblem)
    return ofNumbers(*asked);
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

std::string Measures::whyMissing(const std::string& path) const {
  for (const ir::Run& run : plan.runs)
    if (const ir::Numbers* numbers = run.name == runNamed(path) ? run.numbers() : nullptr;
        numbers && !numbers->magnitudes.empty() &&
        (llvm::StringRef(path).endswith(".sum") || llvm::StringRef(path).endswith(".ulps")))
      return fmt::format("`{}` has no value: a partial sum is above the largest number of `{}`",
                         path, ir::name(numbers->format));
  const auto found = descents.find(runNamed(path));
  const std::string why =
      found != descents.end() && found->second ? found->second->whyNotReached() : "";
  return why.empty() ? fmt::format("there is no `{}`", path) : why;
}

Convergence* Measures::convergenceOf(const std::string& run) {
  if (run.empty())
    return nullptr;
  auto found = descents.find(run);
  if (found == descents.end()) {
    std::unique_ptr<Convergence> made;
    for (const ir::Run& each : plan.runs)
      if (each.name == run && each.problem())
        made = std::make_unique<Convergence>(plan, each, space.seeds);
    found = descents.emplace(run, std::move(made)).first;
  }
  return found->second.get();
}

std::optional<ir::ResultValue> Measures::ofNumbers(const ir::DrawnFigure& asked) const {
  for (const ir::Run& run : plan.runs)
    if (const ir::Numbers* numbers = run.name == asked.run ? run.numbers() : nullptr)
      if (const std::optional<double> value = numberFigure(*numbers, asked.figure);
          value && !std::isnan(*value))
        return ir::ResultValue{*value, {}};
  return std::nullopt;
}

/// A figure of the run, with the number of steps that one seed needed.
std::optional<ir::ResultValue> Measures::withSteps(const std::string& figure, Convergence& of,
                                                   std::size_t seed) {
  const std::optional<ir::Plan> known = of.withSteps(seed);
  return known ? figures::Figures(*known).result(figure) : std::nullopt;
}

/// A value for a run with a problem: that of the first seed, or a statistic over all seeds. Each
/// seed gives one value. (Runs without a problem are drawn with failures.) Empty if a seed has no
/// value.
std::optional<ir::ResultValue> Measures::ofProblem(const ir::DrawnFigure& asked, Convergence& of) {
  using Kind = ir::DrawnFigure::DrawnFigureKind;
  const bool descent = asked.kind == Kind::OfProblem;
  if (asked.kind == Kind::Interval)
    return std::nullopt;
  ir::ResultValue out;
  std::vector<double> values;
  for (std::size_t seed = 0; seed < of.seeds(); ++seed) {
    const auto value = descent ? of.value(asked.figure, seed) : std::nullopt;
    const auto figure = descent ? std::nullopt : withSteps(asked.figure, of, seed);
    if (!value && !figure)
      return std::nullopt;
    if (descent && !asked.statistic)
      return ir::ResultValue{*value, {}};
    values.push_back(value ? *value : figure->value);
    out.dimension = figure ? figure->dimension : Dimension{};
  }
  if (asked.kind == Kind::Above)
    return ir::ResultValue{shareAbove(values, asked.number), {}};
  out.value = valueOf(*asked.statistic, simulate::Sample(std::move(values)));
  return out;
}

std::string Measures::refused() const {
  for (const std::optional<DrawnTimes>* of : {&simulated, &workers})
    if (*of && !(*of)->refused.empty())
      return (*of)->refused;
  for (const auto& [name, run] : drawnRuns)
    if (!run.refused.empty())
      return run.refused;
  for (const auto& [name, descent] : descents)
    if (descent && !descent->refused().empty())
      return descent->refused();
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

/// Figures of data ranks. Null if a data rank has more than one device, because these figures then
/// do not exist.
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

/// A figure of the plan, computed for the case that the figure `whole`, the time of the step or
/// run, has the value `now`.
double Measures::valueWith(const figures::Figure& of, const figures::Figure& whole, double now) {
  // Goodput is work divided by time. The formulas compute it the other way round, so the general
  // case does not apply.
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
  return ir::ResultValue{valueOf(*asked.statistic, simulate::Sample(std::move(values))),
                         figure->dimension};
}
