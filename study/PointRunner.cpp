//===- PointRunner.cpp - What the compiler and the simulator say of one point of a study ------===//
#include "study/PointRunner.h"
#include "backends/Target.h"
#include "backends/simulate/Noise.h"
#include "backends/simulate/Simulation.h"
#include "backends/simulate/WorkersSimulation.h"
#include "figures/Variation.h"
#include "ir/Names.h"
#include "ir/StepStatistics.h"
#include "ir/Uplinks.h"
#include "study/Candidate.h"
#include "support/diagnostics/Cost.h"
#include <cmath>
using namespace dpl;
using namespace dpl::study;

namespace {
/// A workspace keeps the texts of all that it compiled.
constexpr unsigned mostOfOneWorkspace = 64;
/// Parts of which the spread is known well enough to stop by it: of ten the half width itself is
/// within a quarter, of two it is as good as any number.
constexpr std::size_t leastOfParts = 10;

template <class Is> std::vector<ir::Plan*> plansThat(CompiledFile& file, Is is) {
  std::vector<ir::Plan*> out;
  for (std::vector<ir::Plan>* plans : {&file.plans, &file.launched})
    for (ir::Plan& plan : *plans)
      if (is(plan))
        out.push_back(&plan);
  return out;
}

/// What simulated steps say.
struct Simulated {
  std::string refused;       ///< why not
  std::vector<double> times; ///< ps of each step, or of a step in several that are told as one
  /// Means of these that hardly depend on one another: those of one seed, then those of the next.
  std::vector<double> batches;
  std::uint64_t steps = 0; ///< how many
  bool drawn = false;      ///< something varies from seed to seed
  bool settles = true;     ///< the mean, with more of them
  bool byWorkers = false;

  /// Of the mean over it; nothing where too few tell.
  std::optional<double> halfWidth() const {
    const simulate::Sample sample(batches);
    const std::optional<double> of = !drawn ? 0 : settles ? sample.halfWidth() : std::nullopt;
    return of ? std::optional(*of / sample.mean()) : std::nullopt;
  }
  bool within(double until) const {
    const std::optional<double> of = halfWidth();
    return of && *of <= until;
  }
  void add(std::vector<double> more, const std::vector<double>& batchesOfThese) {
    times.insert(times.end(), more.begin(), more.end());
    batches.insert(batches.end(), batchesOfThese.begin(), batchesOfThese.end());
  }
};

/// Adds the steps of a seed of data ranks that step as the layout says.
void addWorkers(const ir::Plan& plan, const simulation::WorkersRequest& request, Simulated& out) {
  out.refused = simulation::whyNotSimulated(plan, request);
  if (!out.refused.empty())
    return;
  const simulation::WorkersResult result = simulation::runWorkers(plan, request);
  out.add(result.time.parts, result.time.batches);
  out.steps += request.steps;
  out.drawn = result.workers.apart > 0;
}

void addSteps(const ir::Plan& plan, const simulation::Request& request, Simulated& out) {
  out.refused = simulation::whyNotSimulated(plan, request);
  if (!out.refused.empty())
    return;
  const simulation::Result result = simulation::runSteps(plan, request);
  const std::vector<double> times(result.steps.begin(), result.steps.end());
  // Steps of a seed have their ways in common.
  const bool hashed = request.messages && ir::hashesFlows(plan.cluster);
  out.add(times, hashed ? std::vector<double>{result.sample().mean()}
                        : simulate::batchMeans(times, result.apart));
  out.steps += times.size();
  out.drawn = hashed || result.apart > 0;
}

/// Seed after seed, until the mean is known as well as the study wants.
Simulated simulate(const ir::Plan& plan, const ir::Space& space, unsigned threads) {
  simulation::Request request;
  request.detail = space.level == ir::SimulationLevel::Operation ? simulation::Detail::Operation
                                                                 : simulation::Detail::Collective;
  request.messages = space.level == ir::SimulationLevel::Message;
  request.links = false;
  request.steps = space.steps, request.threads = threads;
  Simulated out;
  out.byWorkers = simulation::stepsByWorkers(plan);
  out.settles = simulation::meanSettles(plan);
  if (space.until > 0 && !out.settles) {
    out.refused = "the mean of its steps does not settle, as a `pareto` of shape at most 2 has no "
                  "finite variance, and `until` asks how near it is";
    return out;
  }
  if (out.byWorkers && space.level != ir::SimulationLevel::Operation) {
    out.refused = fmt::format("data ranks of `{}` step in a way of their own, which has no "
                              "`level`, found `{}`",
                              plan.layout.name, ir::name(space.level));
    return out;
  }
  for (const std::uint64_t seed : space.seeds) {
    if (out.byWorkers)
      addWorkers(plan, {simulation::synchronyOf(plan), space.steps, seed}, out);
    else
      request.seed = seed, addSteps(plan, request, out);
    if (!out.refused.empty() || !out.drawn)
      break;
    if (space.until > 0 && out.batches.size() >= leastOfParts && out.within(space.until))
      break;
  }
  return out;
}

/// What the study says at a point of how steps are simulated, which it may vary itself.
ir::Space spaceAt(const ir::Plan& plan, ir::Space space) {
  for (const ir::Space& at : plan.spaces)
    if (at.kind == ir::SpaceKind::Study && at.name == space.name)
      space.level = at.level, space.seeds = at.seeds, space.steps = at.steps,
      space.until = at.until;
  return space;
}

/// Figures of a plan, and of the plan when its step took as long as simulated ones.
class Measures {
public:
  Measures(const ir::Plan& plan, const ir::Space& study, unsigned threads)
      : plan(plan), space(spaceAt(plan, study)), threads(threads), figures(plan),
        variation(figures) {}

