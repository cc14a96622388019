#pragma once
//===- Problem.h - A quadratic and the method that descends it --------------------------------===//
//
// This folder runs optimizer steps and counts them. It does not depend on plans: a study of a run
// whose phase has a problem calls it, and no figure of a plan depends on the results.
//
// The problem is f(x) = Σ λ_i x_i² / 2 from x = 1. Its coordinates do not interact, so that SGD
// with momentum is one recursion for each curvature λ_i. There are three ways to run it:
//
//  - Descent: each step uses the gradient at the current parameters, or at parameters that are a
//    stated number of updates old. Without noise the iterates are computed. With noise, and
//    gradients that are neither stale nor compressed, the exact expectations of x², x·m and m² are
//    computed without random draws. Otherwise the noise is drawn.
//  - Replay: updates happen in the order in which simulated workers made them (simulate/engine).
//    Each uses the gradient at the parameters that its worker had read. Staleness is a result.
//  - Closed forms: the largest stable learning rate, the loss at which noise balances descent, and
//    the distance between workers that average only sometimes.
//
// Draws depend only on seed and step, so that variants of a method get the same noise.
#include <cstdint>
#include <map>
#include <vector>

namespace dpl::converge {

/// The quantity that has to fall to the goal: the distance from the minimum or the loss, both
/// divided by their values at the start, or the loss itself.
enum class GoalKind : std::uint8_t { Distance, Loss, LossValue };

struct Quadratic {
  std::vector<double> curvatures; ///< eigenvalues λ of the quadratic: at least one, all above 0
  GoalKind goal = GoalKind::Distance;
  double goalValue = 0;
  /// Whether the goal also has to hold for all older parameters that later updates can still read.
  bool steady = false;
  std::uint64_t mostUpdates = 1;

  double largestCurvature() const;
  double lossAtStart() const;
};

/// The place at which a gradient that is s updates old is multiplied by 1 / (1 + s): before it
/// enters the momentum buffer, or in the step that leaves the buffer.
enum class WeightKind : std::uint8_t { None, Gradient, Step };

/// m ← β·m + γ·w·g, x ← x − rate·m, with γ = 1, or 1 − β for the averaging form.
struct Method {
  double rate = 0;
  std::uint64_t warmup = 0; ///< number of updates over which the learning rate rises to `rate`
  double momentum = 0;
  bool averages = false;
  WeightKind weight = WeightKind::None;
  double variance = 0; ///< noise variance of one coordinate of an update's gradient
  std::uint64_t seed = 1;

  double share() const { return averages ? 1 - momentum : 1; }
  double rateAt(std::uint64_t update) const;
  double weightOf(std::uint64_t staleness) const;
};

enum class Ending : std::uint8_t {
  Reached,
  Diverged,  ///< the distance from the minimum is a million times that at the start
  GaveUp,    ///< the goal is not reached within `mostUpdates`
  OutOfData, ///< a replay reaches the end of the recorded updates
  TooStale   ///< a replay needs too many old parameters
};

struct Outcome {
  Ending ending = Ending::GaveUp;
  std::uint64_t updates = 0, rejected = 0;
  double time = 0;                                  ///< time in ps of the last update of a replay
  std::map<std::uint64_t, std::uint64_t> staleness; ///< number of updates for each staleness
  double residual = 0; ///< norm of the kept error, divided by that of the first gradient

  double meanStaleness() const;
  /// The quantile `fraction` of the staleness of updates.
  double stalenessAt(double fraction) const;
};

} // namespace dpl::converge
