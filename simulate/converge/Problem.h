#pragma once
//===- Problem.h - A quadratic and the method that descends it --------------------------------===//
//
// This room takes optimizer steps and counts them. It knows no plan: a study of a run whose phase
// has a problem hands it numbers, and no figure of a plan depends on what it answers.
//
// The problem is f(x) = Σ λ_i x_i² / 2 from x = 1. Its coordinates do not interact, so that SGD
// with momentum is one recursion for each curvature λ_i. There are three ways to run it:
//
//  - Descent: each step uses the gradient at the current parameters, or at parameters that are a
//    stated number of updates old. Without noise the iterates are followed. With noise, and where
//    the recursion is linear and not stale, the exact expectations of x², x·m and m² are followed,
//    so that no draw is needed. With noise and stale or compressed gradients, noise is drawn.
//  - Replay: updates happen in the order in which simulated workers made them (simulate/engine),
//  each
//    with the gradient at the parameters which its worker had read. The staleness is a result.
//  - Closed forms: the largest stable learning rate, the loss at which noise balances descent, and
//    the distance between workers that average only sometimes.
//
// Draws are named by seed and step, so that variants of a method meet the same noise.
#include <cstdint>
#include <map>
#include <vector>

namespace dpl::converge {

/// What has to fall to the goal: the distance from the minimum or the loss, as shares of their
/// values at the start, or the loss itself.
enum class GoalKind : std::uint8_t { Distance, Loss, LossValue };

struct Quadratic {
  std::vector<double> curvatures; ///< at least one, above 0
  GoalKind goal = GoalKind::Distance;
  double goalValue = 0;
  bool steady = false; ///< all iterates that a later update may read have to reach it
  std::uint64_t mostUpdates = 1;

  double largestCurvature() const;
  double lossAtStart() const;
};

/// Where the weight 1 / (1 + s) of a gradient that is s updates old applies: to the gradient before
/// it enters the momentum buffer, or to the step after it.
enum class WeightKind : std::uint8_t { None, Gradient, Step };

/// m ← β·m + γ·w·g, x ← x − rate·m, with γ = 1, or 1 − β for the averaging form.
struct Method {
  double rate = 0;
  std::uint64_t warmup = 0; ///< updates over which the rate rises to its value
  double momentum = 0;
  bool averages = false;
  WeightKind weight = WeightKind::None;
  double variance = 0; ///< of the noise in one coordinate of the gradient that an update uses
  std::uint64_t seed = 1;

  double share() const { return averages ? 1 - momentum : 1; }
  double rateAt(std::uint64_t update) const;
  double weightOf(std::uint64_t staleness) const;
};

enum class Ending : std::uint8_t {
  Reached,
  Diverged,  ///< a million times as far from the minimum as at the start
  GaveUp,    ///< after `mostUpdates`
  OutOfData, ///< a replay whose recorded updates do not suffice
  TooStale   ///< a replay that would have to keep too many old parameters
};

struct Outcome {
  Ending ending = Ending::GaveUp;
  std::uint64_t updates = 0, rejected = 0;
  double time = 0;                                  ///< ps of the last update of a replay
  std::map<std::uint64_t, std::uint64_t> staleness; ///< how many updates had each
  double residual = 0; ///< norm of what error feedback holds, over that of the first gradient

  double meanStaleness() const;
  /// The smallest staleness that a share of `fraction` of the updates does not exceed.
  double stalenessAt(double fraction) const;
};

} // namespace dpl::converge
