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
  std::size_t keep = 1; ///< number of changes to find, each of another field or block
  /// Limit of executed actions (countedActions), which needs about 0.2 s.
  std::uint64_t mostExecuted = 4'000'000;
  unsigned mostCompiled = 24; ///< limit of changed files that are compiled
};

struct AdviceResult {
  /// The changes with the shortest steps among those that leave `lint.headroom` of the memory free,
  /// the best first; only those that shorten the step by `leastGain`. If the plan does not fit, the
  /// changes with the shortest steps that fit.
  std::vector<Advice> found;
  /// Whether no change that was left out by a limit can be better.
  bool all = true;
  std::size_t changes = 0;  ///< legal changes, without those that search themselves
  std::size_t executed = 0; ///< changes whose step was executed
};

/// The smallest share of the step that a change must save.
constexpr double leastGain = 0.001;

/// Relies on: a complete plan, which may fail to fit or break an assertion.
AdviceResult adviceOn(const ir::Plan& plan, const AdviceRequest& request);

} // namespace dpl::planner
