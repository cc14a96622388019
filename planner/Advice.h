#pragma once
//===- Advice.h - The changes of a layout that gain most --------------------------------------===//
#include "planner/Neighbourhood.h"
#include <optional>
#include <vector>

namespace dpl::planner {

/// A change, and the complete plan of the changed file.
struct Advice {
  LayoutChange change;
  ir::Plan plan;
};

struct AdviceRequest {
  SupportsSchedule runs;
  /// The complete plan of the changed file. None if it is illegal, breaks an assertion, or its
  /// program refuses it. A plan that does not fit may be complete.
  std::function<std::optional<ir::Plan>(const LayoutChange&)> complete;
  std::size_t keep = 1; ///< number of changes to find, each of a different field or block
  /// Limit of executed actions, as countedActions counts them; executing so many needs about 0.2 s.
  std::uint64_t mostExecuted = 4'000'000;
  unsigned mostCompiled = 24; ///< limit of changed files that are compiled
};

struct AdviceResult {
  /// The changes with the shortest steps, the best first, that leave `lint.headroom` of the memory
  /// free and shorten the step by at least `leastGain`. If the plan does not fit, the changes with
  /// the shortest steps that fit.
  std::vector<Advice> found;
  /// Whether no change that a limit left out can be better.
  bool all = true;
  std::size_t changes = 0;  ///< number of legal changes, without those that search themselves
                            ///< (`searches`)
  std::size_t executed = 0; ///< number of changes whose step was executed
};

/// The smallest share of the step that a change must save.
constexpr double leastGain = 0.001;

/// Finds the best changes. Relies on: a complete plan, which may fail to fit or break an assertion.
AdviceResult adviceOn(const ir::Plan& plan, const AdviceRequest& request);

} // namespace dpl::planner
