#pragma once
//===- MemoryFixes.h - Changes of a plan that reduce its memory -------------------------------===//
#include "cost/step/HostMemory.h"
#include "passes/Pass.h"
#include "passes/PlanChanges.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl {

/// The result of one or more changes of a plan, computed by the passes.
struct MemoryOutcome {
  std::string text;        ///< the changes as a text: "`micro_batch = 1seq` and `recompute = full`"
  std::size_t changes = 0; ///< number of changes in `text`
  ir::RankMemory tightest;
  double step = 0;                       ///< step time in seconds
  std::optional<cost::FullestNode> host; ///< fullest node; only if the plan offloads tensors
  bool nodeFits() const { return !host || host->fits(); }
  bool fits() const { return tightest.headroom() >= 0 && nodeFits(); }
  /// Free share of the device's usable memory; negative if the plan does not fit.
  double free() const {
    return static_cast<double>(tightest.headroom()) / static_cast<double>(tightest.usable);
  }
};
/// Limits the trials for one plan by a count, not by time: the actions of a step × the chunks per
/// rank, summed over all trials. The limit allows dozens of trials of steps with up to 100,000
/// actions, and eight trials of the largest steps.
class TrialBudget {
public:
  /// Whether the budget allows this plan too. After the first refusal no plan is allowed.
  bool allows(const ir::Plan& plan);
  bool spent() const { return isSpent; }

private:
  double remaining = 8e6;
  bool isSpent = false;
};
/// The outcome of changes; none if the passes fail, the program refuses the plan, or the budget is
/// spent.
std::optional<MemoryOutcome> outcomeOf(const ir::Plan& plan,
                                       llvm::ArrayRef<const PlanChange*> changes,
                                       const AcceptsPlan& takes, TrialBudget& budget);

struct MemoryOutcomes {
  std::vector<MemoryOutcome> found;
  bool all = true; ///< whether all possible changes were tried
};

/// Finds changes for a plan that does not fit. Single changes that save memory are tried first. If
/// none leaves `lint.headroom` free in at most 10 % more time, pairs are tried. If no pair does,
/// changes are added greedily. The result has a few outcomes, at most two per field: first those
/// that leave `lint.headroom` free, by step time, then those that fit, then the others by peak
/// memory. Offloads that exceed the node's memory are left out.
MemoryOutcomes memoryFixes(const ir::Plan& plan, const AcceptsPlan& takes);
/// Finds changes for a plan that offloads more than a node's memory: changes that offload less and
/// with which the plan fits, the shortest step first.
MemoryOutcomes hostMemoryFixes(const ir::Plan& plan, const AcceptsPlan& takes);

/// For a plan that fits: the largest micro-batch, context and depth with which it fits, each
/// changed alone. Quantities that cannot be increased are left out.
MemoryOutcomes largestThatFit(const ir::Plan& plan, const AcceptsPlan& takes);

} // namespace dpl