  std::optional<ir::ResultValue> result(const std::string& path) {
    const std::optional<ir::StepStatistic> asked = ir::stepStatisticNamed(path);
    if (!asked)
      return figures.result(path);
    const figures::Figure *of = figures.find(asked->figure), *step = figures.find("step_time");
    if (!of || !step || !ofSteps().refused.empty())
      return std::nullopt;
    std::vector<double> values;
    for (const double ps : ofSteps().times)
      values.push_back(variation.evaluate(*of, *step, ps * 1e-12 / step->value));
    const simulate::Sample sample(std::move(values));
    const std::optional<double> quantile = asked->statistic->quantile;
    return ir::ResultValue{quantile ? sample.quantile(*quantile) : sample.mean(), of->dimension};
  }
  /// Nothing where no step was asked for.
  const std::optional<Simulated>& steps() const { return simulated; }
  double until() const { return space.until; }

private:
  const Simulated& ofSteps() {
    if (!simulated)
      simulated = simulate(plan, space, threads);
    return *simulated;
  }
  const ir::Plan& plan;
  const ir::Space space;
  unsigned threads;
  figures::Figures figures;
  figures::Variation variation;
  std::optional<Simulated> simulated;
};

std::string whyUnknown(const ir::Verdict& verdict) {
  return verdict.error.empty() ? fmt::format("there is no `{}`", verdict.missing) : verdict.error;
}
} // namespace

std::vector<ir::Plan*> study::plansOfStudy(CompiledFile& file, llvm::StringRef study) {
  return plansThat(file, [&](const ir::Plan& plan) {
    return llvm::any_of(plan.spaces, [&](const ir::Space& space) {
      return space.kind == ir::SpaceKind::Study && space.name == study;
    });
  });
}

ir::Plan* study::planOfLayout(CompiledFile& file, llvm::StringRef layout) {
  const std::vector<ir::Plan*> plans =
      plansThat(file, [&](const ir::Plan& plan) { return plan.layout.name == layout; });
  return plans.empty() ? nullptr : plans.front();
}

std::uint64_t study::dataRanksOf(ir::Plan plan) {
  DiagnosticEngine silent;
  return runThrough(plan, silent, "resolve-mesh").succeeded() ? plan.mesh.dataRanks() : 0;
}

