//===- DrawnTimes.cpp - Simulated steps and drawn runs of a plan, seed by seed ----------------===//
#include "driver/study/DrawnTimes.h"
#include "ir/Names.h"
#include "ir/Uplinks.h"
#include "simulate/plan/BestInterval.h"
#include "simulate/plan/Noise.h"
#include "simulate/plan/RunSimulation.h"
#include "simulate/plan/Simulation.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::study;

namespace {
/// The simulation does not stop before this number of batches, because with few batches the
/// half-width itself is uncertain: by a quarter with ten batches, and completely with two.
constexpr std::size_t leastOfParts = 10;
constexpr double mostDraws = 1e7; ///< limit on the draws of one point

bool isKnown(const DrawnTimes& so, double until) {
  return until > 0 && so.batches.size() >= leastOfParts && so.within(until);
}

/// Simulates steps of data ranks with one seed, and adds their times.
void addWorkers(const ir::Plan& plan, const simulation::WorkersRequest& request, DrawnTimes& out) {
  out.refused = simulation::whyNotSimulated(plan, request);
  if (!out.refused.empty())
    return;
  const simulation::WorkersResult result = simulation::runWorkers(plan, request);
  out.add(result.time.parts, result.time.batches);
  out.count += request.steps;
  out.drawn = result.workers.apart > 0;
  out.workers.add(result);
}

void addSteps(const ir::Plan& plan, const simulation::SimulationRequest& request, DrawnTimes& out) {
  out.refused = simulation::whyNotSimulated(plan, request);
  if (!out.refused.empty())
    return;
  const simulation::SimulationResult result = simulation::runSteps(plan, request);
  const std::vector<double> times(result.steps.begin(), result.steps.end());
  // All steps of a seed have the same ECMP paths, so they give only one independent mean.
  const bool hashed = request.messages && ir::hashesFlows(plan.cluster);
  out.add(times, hashed ? std::vector<double>{result.sample().mean()}
                        : simulate::batchMeans(times, result.apart));
  out.count += times.size();
  out.drawn = hashed || result.apart > 0;
}

/// Calls `ofSeed` for one seed after another until the mean is known. `ofSeed` adds its results to
/// `out`.
template <class OfSeed> void seedAfterSeed(const ir::Space& study, DrawnTimes& out, OfSeed ofSeed) {
  for (const std::uint64_t seed : study.seeds) {
    ofSeed(seed);
    if (!out.refused.empty() || !out.drawn || isKnown(out, study.until))
      break;
  }
}
} // namespace

std::optional<double> DrawnTimes::halfWidth() const {
  if (!drawn)
    return 0;
  const simulate::Sample sample(batches);
  const std::optional<double> of = settles ? sample.halfWidth() : std::nullopt;
  return of ? std::optional(*of / sample.mean()) : std::nullopt;
}

bool DrawnTimes::within(double until) const {
  const std::optional<double> of = halfWidth();
  return of && *of <= until;
}

void DrawnTimes::add(const std::vector<double>& more, const std::vector<double>& batchesOfThese) {
  times.insert(times.end(), more.begin(), more.end());
  batches.insert(batches.end(), batchesOfThese.begin(), batchesOfThese.end());
}

void WorkerFigures::mean(const char* path, double value) {
  sums[path].first += value, ++sums[path].second;
}

void WorkerFigures::add(const simulation::WorkersResult& result) {
  constexpr double picosecond = 1e-12;
  mean("simulated.waiting", result.time.waiting);
  mean("simulated.exchange", result.workers.exchange * picosecond);
  mean("simulated.dropped", result.time.lost);
  if (result.servers) {
    mean("simulated.queue.mean", result.atServers.waiting);
    mean("simulated.parameter_servers.busiest", result.atServers.busiest);
    mean("simulated.parameter_servers.mean", result.atServers.mean);
    mostQueued = std::max(mostQueued, result.atServers.atOnce);
  }
  mean("simulated.micro_batches.min", result.leastShare);
  mean("simulated.micro_batches.max", result.mostShare);
  if (result.coupling > 1 || result.throttling.bus)
    mean("simulated.interference", result.coupling);
  if (result.bestStep > 0) {
    mean("simulated.throttling.best_delay", result.bestDelay * picosecond);
    mean("simulated.throttling.best_step", result.bestStep * picosecond);
    mean("simulated.throttling.regret", result.regret() * picosecond);
  }
  for (const double age : result.time.ages)
    ++ages[age], ++aged;
}

