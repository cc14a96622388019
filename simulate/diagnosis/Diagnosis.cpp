//===- Diagnosis.cpp - The causes of a step's time, and changes that shorten it ---------------===//
#include "simulate/diagnosis/Diagnosis.h"
#include "backends/Target.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
constexpr std::size_t mostBetween = 4, mostChanges = 3;
/// Savings below these shares of the step are ignored: of causes when interactions are measured,
/// and of changes.
constexpr double leastBetween = 0.01, leastChange = 0.005;
/// A component of communication is the verdict if removing it alone saves this share of what
/// removing the largest cause saves.
constexpr double mainPart = 0.5;
/// The approximate number of changes to try. `fewOf` is the number of drawn steps that rank them.
constexpr std::uint64_t mostTried = 96;
std::uint64_t fewOf(std::uint64_t steps) {
  return std::min(steps, std::clamp<std::uint64_t>(steps / 10, 4, 10));
}

/// The share of usable memory that is free on the plan's fullest rank. None if it is at least
/// `lint.headroom`.
std::optional<double> leavesFree(const ir::Plan& plan) {
  double least = 1;
  for (const ir::RankMemory& rank : plan.memory)
    least = std::min(least, static_cast<double>(rank.headroom()) /
                                static_cast<double>(std::max<std::uint64_t>(1, rank.usable)));
  return least < plan.lint.headroom ? std::optional(least) : std::nullopt;
}

class DiagnosisRunner {
public:
  DiagnosisRunner(const ir::Plan& plan, const simulation::SimulationRequest& request)
      : plan(plan), request(request), byWorkers(simulation::stepsByWorkers(plan)) {
    rerun.busiest = std::make_shared<simulation::BusiestLoads>();
    unchanged.busiest = rerun.busiest;
    rerun.links = false;
  }

  Diagnosis result() { return std::move(out); }

  void run() {
    out.step = measured(plan, unchanged, byWorkers);
    std::vector<const Cause*> whole;
    for (const Cause& cause : causes())
      if (cause.present(plan) && (request.messages || !cause.ofMessages))
        if (const auto saving = without({&cause})) {
          out.savings.push_back(*saving);
          out.savings.back().cause = &cause, out.savings.back().text = cause.words;
          if (!cause.isComponent)
            whole.push_back(&cause);
        }
    if (const auto all = without(whole))
      out.together = *all;
    interactions();
    out.barriers = barriersOf(plan, request.seed);
    out.verdict = verdict();
    out.run = runLossesOf(plan, request.seed, request.threads);
    const std::vector<const Saving*> large = largest();
    out.failing = out.run && out.run->together.certain() &&
                  out.run->together.saved() >= leastVerdict &&
                  (!out.verdict || out.run->together.saved() > large.front()->saved);
    if (out.failing)
      out.verdict = nullptr;
    if (out.verdict && out.verdict->declared == equalizeToFastest)
      out.slowest = slowestPool(plan, [&](const ir::Plan& with) {
        return byWorkers ? measured(with, rerun, true).mean()
                         : static_cast<double>(simulation::steadyStep(with));
      });
  }

  /// Evaluates all changes, and then the best ones again with all steps. If only drawn steps show
  /// the effect, the first evaluation draws few steps.
  void changes(const Trainer& trainer) {
    std::vector<LayoutChange> all = changesOf(plan, trainer);
    if (!byWorkers && sharingMatters())
      llvm::erase_if(all, [](const LayoutChange& c) { return simulation::stepsByWorkers(c.plan); });
    if (std::optional<LayoutChange> paced = bestThrottled(all))
      all.push_back(std::move(*paced));
    out.tried = all.size();
    std::vector<std::pair<double, const LayoutChange*>> faster, learning;
    for (const LayoutChange& change : all)
      if (const double share = shareOf(change.plan); share < 1 - leastChange)
        (change.learns ? learning : faster).emplace_back(share, &change);
    out.changes = bestOf(faster), out.learning = bestOf(learning);
  }

private:
  /// Whether contention changes the times of messages. The simulation of workers has no contention,
  /// so a change of the synchronization mode would get credit for its absence.
  bool sharingMatters() const {
    if (!out.step.ranks || !out.step.ranks->messages)
      return false;
    const auto step = static_cast<double>(out.step.ranks->messages->step),
               alone = static_cast<double>(out.step.ranks->messages->queued);
    return std::abs(step - alone) > leastChange * step;
  }

  /// The change to a fixed delay. The delay is the best one for the steps of the layout with an
  /// adaptive delay.
  std::optional<LayoutChange> bestThrottled(const std::vector<LayoutChange>& all) const {
    for (const LayoutChange& change : all)
      if (const auto& ranks = change.plan.layout.dataRanks;
          !ranks.empty() && ranks.front().throttling == ir::ThrottlingKind::Feedback &&
          whyNotMeasured(change.plan, rerun, true).empty())
        return throttledBy(plan, measured(change.plan, rerun, true).workers->bestDelay);
    return std::nullopt;
  }

