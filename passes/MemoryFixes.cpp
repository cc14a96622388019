//===- MemoryFixes.cpp - Changes of a plan that reduce its memory -----------------------------===//
#include "passes/MemoryFixes.h"
#include "cost/memory/RankMemory.h"
#include "cost/step/StepTimes.h"
#include "ir/Arithmetic.h"
#include "ir/FilledFields.h"
#include "ir/SetInFile.h"
#include "passes/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

std::optional<MemoryOutcome> dpl::outcomeOf(const Plan& plan,
                                            llvm::ArrayRef<const PlanChange*> changes,
                                            const AcceptsPlan& takes, TrialBudget& budget) {
  if (budget.spent())
    return std::nullopt;
  Plan changed = plan;
  MemoryOutcome out;
  out.changes = changes.size();
  for (const PlanChange* change : changes) {
    change->change(changed);
    markSetInFile(changed, change->field);
    out.text += (out.text.empty() ? "" : change == changes.back() ? " and " : ", ") + change->text;
  }
  updateFilledFields(changed);
  changed.mesh.microBatches =
      plan.mesh.microBatches * plan.layout.microBatch / changed.layout.microBatch;
  if (!budget.allows(changed))
    return std::nullopt;
  DiagnosticEngine silent;
  for (const auto& create :
       {createCheckLayoutPass, createPartitionLayersPass, createBuildGroupsPass,
        createEstimateComputePass, createLowerCollectivesPass, createSchedulePipelinePass})
    if (create()->run(changed, silent).failed())
      return std::nullopt;
  if (takes && !takes(changed))
    return std::nullopt;
  out.tightest = *tightest(memoryOf(changed));
  out.host = cost::fullestNode(changed);
  out.step = cost::stepTimes(changed).step;
  return out;
}

bool TrialBudget::allows(const Plan& plan) {
  using enum ScheduleKind;
  const ScheduleKind kind = plan.layout.schedule;
  // Factors for schedules ordered by action times, and for schedules that move actions past others.
  constexpr double orders = 256, ranksOfAMove = 16;
  const double moves = real(plan.placement.ranks) / ranksOfAMove;
  const double each = scheduleInfo(kind).byTime       ? orders
                      : kind == VHalf || kind == VMin ? moves
                                                      : 1;
  remaining -= real(plan.mesh.microBatches) * real(plan.placement.stages()) *
               std::max(each, real(plan.placement.chunks));
  isSpent = isSpent || remaining < 0;
  return !isSpent;
}

namespace {
/// Whether the plan fits with a free share of `lint.headroom`.
bool isRoomy(const Plan& plan, const MemoryOutcome& o) {
  return o.fits() && o.free() >= plan.lint.headroom;
}

class MemoryFixSearch {
public:
  MemoryFixSearch(const Plan& plan, const AcceptsPlan& takes)
      : plan(plan), accepts(takes), worst(*tightest(plan.memory)) {}

  MemoryOutcomes run() {
    for (const ChangeFamily& family : planChanges(plan))
      alone(family);
    if (!fitsCheaply())
      pairs();
    if (noneFits())
      if (std::optional<MemoryOutcome> out = together())
        found.push_back({"", std::move(*out)});
    return {handful(), !budget.spent()};
  }

private:
  struct FoundFix {
    std::string field; ///< field that the change sets, if it is a single change
    MemoryOutcome outcome;
  };

  /// Orders outcomes: first those that leave `lint.headroom` free, then those that fit, then the
  /// others. The first two kinds are sorted by step, then by peak; the others by peak.
  bool isBetter(const MemoryOutcome& a, const MemoryOutcome& b) const {
    if (a.fits() != b.fits())
      return a.fits();
    if (isRoomy(plan, a) != isRoomy(plan, b))
      return isRoomy(plan, a);
    if (a.fits() && a.step != b.step)
      return a.step < b.step;
    if (a.nodeFits() != b.nodeFits())
      return a.nodeFits();
    return a.tightest.headroom() > b.tightest.headroom();
  }
  bool noneFits() const {
    return llvm::none_of(found, [&](const FoundFix& f) { return isRoomy(plan, f.outcome); });
  }
  /// Whether a single change fits and costs little time; otherwise pairs are tried.
  bool fitsCheaply() const {
    constexpr double dear = 1.1;
    const double most = dear * cost::stepTimes(plan).step;
    return llvm::any_of(found, [&](const FoundFix& f) {
      return isRoomy(plan, f.outcome) && f.outcome.step <= most;
    });
  }
  std::optional<MemoryOutcome> of(llvm::ArrayRef<const PlanChange*> changes) {
    return outcomeOf(plan, changes, accepts, budget);
  }
  static bool fitsWith(llvm::ArrayRef<const PlanChange*> taken, const PlanChange& next) {
    return llvm::none_of(taken, [&](const PlanChange* other) { return meet(*other, next); });
  }

