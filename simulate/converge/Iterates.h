#pragma once
//===- Iterates.h - The parameters of a descent, and whether they have reached the goal -------===//
#include "simulate/converge/Problem.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::converge {

using Vector = std::vector<double>;

/// Compares each iterate with the goal.
class GoalCheck {
public:
  /// With `steady`, `window` iterates in a row have to reach the goal.
  GoalCheck(const Quadratic& problem, std::uint64_t window);
  /// The ending, given the squared distance from the minimum and the loss; empty while the descent
  /// continues.
  std::optional<Ending> judge(double squaredDistance, double loss);
  std::optional<Ending> judge(llvm::ArrayRef<double> x);

private:
  const Quadratic& problem;
  std::uint64_t window, reached = 0;
  double start; ///< distance or loss at the start, whichever the goal compares
};

/// Parameters and momentum buffer of SGD.
class Iterates {
public:
  Iterates(const Quadratic& problem, const Method& method);
  /// Sets `out` to the gradient at `x`, with the noise of this update.
  void gradient(llvm::ArrayRef<double> x, std::uint64_t update, Vector& out) const;
  /// Makes one update with a gradient that is `staleness` updates old.
  void apply(llvm::ArrayRef<double> gradient, std::uint64_t update, std::uint64_t staleness);
  const Vector& parameters() const { return x; }

private:
  const Quadratic& problem;
  const Method& method;
  Vector x, buffer;
};

/// Constant that separates the random numbers of descents from those of ranks, for one seed.
constexpr std::uint32_t drawsOfDescent = 0x636f6e76;
enum DrawKind : std::uint32_t { NoiseDraws, StalenessDraws, RoundingDraws };

} // namespace dpl::converge
