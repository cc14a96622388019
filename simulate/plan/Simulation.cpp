//===- Simulation.cpp - Many steps of a plan, and what they show --------------------------===//
#include "simulate/plan/Simulation.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "simulate/plan/CallDelays.h"
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
constexpr double mostTime = 0x1p66; ///< ps of steps one after the other

bool isLate(const Plan& plan) {
  return !plan.cluster.delay.empty() && plan.cluster.delay.front().mean > 0 &&
         !plan.collectives.empty();
}
bool loadsUnevenly(const Plan& plan) {
  return StepLoading::has(plan) && plan.cluster.loading.front().jitter.varies();
}

bool varies(const Plan& plan) {
  return plan.cluster.jitter.varies() || cost::RoutedBodies::has(plan) || PassDraws::has(plan) ||
         isLate(plan) || LinkRates::has(plan) || loadsUnevenly(plan);
}

std::uint64_t stepsOf(const Plan& plan, const Request& request) {
  return varies(plan) ? request.steps : 1;
}

/// What was loaded ahead of a step is there for as many behind it.
std::uint64_t apartOf(const Plan& plan) {
  const std::uint64_t loading =
      StepLoading::has(plan) ? plan.cluster.loading.front().prefetch + 1 : 1;
  return varies(plan) ? std::max(stepsApart(plan.cluster), loading) : 0;
}

Detail detailOf(const Plan& plan, const Request& request) {
  if (!varies(plan) && request.fold && (!request.messages || StepNetwork::folds(plan)))
    return Detail::Folded;
  return request.messages ? Detail::Collective : request.detail;
}

/// How much longer each unit takes in a step: as the slowest of the devices that it stands for.
std::vector<double> factorsOf(const StepShape& shape,
                              const std::vector<std::vector<std::uint32_t>>& devices,
                              const Noise& noise, std::uint64_t seed, std::uint32_t step) {
  std::vector<double> factors(shape.units(), 0);
  for (std::uint32_t unit = 0; unit < shape.units(); ++unit)
    for (const std::uint32_t device : devices[unit])
      factors[unit] = std::max(factors[unit], noise.of(device, seed, step));
  return factors;
}

/// By pipeline rank, what makes its computation in a folded step the mean of all ranks.
std::vector<double> balanceOf(const StepRun& folded) {
  std::vector<double> factors;
  double sum = 0;
  for (const UnitTimes& of : folded.times())
    sum += static_cast<double>(of.compute);
  const double mean = sum / static_cast<double>(folded.times().size());
  for (const UnitTimes& of : folded.times())
    factors.push_back(of.compute > 0 ? mean / static_cast<double>(of.compute) : 1);
  return factors;
}

/// Adds the times of a step, each an average over the units of its rank.
void addTimes(const StepShape& shape, const StepRun& run, std::vector<RankTimes>& ranks) {
  for (std::uint32_t unit = 0; unit < shape.units(); ++unit) {
    const UnitTimes& of = run.times()[unit];
    RankTimes& rank = ranks[shape.pipelineRankOf(unit)];
    const auto part = [&](std::uint64_t ps) { return static_cast<double>(ps) / shape.columns; };
    rank.compute += part(of.compute), rank.calls += part(of.calls), rank.peers += part(of.peers);
    rank.input += part(of.input), rank.sending += part(of.sending);
    rank.barrier += part(of.barrier), rank.loading += part(of.loading);
  }
  ranks[shape.pipelineRankOf(run.last())].last += 1;
}

unsigned threadsFor(const StepShape& shape, const Request& request) {
  const unsigned cores =
      request.threads > 0 ? request.threads : std::max(1U, std::thread::hardware_concurrency());
  const double fit = std::max(1.0, mostBytes / shape.bytes());
  return static_cast<unsigned>(
      std::min({static_cast<double>(cores), fit, static_cast<double>(request.steps)}));
}

