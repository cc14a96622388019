//===- Convergence.cpp - How a run of a plan reaches the goal of its problem ------------------===//
#include "driver/study/Convergence.h"
#include "ir/Arithmetic.h"
#include "simulate/converge/Descent.h"
#include "simulate/converge/Numbers.h"
#include "simulate/converge/Replay.h"
#include "simulate/plan/WorkersSimulation.h"
#include <cmath>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::study;
using ir::SynchronizationKind;

namespace {
constexpr double mostReplayed = 4e6; ///< limit on simulated steps, summed over workers

converge::Quadratic quadraticOf(const ir::Problem& problem) {
  return {problem.curvatures, static_cast<converge::GoalKind>(problem.goal), problem.goalValue,
          problem.steady, problem.mostSteps};
}

converge::Method methodOf(const ir::Problem& problem, const ir::OptimizerSettings& settings) {
  converge::Method out;
  out.rate = settings.learningRate.peak, out.warmup = settings.learningRate.warmup;
  out.momentum = settings.momentum;
  out.averages = problem.momentum == ir::MomentumForm::Average;
  out.weight = static_cast<converge::WeightKind>(problem.weight);
  return out;
}

converge::Compression compressionOf(const ir::Layout& layout) {
  converge::Compression out;
  if (layout.compression.empty())
    return out;
  const ir::Compression& stated = layout.compression.front();
  out.density = stated.density, out.bits = stated.bits, out.block = stated.block;
  out.feedback = stated.feedback;
  switch (stated.kind) {
  case ir::CompressionKind::TopK:
    out.kind = converge::CompressorKind::TopK;
    break;
  case ir::CompressionKind::Quantised:
    out.kind = converge::CompressorKind::Quantized;
    break;
  case ir::CompressionKind::None:
  case ir::CompressionKind::LowRank:
    break;
  }
  return out;
}
} // namespace

std::optional<double> study::numberFigure(const ir::Numbers& numbers, llvm::StringRef name) {
  const converge::NumberFormat& format =
      converge::formatAt(static_cast<std::size_t>(numbers.format));
  if (name == "largest_number")
    return format.largest;
  if (name == "smallest_normal")
    return format.smallestNormal();
  const bool dynamic = numbers.scaling == ir::LossScaleKind::Dynamic,
             listed = !numbers.magnitudes.empty();
  std::vector<double> values;
  for (std::size_t i = 0; i < numbers.magnitudes.size(); ++i)
    values.push_back(numbers.negatives[i] != 0 ? -numbers.magnitudes[i] : numbers.magnitudes[i]);
  if (name == "skipped" || name == "loss_scale") {
    if (!dynamic)
      return name == "loss_scale" ? std::optional(numbers.scale) : std::nullopt;
    const converge::ScaledSteps steps =
        converge::scaleSteps(values, format, numbers.scale, numbers.window, numbers.steps);
    return name == "skipped" ? ir::real(steps.skipped) / ir::real(numbers.steps) : steps.scale;
  }
  for (double& each : values)
    each *= dynamic ? 1 : numbers.scale;
  const converge::StoredShares shares =
      listed ? converge::sharesOf(values, format)
             : converge::sharesOfNormal(numbers.deviation * numbers.scale, format);
  for (const auto& [share, value] :
       {std::pair("below_normal", shares.belowNormal),
        std::pair("above_largest", shares.aboveLargest), std::pair("overflow", shares.overflow)})
    if (name == share)
      return value;
  if (!listed)
    return std::nullopt;
  const double exact = converge::exactSum(values);
  const double sum = converge::sumOf(values, format, static_cast<converge::SumOrder>(numbers.order),
                                     numbers.firstRank);
  if (name == "sum")
    return sum;
  if (name == "exact_sum")
    return exact;
  return name == "ulps" && std::isfinite(sum)
             ? std::optional(std::fabs(
                   static_cast<double>(format.place(sum) - format.place(format.round(exact)))))
             : std::nullopt;
}