  /// Tries each change of a family alone. The best one is later combined with changes of other
  /// families.
  void alone(const ChangeFamily& family) {
    if (family.together) {
      joined.insert(joined.end(), family.changes.begin(), family.changes.end());
      return;
    }
    const auto least = static_cast<std::int64_t>(worst.peak() / 1000); // the smallest saving that
                                                                       // texts show
    std::optional<MemoryOutcome> known;
    const PlanChange* best = nullptr;
    for (const PlanChange& change : family.changes) {
      std::optional<MemoryOutcome> out = of({&change});
      if (!out)
        continue;
      if (!known || isBetter(*out, *known))
        known = *out, best = &change;
      const bool enough = family.ascending && isRoomy(plan, *out);
      // A node too small for this change alone may have room if state is sharded too.
      if (out->nodeFits() && out->tightest.headroom() > worst.headroom() + least)
        found.push_back({change.field, std::move(*out)});
      if (enough)
        break;
    }
    if (best)
      joined.push_back(*best);
  }

  void pairs() {
    for (std::size_t i = 0; i < joined.size(); ++i)
      for (std::size_t j = i + 1; j < joined.size(); ++j)
        if (!meet(joined[i], joined[j]))
          if (std::optional<MemoryOutcome> out = of({&joined[i], &joined[j]}); out && out->fits())
            found.push_back({"", std::move(*out)});
  }

  /// Adds the best next change until `lint.headroom` is free, and then removes unnecessary changes.
  /// If no further change helps, returns the changes so far if the plan fits, otherwise none.
  std::optional<MemoryOutcome> together() {
    std::vector<const PlanChange*> taken;
    std::optional<MemoryOutcome> known;
    while (!known || !isRoomy(plan, *known)) {
      const PlanChange* next = nullptr;
      for (const PlanChange& change : joined) {
        if (!fitsWith(taken, change))
          continue;
        taken.push_back(&change);
        std::optional<MemoryOutcome> out = of(taken);
        taken.pop_back();
        if (out && (!known || isBetter(*out, *known)))
          known = std::move(out), next = &change;
      }
      if (!next)
        break;
      taken.push_back(next);
    }
    if (!known || !known->fits())
      return std::nullopt;
    const bool roomy = isRoomy(plan, *known);
    for (std::size_t i = taken.size(); i-- > 0;) {
      std::vector<const PlanChange*> fewer = taken;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (std::optional<MemoryOutcome> out = of(fewer);
          out && (roomy ? isRoomy(plan, *out) : out->fits()))
        known = std::move(out), taken = std::move(fewer);
    }
    return known;
  }

  std::vector<MemoryOutcome> handful() {
    constexpr std::size_t most = 5, ofField = 2;
    std::stable_sort(found.begin(), found.end(), [&](const FoundFix& a, const FoundFix& b) {
      return isBetter(a.outcome, b.outcome);
    });
    std::vector<MemoryOutcome> out;
    llvm::StringMap<std::size_t> said;
    const auto isSaid = [&](const FoundFix& f) { // two families may contain the same change
      return llvm::any_of(out, [&](const MemoryOutcome& o) { return o.text == f.outcome.text; });
    };
    for (FoundFix& f : found)
      if (out.size() < most && !isSaid(f) && (f.field.empty() || ++said[f.field] <= ofField))
        out.push_back(std::move(f.outcome));
    return out;
  }

  const Plan& plan;
  const AcceptsPlan& accepts;
  const RankMemory worst;
  TrialBudget budget;
  std::vector<FoundFix> found;
  std::vector<PlanChange> joined;
};
} // namespace

MemoryOutcomes dpl::memoryFixes(const Plan& plan, const AcceptsPlan& takes) {
  return MemoryFixSearch(plan, takes).run();
}

MemoryOutcomes dpl::hostMemoryFixes(const Plan& plan, const AcceptsPlan& takes) {
  TrialBudget budget;
  MemoryOutcomes out;
  for (const PlanChange& change : lighterOffloads(plan))
    if (std::optional<MemoryOutcome> one = outcomeOf(plan, {&change}, takes, budget);
        one && one->fits())
      out.found.push_back(std::move(*one));
  std::stable_sort(out.found.begin(), out.found.end(),
                   [](const MemoryOutcome& a, const MemoryOutcome& b) { return a.step < b.step; });
  out.all = !budget.spent();
  return out;
}