/// The step in which nothing varies, and by which shape it is run.
struct Steady {
  Steady(const Plan& plan, const Request& request)
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

/// Steps in which something varies.
class Steps {
public:
  Steps(const Plan& plan, const Request& request, Detail detail, std::vector<double> balance)
      : shape(plan, detail), request(request), balance(std::move(balance)), noise(plan.cluster) {
    for (std::uint32_t unit = 0; unit < shape.units(); ++unit)
      devices.push_back(shape.devicesOf(unit));
    if (request.messages)
      network.emplace(shape, request.seed);
    if (cost::RoutedBodies::has(plan))
      routed.emplace(plan), shareLoads();
    if (isLate(plan) && !request.messages)
      tables.emplace(plan);
  }
  /// What one thread needs.
  struct Runner {
    std::unique_ptr<StepRun> run;
    std::unique_ptr<StepRouting> routing;
    std::unique_ptr<PassDraws> passes;
    std::unique_ptr<CallDelays> delays;
    std::unique_ptr<LinkRates> rates;
  };
  Runner runner() const {
    Runner on;
    on.run = std::make_unique<StepRun>(shape, request.without, network ? &*network : nullptr);
    if (routed)
      on.routing = std::make_unique<StepRouting>(shape, *routed, shared);
    if (PassDraws::has(shape.plan))
      on.passes = std::make_unique<PassDraws>(shape);
    if (isLate(shape.plan))
      on.delays = std::make_unique<CallDelays>(shape, tables ? &*tables : nullptr);
    if (network && LinkRates::has(shape.plan))
      on.rates = std::make_unique<LinkRates>(shape.plan, network->links);
    return on;
  }
  /// ps of a step whose units have their samples after so long; without `loaded`, at once.
  std::uint64_t run(Runner& on, std::uint64_t number,
                    llvm::ArrayRef<std::uint64_t> loaded = {}) const {
    const auto step = static_cast<std::uint32_t>(number);
    std::vector<double> factors = factorsOf(shape, devices, noise, request.seed, step);
    if (!balance.empty())
      for (std::uint32_t unit = 0; unit < shape.units(); ++unit)
        factors[unit] *= balance[shape.pipelineRankOf(unit)];
    if (on.routing)
      on.routing->begin(request.seed, step);
    if (on.passes)
      on.passes->begin(request.seed, step);
    if (on.delays)
      on.delays->begin(request.seed, step);
    if (on.rates)
      on.rates->begin(request.seed, step);
    return on.run->run(
        {factors, on.routing.get(), on.passes.get(), loaded, on.delays.get(), on.rates.get()});
  }
  const StepShape shape;

private:
  void shareLoads() {
    const std::array<double, 7> of = routed->routing();
    BusiestLoads::Routing routing = {real(request.seed), real(StepRouting::instancesOf(shape))};
    std::copy(of.begin(), of.end(), routing.begin() + 2);
    if (request.busiest && request.busiest->keeps(routing, stepsOf(shape.plan, request)))
      shared = request.busiest.get();
  }

  const Request& request;
  BusiestLoads* shared = nullptr;
  const std::vector<double> balance; ///< by pipeline rank; none where they compute as they do
  const Noise noise;
  std::vector<std::vector<std::uint32_t>> devices; ///< by unit
  std::optional<StepNetwork> network;
  std::optional<cost::RoutedBodies> routed;
  std::optional<DelayTables> tables;
};

/// ps of a step whose units have their samples at once, of a few that come first.
std::uint64_t meanAlone(const Steps& steps, Steps::Runner& on) {
  constexpr std::uint64_t few = 10;
  double sum = 0;
  for (std::uint64_t step = 0; step < few; ++step)
    sum += real(steps.run(on, step));
  return static_cast<std::uint64_t>(sum / real(few));
}
} // namespace

simulate::Sample Result::sample() const {
  return simulate::Sample(std::vector<double>(steps.begin(), steps.end()));
}

std::optional<double> Result::halfWidthOf(const std::vector<double>& ofEach) const {
  if (apart == 0)
    return 0;
  return settles ? simulate::Sample(simulate::batchMeans(ofEach, apart)).halfWidth() : std::nullopt;
}

double Result::amplification() const { return sample().mean() / static_cast<double>(steady); }

std::string dpl::simulation::whyNotSimulated(const Plan& plan, const Request& request,
                                             std::uint64_t times) {
  if (!plan.steady.empty())
    return fmt::format("steps are simulated one by one, those of schedule `{}` run through one "
                       "another",
                       name(plan.layout.schedule));
  if (!request.messages && LinkRates::has(plan))
    return "the rates of its links vary, and links are simulated at the message level alone";
  if (request.messages && cost::RoutedBodies::has(plan))
    return "message by message tokens are as many to each rank of experts, and these choose by "
           "chance";
  const Detail detail = detailOf(plan, request);
  const StepShape shape(plan, detail);
  const double steps = real(stepsOf(plan, request));
  // What is kept of each step comes on top, and of one of them whom each segment waits for.
  const double noted = request.timeline ? 2 * real(sizeof(TimelinePart))
                       : request.path   ? real(sizeof(StepWait))
                                        : 0;
  const double kept =
      steps * real(16 + sizeof(RankTimes) * plan.placement.ranks) + noted * shape.segments();
  if (const double bytes = shape.bytes() + kept; bytes > mostBytes)
    return fmt::format("{} steps of {} simulated ranks with {} micro-batches need {:.3g} GB, at "
                       "most 1 GB is taken",
                       steps, shape.units(), plan.mesh.microBatches, bytes / 1e9);
  if (const double segments = shape.segments() * steps * real(times); segments > mostSegments)
    return fmt::format("{} steps of {} simulated ranks{} run {:.3g} segments, at most {:.3g} are "
                       "run",
                       steps, shape.units(), times > 1 ? fmt::format(" {} times", times) : "",
                       segments, mostSegments);
  if (StepLoading::has(plan) && varies(plan))
    if (const double all = steps * real(steadyStep(plan)); all > mostTime)
      return fmt::format("{} steps with samples that are loaded ahead take {:.4g} days, at most "
                         "{:.4g} are run",
                         steps, all * picosecond / 86400, mostTime * picosecond / 86400);
  if (!request.messages)
    return isLate(plan) ? DelayTables::whyNot(plan) : "";
  const StepNetwork network(shape, request.seed);
  if (const double all = messageCount(shape, network) * steps * real(times); all > mostMessages)
    return fmt::format(
        "{} steps of {} simulated ranks{} send {:.3g} messages, at most {:.3g} are run", steps,
        shape.units(), times > 1 ? fmt::format(" {} times", times) : "", all, mostMessages);
  if (LinkRates::has(plan))
    if (const double all =
            LinkRates::drawsOf(plan, network.links, real(steadyStep(plan))) * steps * real(times);
        all > mostRates)
      return fmt::format("its links change so often that {:.3g} rates are drawn, at most {:.3g} "
                         "are",
                         all, mostRates);
  return "";
}