  /// The step time of a changed plan divided by that of the unchanged plan; 1 if it cannot be
  /// simulated.
  double shareOf(const ir::Plan& with) {
    const bool workers = byWorkers || simulation::stepsByWorkers(with);
    const bool drawn = workers || (out.verdict && out.verdict->drawn);
    if (!drawn)
      return static_cast<double>(simulation::steadyStep(with)) /
             static_cast<double>(out.step.ranks->steady);
    if (!whyNotMeasured(with, rerun, workers).empty())
      return 1;
    simulation::SimulationRequest few = rerun;
    few.steps = fewOf(request.steps);
    if (workers) // they are fast to simulate, so all steps are used
      return measured(with, rerun, true).mean() / out.step.mean();
    if (!inFew)
      inFew = measured(plan, few, false).mean();
    return measured(with, few, false).mean() / *inFew;
  }

  std::vector<Saving> bestOf(std::vector<std::pair<double, const LayoutChange*>>& faster) const {
    std::stable_sort(faster.begin(), faster.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    // Only the best change of each field or block of the neighbourhood stays.
    std::set<std::string> fields;
    llvm::erase_if(faster, [&](const auto& one) {
      return !one.second->field.empty() && !fields.insert(one.second->field).second;
    });
    faster.resize(std::min(faster.size(), mostChanges));
    std::vector<Saving> best;
    for (const auto& [share, change] : faster) {
      const bool workers = byWorkers || simulation::stepsByWorkers(change->plan);
      if (whyNotMeasured(change->plan, rerun, workers).empty())
        best.push_back({compare(out.step, measured(change->plan, rerun, workers)), nullptr,
                        change->text, leavesFree(change->plan),
                        acceptingTargets(plan, change->plan)});
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const Saving& a, const Saving& b) { return a.saved > b.saved; });
    llvm::erase_if(best, [](const Saving& s) { return s.saved < leastChange; });
    return best;
  }

  std::optional<Saving> without(llvm::ArrayRef<const Cause*> removed) const {
    const std::optional<ir::Plan> left = planWithout(plan, removed);
    if (!left)
      return std::nullopt;
    simulation::SimulationRequest of = rerun;
    of.without = stepsWithout(removed);
    return Saving{compare(out.step, measured(*left, of, byWorkers))};
  }

  std::vector<const Saving*> largest() const {
    std::vector<const Saving*> all;
    for (const Saving& saving : out.savings)
      if (!saving.cause->isComponent)
        all.push_back(&saving);
    std::stable_sort(all.begin(), all.end(),
                     [](const Saving* a, const Saving* b) { return a->saved > b->saved; });
    return all;
  }

  void interactions() {
    std::vector<const Saving*> large = largest();
    llvm::erase_if(large, [](const Saving* s) { return s->saved < leastBetween; });
    large.resize(std::min(large.size(), mostBetween));
    for (std::size_t i = 0; i < large.size(); ++i)
      for (std::size_t k = i + 1; k < large.size(); ++k)
        if (const auto both = without({large[i]->cause, large[k]->cause}))
          out.between.push_back({large[i]->cause, large[k]->cause, both->saved,
                                 both->saved - large[i]->saved - large[k]->saved});
  }

  const Cause* verdict() const {
    const std::vector<const Saving*> large = largest();
    if (large.empty() || large.front()->saved < leastVerdict)
      return nullptr;
    const Saving& first = *large.front();
    // `causes()` lists slower nodes before interference. Interference is checked first,
    // because it amplifies the effect of slower nodes.
    for (const Saving& saving : llvm::reverse(out.savings))
      if (saving.cause->magnifies && saving.saved >= std::max(leastVerdict, mainPart * first.saved))
        return saving.cause;
    if (first.cause->kind != CauseKind::Communication)
      return first.cause;
    for (const Saving& part : out.savings)
      if (part.cause->isComponent && part.saved >= mainPart * first.saved)
        return part.cause;
    return first.cause;
  }

  const ir::Plan& plan;
  const simulation::SimulationRequest& request;
  const bool byWorkers;                              ///< whether workers are simulated
  std::optional<double> inFew;                       ///< mean ps of the few steps that rank
                                                     ///< changes, for the unchanged plan
  simulation::SimulationRequest unchanged = request; ///< request for the unchanged plan
  simulation::SimulationRequest rerun =
      request; ///< request for changed plans, which does not record link loads
  Diagnosis out;
};
} // namespace

std::string diagnosis::whyNotDiagnosed(const ir::Plan& plan,
                                       const simulation::SimulationRequest& request) {
  const bool drawn = llvm::any_of(
      causes(), [&](const Cause& cause) { return cause.drawn && cause.present(plan); });
  return whyNotMeasured(plan, request, simulation::stepsByWorkers(plan),
                        2 + causes().size() + mostBetween * (mostBetween - 1) / 2 + mostChanges +
                            (drawn ? mostTried * fewOf(request.steps) / request.steps : 0));
}

Diagnosis diagnosis::diagnose(const ir::Plan& plan, const simulation::SimulationRequest& request,
                              const Trainer& trainer) {
  DiagnosisRunner runner(plan, request);
  runner.run();
  runner.changes(trainer);
  return runner.result();
}
