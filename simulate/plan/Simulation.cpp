//===- Simulation.cpp - Simulation of many steps of a plan ------------------------------------===//
#include "simulate/plan/Simulation.h"
#include "cost/compute/RelativeTimes.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "simulate/plan/CollectiveDelays.h"
#include "simulate/plan/Noise.h"
#include "simulate/plan/NotedStep.h"
#include "simulate/plan/StepLoading.h"
#include "support/Threads.h"
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <thread>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

namespace {
constexpr double mostBytes = 1e9, mostSegments = 2e10, mostMessages = 1e9, mostRates = 1e9;
constexpr double mostTime = 0x1p66; ///< limit on the ps of all steps together

bool isLate(const Plan& plan) {
  return !plan.cluster.delay.empty() && plan.cluster.delay.front().mean > 0 &&
         !plan.collectives.empty();
}
bool loadsUnevenly(const Plan& plan) {
  return LoadingSimulation::has(plan) && plan.cluster.loading.front().jitter.varies();
}

bool varies(const Plan& plan) {
  return plan.cluster.jitter.varies() || cost::RoutedPrograms::has(plan) ||
         LayerTimeDraws::has(plan) || isLate(plan) || LinkRates::has(plan) || loadsUnevenly(plan);
}

std::uint64_t stepsOf(const Plan& plan, const SimulationRequest& request) {
  return varies(plan) ? request.steps : 1;
}

/// The distance of two steps that are independent. Prefetched samples also couple successive steps.
std::uint64_t apartOf(const Plan& plan) {
  const std::uint64_t loading =
      LoadingSimulation::has(plan) ? plan.cluster.loading.front().prefetch + 1 : 1;
  return varies(plan) ? std::max(stepsApart(plan.cluster), loading) : 0;
}

Detail detailOf(const Plan& plan, const SimulationRequest& request) {
  if (!varies(plan) && request.fold && (!request.messages || StepNetwork::folds(plan)))
    return Detail::Folded;
  return request.messages ? Detail::Collective : request.detail;
}

/// A device of a simulated rank, and its computing time relative to the slowest of its pipeline
/// rank.
struct SimulatedDevice {
  std::uint32_t device = 0;
  double relative = 1;
};

/// The devices of each simulated rank. Where nothing varies, all take the time of the plan.
std::vector<std::vector<SimulatedDevice>> devicesOf(const StepShape& shape) {
  std::optional<cost::RelativeTimes> times;
  if (varies(shape.plan))
    times.emplace(shape.plan);
  std::vector<std::vector<SimulatedDevice>> out(shape.simulatedRanks());
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    for (const std::uint32_t device : shape.devicesOf(unit))
      out[unit].push_back({device, times ? times->of(shape.pipelineRankOf(unit), device) : 1});
  return out;
}

/// The factor of each simulated rank in a step, which is the factor of its slowest device.
std::vector<double> factorsOf(const StepShape& shape,
                              const std::vector<std::vector<SimulatedDevice>>& devices,
                              const Noise& noise, std::uint64_t seed, std::uint32_t step) {
  std::vector<double> factors(shape.simulatedRanks(), 0);
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    for (const SimulatedDevice& one : devices[unit])
      factors[unit] = std::max(factors[unit], one.relative * noise.of(one.device, seed, step));
  return factors;
}

/// For each pipeline rank, the factor that makes its computation in a folded step equal to the mean
/// of all pipeline ranks.
std::vector<double> balanceOf(const StepRun& folded) {
  std::vector<double> factors;
  double sum = 0;
  for (const SimulatedRankTimes& of : folded.times())
    sum += static_cast<double>(of.compute);
  const double mean = sum / static_cast<double>(folded.times().size());
  for (const SimulatedRankTimes& of : folded.times())
    factors.push_back(of.compute > 0 ? mean / static_cast<double>(of.compute) : 1);
  return factors;
}

/// Adds the times of a step, averaged over the simulated ranks of each pipeline rank.
void addTimes(const StepShape& shape, const StepRun& run, std::vector<MeanRankTimes>& ranks) {
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit) {
    const SimulatedRankTimes& of = run.times()[unit];
    MeanRankTimes& rank = ranks[shape.pipelineRankOf(unit)];
    const auto part = [&](std::uint64_t ps) { return static_cast<double>(ps) / shape.replicas; };
    rank.compute += part(of.compute), rank.collectives += part(of.collectives),
        rank.peerWait += part(of.peerWait);
    rank.inputWait += part(of.inputWait), rank.sending += part(of.sending);
    rank.barrier += part(of.barrier), rank.loading += part(of.loading);
  }
  ranks[shape.pipelineRankOf(run.last())].last += 1;
}