std::vector<Override> PointRunner::settingsOf(llvm::ArrayRef<std::uint64_t> chosen) const {
  std::vector<Override> settings;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    settings.push_back({space.open[i].path, space.open[i].at(chosen[i]), "study", {}});
  settings.insert(settings.end(), request.overrides.begin(), request.overrides.end());
  return settings;
}

Point PointRunner::run(std::uint64_t number, unsigned threads) {
  if (!workspace || ++compiled == mostOfOneWorkspace) {
    workspace = std::make_unique<Workspace>();
    compiled = 0;
    if (request.text)
      workspace->overlay(request.path, *request.text);
  }
  Point out;
  out.number = number;
  out.values.assign(space.outputs.size(), std::nan(""));
  const std::vector<std::uint64_t> chosen = points.at(number);
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> unit =
      workspace->compile(request.path, diags, settingsOf(chosen));
  // Mistakes of other layouts are not this one's.
  ir::Plan* plan = unit->file.failed() ? nullptr : planOfLayout(*unit->file, request.layout);
  if (!plan) {
    out.refused = diags.firstError();
    return out;
  }
  if (baseRanks > 0) {
    const std::uint64_t ranks = dataRanksOf(*plan), batch = plan->layout.batch;
    if (ranks == 0 || batch * ranks % baseRanks != 0) {
      out.refused = fmt::format("a batch of {} for {} data ranks is no whole number for {}", batch,
                                baseRanks, ranks);
      return out;
    }
    plan->layout.batch = batch * ranks / baseRanks;
  }
  if (checkRelease(*plan, diags).failed() ||
      Workspace::complete(*plan, diags, {}, runsOf(*plan)).failed()) {
    out.refused = diags.firstError();
    // When memory is checked all of it is known.
    if (llvm::StringRef(out.refused).startswith(diag::OutOfMemory::info.code)) {
      const figures::Figures known(*plan);
      for (std::size_t i = 0; i < space.outputs.size(); ++i)
        if (llvm::StringRef(space.outputs[i]).startswith("memory."))
          out.values[i] = known.value(space.outputs[i]).value_or(out.values[i]);
    }
    return out;
  }
  measure(*plan, chosen, threads, out);
  return out;
}

void PointRunner::measure(const ir::Plan& plan, llvm::ArrayRef<std::uint64_t> chosen,
                          unsigned threads, Point& out) const {
  Measures measures(plan, space, threads);
  const auto found = [&](const std::string& path) -> std::optional<ir::ResultValue> {
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (space.open[i].path == path)
        return candidateValue(space.open[i].at(chosen[i]));
    return measures.result(path);
  };
  for (std::size_t i = 0; i < space.outputs.size(); ++i) {
    const ir::DerivedOutput* derived = space.derivedNamed(space.outputs[i]);
    if (const std::optional<ir::ResultValue> value =
            derived ? ir::quantity(derived->value, found) : measures.result(space.outputs[i]))
      out.values[i] = value->value;
    else
      out.unknown[space.outputs[i]] = derived ? whyUnknown(ir::evaluate(derived->value, found))
                                              : fmt::format("there is no `{}`", space.outputs[i]);
  }
  for (const ir::Assertion& constraint : space.constraints) {
    const ir::Verdict verdict = ir::evaluate(constraint, found);
    const bool unknown = !verdict.known || !verdict.error.empty();
    if (unknown)
      out.unknown[constraint.source] = whyUnknown(verdict);
    if (unknown || !verdict.holds)
      out.broken.push_back(constraint.source);
  }
  if (!measures.steps())
    return;
  out.refused = measures.steps()->refused;
  if (!out.ran()) {
    out.unknown.clear(); // for that reason
    return;
  }
  const Simulated& steps = *measures.steps();
  out.steps = steps.steps, out.halfWidth = steps.halfWidth();
  out.drawn = steps.drawn, out.unsettled = !steps.settles, out.byWorkers = steps.byWorkers;
  out.farOff = measures.until() > 0 && !steps.within(measures.until());
}