Convergence::Convergence(const ir::Plan& plan, const ir::Run& run, std::vector<std::uint64_t> seeds)
    : plan(plan), run(run), stated(*run.problem()), seedNumbers(std::move(seeds)),
      ranks(plan.layout.dataRanks.empty() ? ir::DataRanks() : plan.layout.dataRanks.front()),
      problem(quadraticOf(stated)), method(methodOf(stated, run.optimizer)),
      workers(ir::real(plan.mesh.dataRanks())), samples(ir::real(run.phases.front().batch)),
      known(seedNumbers.size()) {
  // The gradient of an update is that of the whole batch, of all workers but the backup workers, or
  // of one data rank. Its variance is computed accordingly.
  const double used = waitsForNobody() ? 1
                      : ranks.synchronization == SynchronizationKind::Backup
                          ? workers - ir::real(ranks.bound)
                          : workers;
  method.variance = stated.noise * workers / (samples * used);
  if (const auto period = run.phases.front().period)
    ranks.bound = *period;
}

bool Convergence::waitsForNobody() const {
  return ranks.synchronization == SynchronizationKind::Bounded ||
         ranks.synchronization == SynchronizationKind::Asynchronous ||
         ranks.synchronization == SynchronizationKind::Detached;
}

Convergence::OfSeed Convergence::descend(std::uint64_t seed) {
  converge::Method seeded = method;
  seeded.seed = seed;
  converge::DescentRequest request;
  request.staleness = stated.updates;
  request.drawn = stated.staleness == ir::StalenessSource::Uniform;
  request.compression = compressionOf(plan.layout);
  // If workers make local steps, the mean of their parameters descends by the mean of all
  // gradients, because the gradient of a quadratic is linear.
  if (ranks.synchronization == SynchronizationKind::Local)
    request.period = ranks.bound;
  OfSeed out{converge::descend(problem, seeded, request), 0, 0};
  out.steps = out.outcome.updates;
  if (!simulation::stepsByWorkers(plan))
    return out;
  constexpr std::uint64_t simulated = 1000;
  simulation::WorkersRequest steps{simulation::synchronizationOf(plan),
                                   std::min(simulated, std::max<std::uint64_t>(out.steps, 1)),
                                   seed};
  if (ranks.synchronization == SynchronizationKind::Local)
    steps.synchronization.bound = static_cast<std::uint32_t>(ranks.bound);
  whyNot = simulation::whyNotSimulated(plan, steps);
  if (whyNot.empty())
    out.time = simulation::runWorkers(plan, steps).time.step * ir::real(out.steps);
  return out;
}

/// Simulates more and more steps until the goal is reached. A longer simulation begins with the
/// same steps as a shorter one.
Convergence::OfSeed Convergence::replay(std::uint64_t seed) {
  converge::Method seeded = method;
  seeded.seed = seed;
  OfSeed out;
  simulation::WorkersRequest request{simulation::synchronizationOf(plan), 512, seed};
  request.keepsUpdates = true;
  do {
    constexpr std::uint64_t longer = 4;
    request.steps *= longer;
    whyNot = simulation::whyNotSimulated(plan, request);
    if (whyNot.empty() && ir::real(request.steps) * workers > mostReplayed)
      whyNot = fmt::format("run `{}` does not reach its goal in the {:.0f} steps of workers that "
                           "a study simulates, which are {} updates",
                           run.name, mostReplayed, out.outcome.updates);
    if (!whyNot.empty())
      return out;
    const simulation::WorkersResult result = simulation::runWorkers(plan, request);
    converge::ReplayRequest updates;
    updates.updates = result.time.updates;
    if (ranks.late == ir::LateGradients::Reject)
      updates.rejectAbove = ranks.bound;
    out.outcome = converge::replay(problem, seeded, updates);
    if (out.outcome.ending == converge::Ending::TooStale)
      whyNot = fmt::format("gradients of run `{}` are older than the parameters that a study keeps",
                           run.name);
  } while (out.outcome.ending == converge::Ending::OutOfData);
  out.time = out.outcome.time;
  out.steps = static_cast<std::uint64_t>(
      std::ceil(ir::real(out.outcome.updates + out.outcome.rejected) / workers));
  return out;
}