unsigned threadsFor(const StepShape& shape, const SimulationRequest& request) {
  const unsigned cores =
      request.threads > 0 ? request.threads : std::max(1U, std::thread::hardware_concurrency());
  const double fit = std::max(1.0, mostBytes / shape.bytes());
  return static_cast<unsigned>(
      std::min({static_cast<double>(cores), fit, static_cast<double>(request.steps)}));
}

/// The step in which nothing varies, and its shape.
struct Steady {
  Steady(const Plan& plan, const SimulationRequest& request)
      : shape(plan, request.messages && !(request.fold && StepNetwork::folds(plan))
                        ? Detail::Collective
                        : Detail::Folded) {
    if (request.messages)
      network.emplace(shape, request.seed);
    run = std::make_unique<StepRun>(shape, request.without, network ? &*network : nullptr);
  }
  StepShape shape;
  std::optional<StepNetwork> network;
  std::unique_ptr<StepRun> run;
};

/// Simulates steps with random variation.
class VaryingSteps {
public:
  VaryingSteps(const Plan& plan, const SimulationRequest& request, Detail detail,
               std::vector<double> balance)
      : shape(plan, detail), request(request), balance(std::move(balance)), noise(plan.cluster),
        devices(devicesOf(shape)) {
    if (request.messages)
      network.emplace(shape, request.seed);
    if (cost::RoutedPrograms::has(plan))
      routed.emplace(plan), shareLoads();
    if (isLate(plan) && !request.messages)
      tables.emplace(plan);
  }
  /// The objects that one thread needs to run steps.
  struct StepRunner {
    std::unique_ptr<StepRun> run;
    std::unique_ptr<StepRouting> routing;
    std::unique_ptr<LayerTimeDraws> layerTimes;
    std::unique_ptr<CollectiveDelays> delays;
    std::unique_ptr<LinkRates> rates;
  };
  StepRunner runner() const {
    StepRunner on;
    on.run = std::make_unique<StepRun>(shape, request.without, network ? &*network : nullptr);
    if (routed)
      on.routing = std::make_unique<StepRouting>(shape, *routed, shared);
    if (LayerTimeDraws::has(shape.plan))
      on.layerTimes = std::make_unique<LayerTimeDraws>(shape);
    if (isLate(shape.plan))
      on.delays = std::make_unique<CollectiveDelays>(shape, tables ? &*tables : nullptr);
    if (network && LinkRates::has(shape.plan))
      on.rates = std::make_unique<LinkRates>(shape.plan, network->links);
    return on;
  }
  /// ps of a step. Rank r has its samples at `loaded[r]`, or at once if `loaded` is empty.
  std::uint64_t run(StepRunner& on, std::uint64_t number,
                    llvm::ArrayRef<std::uint64_t> loaded = {}) const {
    const auto step = static_cast<std::uint32_t>(number);
    std::vector<double> factors = factorsOf(shape, devices, noise, request.seed, step);
    if (!balance.empty())
      for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
        factors[unit] *= balance[shape.pipelineRankOf(unit)];
    if (on.routing)
      on.routing->begin(request.seed, step);
    if (on.layerTimes)
      on.layerTimes->begin(request.seed, step);
    if (on.delays)
      on.delays->begin(request.seed, step);
    if (on.rates)
      on.rates->begin(request.seed, step);
    return on.run->run(
        {factors, on.routing.get(), on.layerTimes.get(), loaded, on.delays.get(), on.rates.get()});
  }
  const StepShape shape;

private:
  void shareLoads() {
    const std::array<double, 7> of = routed->routing();
    BusiestLoads::RoutingKey routing = {real(request.seed), real(StepRouting::instancesOf(shape))};
    std::copy(of.begin(), of.end(), routing.begin() + 2);
    if (request.busiest && request.busiest->accepts(routing, stepsOf(shape.plan, request)))
      shared = request.busiest.get();
  }

  const SimulationRequest& request;
  BusiestLoads* shared = nullptr;
  const std::vector<double> balance; ///< factors by pipeline rank; empty if computation is not
                                     ///< balanced
  const Noise noise;
  const std::vector<std::vector<SimulatedDevice>> devices; ///< by simulated rank
  std::optional<StepNetwork> network;
  std::optional<cost::RoutedPrograms> routed;
  std::optional<DelayTables> tables;
};

