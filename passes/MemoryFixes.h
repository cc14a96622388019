#pragma once
//===- MemoryFixes.h - Changes of a plan and the memory that it would take --------------------===//
#include "cost/step/HostMemory.h"
#include "passes/Pass.h"
#include "passes/PlanChanges.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl {

/// What changes of a plan come to, by the passes themselves.
struct MemoryOutcome {
  std::string text; ///< what the file would say: "`micro_batch = 1seq` and `recompute = full`"
  std::size_t changes = 0; ///< in `text`
  ir::RankMemory tightest;
  double step = 0;                       ///< seconds
  std::optional<cost::FullestNode> host; ///< set if it offloads anything
  bool nodeFits() const { return !host || host->fits(); }
  bool fits() const { return tightest.headroom() >= 0 && nodeFits(); }
  /// Free share of the device's usable memory; negative if the plan does not fit.
  double free() const {
    return static_cast<double>(tightest.headroom()) / static_cast<double>(tightest.usable);
  }
};
/// What may be worked out of the changes of one plan, by count and no clock: passes of a step, by
/// the chunks of a rank that are counted in each, over all trials. Dozens of trials where a step
/// has up to 100,000 passes; of the largest that can be scheduled eight.
class TrialBudget {
public:
  /// Whether that plan may be worked out, too; none may after the first that may not.
  bool allows(const ir::Plan& plan);
  bool spent() const { return isSpent; }

private:
  double remaining = 8e6;
  bool isSpent = false;
};
/// Nothing where the passes fail, or the program takes it not, or the budget is spent.
std::optional<MemoryOutcome> outcomeOf(const ir::Plan& plan,
                                       llvm::ArrayRef<const PlanChange*> changes,
                                       const AcceptsPlan& takes, TrialBudget& budget);

struct MemoryOutcomes {
  std::vector<MemoryOutcome> found;
  bool all = true; ///< that could be tried was tried
};

/// Changes of a plan that does not fit. Single changes that save memory come first. If none of them
/// makes the plan fit with `lint.headroom` free in at most 10 % more time, pairs are tried, and if
/// no pair does, as many changes as needed, each the best next one. The result has a handful of
/// outcomes, at most two of one field: first those that leave `lint.headroom` free, by their step,
/// then those that fit, then the others by their peak. Offloads that a node cannot hold are left
/// out.
MemoryOutcomes memoryFixes(const ir::Plan& plan, const AcceptsPlan& takes);
/// Changes of a plan that offloads more than a node can hold: those that offload less and fit, the
/// shortest step first.
MemoryOutcomes hostMemoryFixes(const ir::Plan& plan, const AcceptsPlan& takes);

/// Of a plan that fits: the largest that still do of its micro-batch, its context and its depth,
/// each alone; a quantity that cannot grow at all is left out.
MemoryOutcomes largestThatFit(const ir::Plan& plan, const AcceptsPlan& takes);

} // namespace dpl
