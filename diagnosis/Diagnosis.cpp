//===- Diagnosis.cpp - Why a step takes as long as it does --------------------------------===//
#include "diagnosis/Diagnosis.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
constexpr std::size_t mostBetween = 4, mostChanges = 3;
/// What a saving has to be to be looked at together with others, or to be told of a change.
constexpr double leastBetween = 0.01, leastChange = 0.005;
/// A part of communication is its cause where it alone saves this share of what all of it costs.
constexpr double mainPart = 0.5;

class Doctor {
public:
  Doctor(const ir::Plan& plan, const simulation::Request& request) : plan(plan), request(request) {
    again.links = false;
  }

  Diagnosis take() { return std::move(out); }

  void run() {
    out.step = simulation::runSteps(plan, request);
    std::vector<const Cause*> whole;
    for (const Cause& cause : causes())
      if (cause.present(plan) && (request.messages || !cause.ofMessages))
        if (const auto saving = without({&cause})) {
          out.savings.push_back(*saving);
          out.savings.back().cause = &cause, out.savings.back().text = cause.words;
          if (!cause.part)
            whole.push_back(&cause);
        }
    if (const auto all = without(whole))
      out.together = *all;
    interactions();
    out.verdict = verdict();
    out.run = runLossesOf(plan, request.seed, request.threads);
    const std::vector<const Saving*> large = largest();
    out.failing = out.run && out.run->together.certain() &&
                  out.run->together.saved() >= leastVerdict &&
                  (!out.verdict || out.run->together.saved() > large.front()->saved);
    if (out.failing)
      out.verdict = nullptr;
  }

  /// All are executed without noise, and the best of them step by step.
  void changes(const planner::RunsSchedule& runs) {
    std::vector<Change> all = changesOf(plan, runs);
    out.tried = all.size();
    std::vector<std::pair<std::uint64_t, Change*>> faster;
    for (Change& change : all) {
      if (const std::uint64_t step = simulation::steadyStep(change.plan);
          static_cast<double>(step) < (1 - leastChange) * static_cast<double>(out.step.steady))
        faster.emplace_back(step, &change);
    }
    std::stable_sort(faster.begin(), faster.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    faster.resize(std::min(faster.size(), mostChanges));
    for (const auto& [step, change] : faster) {
      if (!simulation::whyNotSimulated(change->plan, request).empty())
        continue;
      out.changes.push_back(compare(simulation::runSteps(change->plan, again)));
      out.changes.back().text = change->text;
    }
    std::stable_sort(out.changes.begin(), out.changes.end(),
                     [](const Saving& a, const Saving& b) { return a.saved > b.saved; });
    llvm::erase_if(out.changes, [](const Saving& s) { return s.saved < leastChange; });
  }

private:
  /// Steps under the same random numbers beside those as they are.
  Saving compare(const simulation::Result& with) const {
    const std::size_t count = std::max(out.step.steps.size(), with.steps.size());
    const auto of = [](const simulation::Result& result, std::size_t i) {
      return static_cast<double>(result.steps[result.steps.size() == 1 ? 0 : i]);
    };
    std::vector<double> differences;
    for (std::size_t i = 0; i < count; ++i)
      differences.push_back(of(out.step, i) - of(with, i));
    const double now = out.step.sample().mean();
    Saving saving;
    saving.step = with.sample().mean();
    const simulate::Sample saved(differences);
    if (saved.alike()) // whatever was drawn
      saving.halfWidth = 0;
    else if (const std::optional<double> halfWidth = out.step.halfWidthOf(differences))
      saving.halfWidth = *halfWidth / now;
    saving.saved = saved.mean() / now;
    return saving;
  }

  std::optional<Saving> without(llvm::ArrayRef<const Cause*> removed) const {
    const std::optional<ir::Plan> left = planWithout(plan, removed);
    if (!left)
      return std::nullopt;
    simulation::Request of = again;
    of.without = stepsWithout(removed);
    return compare(simulation::runSteps(*left, of));
  }

  std::vector<const Saving*> largest() const {
    std::vector<const Saving*> all;
    for (const Saving& saving : out.savings)
      if (!saving.cause->part)
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
    if (first.cause->kind != Kind::Communication)
      return first.cause;
    for (const Saving& part : out.savings)
      if (part.cause->part && part.saved >= mainPart * first.saved)
        return part.cause;
    return first.cause;
  }

  const ir::Plan& plan;
  const simulation::Request& request;
  simulation::Request again = request; ///< what links carry is told of the step as it is alone
  Diagnosis out;
};
} // namespace

std::string diagnosis::whyNotDiagnosed(const ir::Plan& plan, const simulation::Request& request) {
  return simulation::whyNotSimulated(
      plan, request, 2 + causes().size() + mostBetween * (mostBetween - 1) / 2 + mostChanges);
}

Diagnosis diagnosis::causesOf(const ir::Plan& plan, const simulation::Request& request) {
  Doctor doctor(plan, request);
  doctor.run();
  return doctor.take();
}

Diagnosis diagnosis::diagnose(const ir::Plan& plan, const simulation::Request& request,
                              const planner::RunsSchedule& runs) {
  Doctor doctor(plan, request);
  doctor.run();
  doctor.changes(runs);
  return doctor.take();
}