/// Mean ps of the first few steps, if no step waits for samples.
std::uint64_t meanAlone(const VaryingSteps& steps, VaryingSteps::StepRunner& on) {
  constexpr std::uint64_t few = 10;
  double sum = 0;
  for (std::uint64_t step = 0; step < few; ++step)
    sum += real(steps.run(on, step));
  return static_cast<std::uint64_t>(sum / real(few));
}
} // namespace

simulate::Sample SimulationResult::sample() const {
  return simulate::Sample(std::vector<double>(steps.begin(), steps.end()));
}

std::optional<double> SimulationResult::halfWidthOf(const std::vector<double>& ofEach) const {
  if (apart == 0)
    return 0;
  return settles ? simulate::Sample(simulate::batchMeans(ofEach, apart)).halfWidth() : std::nullopt;
}

double SimulationResult::amplification() const {
  return sample().mean() / static_cast<double>(steady);
}

std::string dpl::simulation::whyNotSimulated(const Plan& plan, const SimulationRequest& request,
                                             std::uint64_t times) {
  if (!plan.steady.empty())
    return fmt::format("steps are simulated one by one, schedule `{}` has no flush between "
                       "steps",
                       name(plan.layout.schedule));
  if (!request.messages && LinkRates::has(plan))
    return "the bandwidth of its links varies, which is simulated at the message level only";
  if (request.messages && cost::RoutedPrograms::has(plan))
    return "at the message level each expert rank gets equally many tokens, but here experts are "
           "drawn "
           "for each token";
  const Detail detail = detailOf(plan, request);
  const StepShape shape(plan, detail);
  const double steps = real(stepsOf(plan, request));
  // Memory in bytes: the results of all steps, and the waits of one recorded step.
  const double noted = request.timeline ? 2 * real(sizeof(TimelinePart))
                       : request.path   ? real(sizeof(StepWait))
                                        : 0;
  const double kept =
      steps * real(16 + sizeof(MeanRankTimes) * plan.placement.ranks) + noted * shape.segments();
  if (const double bytes = shape.bytes() + kept; bytes > mostBytes)
    return fmt::format("{} steps of {} simulated ranks with {} micro-batches need {:.3g} GB, at "
                       "most 1 GB is used",
                       steps, shape.simulatedRanks(), plan.mesh.microBatches, bytes / 1e9);
  if (const double segments = shape.segments() * steps * real(times); segments > mostSegments)
    return fmt::format("{} steps of {} simulated ranks{} run {:.3g} segments, at most {:.3g} can "
                       "be simulated",
                       steps, shape.simulatedRanks(),
                       times > 1 ? fmt::format(" {} times", times) : "", segments, mostSegments);
  if (LoadingSimulation::has(plan) && varies(plan))
    if (const double all = steps * real(steadyStep(plan)); all > mostTime)
      return fmt::format("{} steps with prefetched samples take {:.4g} days, at most {:.4g} can be "
                         "simulated",
                         steps, all * picosecond / 86400, mostTime * picosecond / 86400);
  if (!request.messages)
    return isLate(plan) ? DelayTables::whyNot(plan) : "";
  const StepNetwork network(shape, request.seed);
  if (const double all = messageCount(shape, network) * steps * real(times); all > mostMessages)
    return fmt::format(
        "{} steps of {} simulated ranks{} send {:.3g} messages, at most {:.3g} can be simulated",
        steps, shape.simulatedRanks(), times > 1 ? fmt::format(" {} times", times) : "", all,
        mostMessages);
  if (LinkRates::has(plan))
    if (const double all =
            LinkRates::drawsOf(plan, network.links, real(steadyStep(plan))) * steps * real(times);
        all > mostRates)
      return fmt::format("its links vary so often that {:.3g} rates are needed, at most {:.3g} can "
                         "be drawn",
                         all, mostRates);
  return "";
}

std::uint64_t dpl::simulation::steadyStep(const Plan& plan) {
  const StepShape folded(plan, Detail::Folded);
  const std::uint64_t step = StepRun(folded).run({});
  return step + steadyLoading(plan, step);
}