double WorkerFigures::sumOfAges() const {
  double sum = 0;
  for (const auto& [age, steps] : ages)
    sum += age * steps;
  return sum;
}

double WorkerFigures::ageOf(double share) const {
  double below = 0;
  for (const auto& [age, steps] : ages)
    if (below += steps; below >= share * aged)
      return age;
  return ages.rbegin()->first;
}

std::optional<double> WorkerFigures::value(llvm::StringRef path) const {
  if (const auto found = sums.find(path.str()); found != sums.end())
    return found->second.first / found->second.second;
  if (path == "simulated.queue.max" && mostQueued > 0)
    return mostQueued;
  if (aged == 0)
    return std::nullopt;
  if (path == "simulated.staleness.mean")
    return sumOfAges() / aged;
  for (const auto& [name, share] :
       {std::pair("p50", 0.5), std::pair("p99", 0.99), std::pair("max", 1.0)})
    if (path == std::string("simulated.staleness.") + name)
      return ageOf(share);
  return std::nullopt;
}

DrawnTimes study::drawSteps(const ir::Plan& plan, const ir::Space& study, unsigned threads) {
  DrawnTimes out;
  out.byWorkers = simulation::stepsByWorkers(plan);
  out.settles = simulation::meanSettles(plan);
  if (study.until > 0 && !out.settles) {
    out.refused =
        "the mean of its steps does not converge: a `pareto` of shape at most 2 has no finite "
        "variance, which `target_half_width` needs";
    return out;
  }
  if (out.byWorkers && study.level != ir::SimulationLevel::Operation) {
    out.refused = fmt::format("data ranks of `{}` step independently, which has no `level`, "
                              "found `{}`",
                              plan.layout.name, ir::name(study.level));
    return out;
  }
  simulation::SimulationRequest request;
  request.detail = study.level == ir::SimulationLevel::Operation ? simulation::Detail::Operation
                                                                 : simulation::Detail::Collective;
  request.messages = study.level == ir::SimulationLevel::Message;
  request.links = false;
  request.steps = study.steps, request.threads = threads;
  seedAfterSeed(study, out, [&](std::uint64_t seed) {
    request.seed = seed;
    if (out.byWorkers)
      addWorkers(plan, {simulation::synchronizationOf(plan), study.steps, seed}, out);
    else
      addSteps(plan, request, out);
  });
  return out;
}

DrawnTimes study::drawWorkers(const ir::Plan& plan, const ir::Space& study) {
  DrawnTimes out;
  out.byWorkers = true, out.settles = simulation::meanSettles(plan);
  seedAfterSeed(study, out, [&](std::uint64_t seed) {
    addWorkers(plan, {simulation::synchronizationOf(plan), study.steps, seed}, out);
  });
  return out;
}

DrawnTimes study::drawRuns(const ir::Plan& plan, const std::string& run, const ir::Space& study,
                           unsigned threads) {
  DrawnTimes out;
  const std::optional<simulation::DrawnRun> drawn = simulation::drawnRun(plan, run);
  if (!drawn) {
    out.refused = fmt::format("the time of run `{}` is not known", run);
    return out;
  }
  simulation::RunRequest request;
  request.draws = study.draws, request.threads = threads;
  out.refused =
      drawn->refused.empty() ? simulation::whyTooLong(*drawn, nullptr, request) : drawn->refused;
  const double all = static_cast<double>(study.draws) * static_cast<double>(study.seeds.size());
  if (out.refused.empty() && all > mostDraws)
    out.refused = fmt::format("{:.3g} runs of a point are too many, at most {:.3g} can be drawn",
                              all, mostDraws);
  if (!out.refused.empty())
    return out;
  seedAfterSeed(study, out, [&](std::uint64_t seed) {
    request.seed = seed;
    const simulation::RunResult result = simulation::drawRuns(plan, *drawn, nullptr, request);
    std::vector<double> times;
    for (const simulate::RunTime& one : result.draws)
      times.push_back(one.time);
    out.add(times, times);
    out.count += times.size();
    out.drawn = result.drawn;
  });
  return out;
}

std::optional<double> study::drawBestInterval(const ir::Plan& plan, const std::string& run,
                                              const ir::Space& study, unsigned threads) {
  const std::optional<simulation::DrawnRun> drawn = simulation::drawnRun(plan, run);
  if (!drawn || !drawn->refused.empty())
    return std::nullopt;
  const simulation::RunRequest request{study.draws, study.seeds.front(), threads};
  const auto best = simulation::bestInterval(plan, *drawn, request, study.seeds).best;
  return best ? std::optional(best->drawn) : std::nullopt;
}