/// Whether nothing of the descent is drawn.
bool Convergence::isSameForAllSeeds() const {
  return !waitsForNobody() && stated.staleness != ir::StalenessSource::Uniform &&
         plan.layout.compression.empty() && (method.variance == 0 || stated.updates == 0) &&
         !plan.cluster.jitter.varies();
}

const Convergence::OfSeed& Convergence::ofSeed(std::size_t seed) {
  if (isSameForAllSeeds())
    seed = 0;
  if (!known[seed])
    known[seed] = waitsForNobody() ? replay(seedNumbers[seed]) : descend(seedNumbers[seed]);
  return *known[seed];
}

/// The learning rate below which the descent is stable for every staleness that can occur. Empty if
/// the staleness has no limit.
std::optional<double> Convergence::stableBelow() const {
  const bool rejects = ranks.late == ir::LateGradients::Reject;
  if (waitsForNobody() && !rejects)
    return std::nullopt;
  return converge::stableBelow(problem, method, rejects ? ranks.bound : stated.updates,
                               stated.staleness == ir::StalenessSource::Fixed);
}

std::optional<double> Convergence::closedForm(llvm::StringRef name) const {
  const std::optional<double> limit = stableBelow();
  const bool fresh = !waitsForNobody() && stated.updates == 0 && plan.layout.compression.empty();
  const std::optional<double> floor =
      fresh && method.variance > 0 ? converge::noiseFloor(problem, method) : std::nullopt;
  if (name == "stable_below")
    return limit;
  if (name == "noise_floor")
    return floor;
  if (name == "fails.curvature")
    return limit ? std::optional(method.rate >= *limit ? 1.0 : 0.0) : std::nullopt;
  if (name == "fails.noise_floor" && problem.goal == converge::GoalKind::LossValue)
    return floor && *floor >= problem.goalValue ? 1 : 0;
  if (name == "drift" && ranks.synchronization == SynchronizationKind::Local)
    return converge::drift(problem, method, stated.noise * workers / samples, plan.mesh.dataRanks(),
                           ranks.bound);
  return std::nullopt;
}

std::optional<double> Convergence::value(llvm::StringRef name, std::size_t seed) {
  for (const char* closed :
       {"stable_below", "noise_floor", "fails.curvature", "fails.noise_floor", "drift"})
    if (name == closed)
      return closedForm(name);
  const OfSeed& of = ofSeed(seed);
  const converge::Outcome& outcome = of.outcome;
  if (!whyNot.empty())
    return std::nullopt;
  if (name == "diverges")
    return outcome.ending == converge::Ending::Diverged ? 1 : 0;
  if (name == "residual")
    return plan.layout.compression.empty() || !plan.layout.compression.front().feedback
               ? std::nullopt
               : std::optional(outcome.residual);
  if (name == "staleness.mean")
    return outcome.meanStaleness();
  for (const auto& [quantile, share] :
       {std::pair("staleness.p50", 0.5), std::pair("staleness.p95", 0.95),
        std::pair("staleness.p99", 0.99)})
    if (name == quantile)
      return outcome.stalenessAt(share);
  if (outcome.ending != converge::Ending::Reached || (name != "updates" && name != "rejected"))
    return std::nullopt;
  return ir::real(name == "rejected" ? outcome.rejected : outcome.updates);
}

std::string Convergence::whyNotReached() const {
  for (const std::optional<OfSeed>& each : known)
    if (each && each->outcome.ending == converge::Ending::Diverged)
      return fmt::format("run `{}` diverges", run.name);
    else if (each && each->outcome.ending == converge::Ending::GaveUp)
      return fmt::format("run `{}` does not reach its goal in {} updates", run.name,
                         each->outcome.updates);
  return "";
}

std::optional<ir::Plan> Convergence::withSteps(std::size_t seed) {
  const OfSeed& of = ofSeed(seed);
  if (!whyNot.empty() || of.outcome.ending != converge::Ending::Reached || of.steps == 0)
    return std::nullopt;
  ir::Plan out = plan;
  for (ir::Run& each : out.runs)
    if (each.name == run.name) {
      each.phases.front().steps = of.steps;
      if (of.time > 0)
        each.phases.front().step =
            static_cast<std::uint64_t>(std::llround(of.time / ir::real(of.steps)));
    }
  return out;
}