namespace {
/// The times at which the ranks of a step have their samples, given the times of all steps.
std::vector<std::uint64_t> loadedIn(std::uint64_t step, llvm::ArrayRef<std::uint64_t> steps,
                                    const StepShape& shape, std::uint64_t alone,
                                    std::uint64_t seed) {
  if (!LoadingSimulation::has(shape.plan))
    return {};
  LoadingSimulation loading(shape, alone, seed);
  for (const std::uint64_t time : steps.take_front(step)) {
    (void)loading.next();
    loading.passed(time);
  }
  return loading.next().vec();
}

/// Adds the means over steps. The order is fixed, so that the result does not depend on threads.
void addMeans(const std::vector<std::vector<MeanRankTimes>>& perStep,
              std::vector<MeanRankTimes>& out) {
  const auto steps = static_cast<double>(perStep.size());
  for (const auto& ranks : perStep)
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      MeanRankTimes& all = out[i];
      const MeanRankTimes& of = ranks[i];
      all.compute += of.compute / steps, all.collectives += of.collectives / steps;
      all.peerWait += of.peerWait / steps, all.inputWait += of.inputWait / steps;
      all.sending += of.sending / steps, all.barrier += of.barrier / steps;
      all.loading += of.loading / steps, all.last += of.last / steps;
    }
}
} // namespace

SimulationResult dpl::simulation::runSteps(const Plan& plan, const SimulationRequest& request) {
  SimulationResult result;
  result.seed = request.seed;
  result.detail = detailOf(plan, request);
  result.apart = apartOf(plan);
  result.settles = meanSettles(plan);
  const Steady nothingVaries(plan, request);
  const StepShape& folded = nothingVaries.shape;
  StepRun& steady = *nothingVaries.run;
  std::uint64_t alone = steady.run({});
  std::vector<double> balance;
  if (request.without.imbalance) {
    balance = balanceOf(steady);
    alone = steady.run({balance});
  }
  result.sharedMessages = steady.sharedMessages();
  const std::uint64_t waits = steadyLoading(plan, alone);
  result.steady = alone + waits;
  result.ranks.resize(plan.placement.ranks);
  if (request.messages && request.links)
    result.messages = messagesOfStep(folded, *nothingVaries.network, waits);
  if (!varies(plan) && result.detail == folded.detail) {
    result.simulatedRanks = folded.simulatedRanks();
    const std::vector<std::uint64_t> loaded(waits > 0 ? folded.simulatedRanks() : 0, waits);
    const StepDraws draws{balance, nullptr, nullptr, loaded};
    if (waits > 0)
      result.steady = steady.run(draws);
    result.steps = {result.steady};
    addTimes(folded, steady, result.ranks);
    noteStep(
        request, folded, steady, 0, [&] { return steady.run(draws); }, result);
    return result;
  }
  const VaryingSteps steps(plan, request, result.detail, balance);
  const StepShape& shape = steps.shape;
  result.simulatedRanks = shape.simulatedRanks();
  const std::uint64_t count = stepsOf(plan, request);
  result.steps.resize(count);
  std::vector<std::vector<MeanRankTimes>> perStep(count,
                                                  std::vector<MeanRankTimes>(plan.placement.ranks));
  std::vector<std::optional<std::uint32_t>> slowest(count);
  const auto run = [&](VaryingSteps::StepRunner& on, std::uint64_t step,
                       llvm::ArrayRef<std::uint64_t> loaded) {
    result.steps[step] = steps.run(on, step, loaded);
    addTimes(shape, *on.run, perStep[step]);
    slowest[step] = slowestSimulatedRank(shape, *on.run);
  };
  if (LoadingSimulation::has(plan)) {
    VaryingSteps::StepRunner on = steps.runner();
    alone = meanAlone(steps, on);
    LoadingSimulation loading(shape, alone, request.seed);
    for (std::uint64_t step = 0; step < count; ++step) {
      run(on, step, loading.next());
      loading.passed(result.steps[step]);
    }
  } else {
    const unsigned threads = threadsFor(shape, request);
    std::vector<std::optional<VaryingSteps::StepRunner>> runners(threads);
    onThreads(count, threads, [&](unsigned worker, std::uint64_t step) {
      if (!runners[worker])
        runners[worker] = steps.runner();
      run(*runners[worker], step, {});
    });
  }
  if (request.path || request.timeline) {
    VaryingSteps::StepRunner again = steps.runner();
    const std::uint64_t step = nearestToMean(result.steps);
    const std::vector<std::uint64_t> loaded =
        loadedIn(step, result.steps, shape, alone, request.seed);
    noteStep(
        request, shape, *again.run, step, [&] { return steps.run(again, step, loaded); }, result);
  }
  result.slowest = slowestOf(shape, slowest);
  addMeans(perStep, result.ranks);
  return result;
}