std::uint64_t dpl::simulation::steadyStep(const Plan& plan) {
  const StepShape folded(plan, Detail::Folded);
  const std::uint64_t step = StepRun(folded).run({});
  return step + steadyLoading(plan, step);
}

namespace {
/// When the units of a step had their samples, the steps before it having taken so long.
std::vector<std::uint64_t> loadedIn(std::uint64_t step, llvm::ArrayRef<std::uint64_t> steps,
                                    const StepShape& shape, std::uint64_t alone,
                                    std::uint64_t seed) {
  if (!StepLoading::has(shape.plan))
    return {};
  StepLoading loading(shape, alone, seed);
  for (const std::uint64_t time : steps.take_front(step)) {
    (void)loading.next();
    loading.passed(time);
  }
  return loading.next().vec();
}

/// Adds the mean over steps, summed in their order, whoever ran them.
void addMeans(const std::vector<std::vector<RankTimes>>& perStep, std::vector<RankTimes>& out) {
  const auto steps = static_cast<double>(perStep.size());
  for (const auto& ranks : perStep)
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      RankTimes& all = out[i];
      const RankTimes& of = ranks[i];
      all.compute += of.compute / steps, all.calls += of.calls / steps;
      all.peers += of.peers / steps, all.input += of.input / steps;
      all.sending += of.sending / steps, all.barrier += of.barrier / steps;
      all.loading += of.loading / steps, all.last += of.last / steps;
    }
}
} // namespace

Result dpl::simulation::runSteps(const Plan& plan, const Request& request) {
  Result result;
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
    result.units = folded.units();
    const std::vector<std::uint64_t> loaded(waits > 0 ? folded.units() : 0, waits);
    const StepDraws draws{balance, nullptr, nullptr, loaded};
    if (waits > 0)
      result.steady = steady.run(draws);
    result.steps = {result.steady};
    addTimes(folded, steady, result.ranks);
    noteStep(
        request, folded, steady, 0, [&] { return steady.run(draws); }, result);
    return result;
  }
  const Steps steps(plan, request, result.detail, balance);
  const StepShape& shape = steps.shape;
  result.units = shape.units();
  const std::uint64_t count = stepsOf(plan, request);
  result.steps.resize(count);
  std::vector<std::vector<RankTimes>> perStep(count, std::vector<RankTimes>(plan.placement.ranks));
  std::vector<std::optional<std::uint32_t>> slowest(count);
  const auto run = [&](Steps::Runner& on, std::uint64_t step,
                       llvm::ArrayRef<std::uint64_t> loaded) {
    result.steps[step] = steps.run(on, step, loaded);
    addTimes(shape, *on.run, perStep[step]);
    slowest[step] = slowestUnit(shape, *on.run);
  };
  if (StepLoading::has(plan)) {
    Steps::Runner on = steps.runner();
    alone = meanAlone(steps, on);
    StepLoading loading(shape, alone, request.seed);
    for (std::uint64_t step = 0; step < count; ++step) {
      run(on, step, loading.next());
      loading.passed(result.steps[step]);
    }
  } else {
    const unsigned threads = threadsFor(shape, request);
    std::vector<std::optional<Steps::Runner>> runners(threads);
    onThreads(count, threads, [&](unsigned worker, std::uint64_t step) {
      if (!runners[worker])
        runners[worker] = steps.runner();
      run(*runners[worker], step, {});
    });
  }
  if (request.path || request.timeline) {
    Steps::Runner again = steps.runner();
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
