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
  /// By the squared distance from the minimum and the loss; nothing while the descent goes on.
  std::optional<Ending> judge(double squaredDistance, double loss);
  std::optional<Ending> judge(llvm::ArrayRef<double> x);

private:
  const Quadratic& problem;
  std::uint64_t window, reached = 0;
  double start; ///< the quantity of the goal
};

/// Parameters and momentum buffer of SGD.
class Iterates {
public:
  Iterates(const Quadratic& problem, const Method& method);
  /// The gradient at `x` into `out`, with the noise of an update.
  void gradient(llvm::ArrayRef<double> x, std::uint64_t update, Vector& out) const;
  /// One update with a gradient that is so many updates old.
  void apply(llvm::ArrayRef<double> gradient, std::uint64_t update, std::uint64_t staleness);
  const Vector& parameters() const { return x; }

private:
  const Quadratic& problem;
  const Method& method;
  Vector x, buffer;
};

/// The words that name the draws of a descent among those of a seed: not the ranks that compute.
constexpr std::uint32_t drawsOfDescent = 0x636f6e76;
enum DrawKind : std::uint32_t { NoiseDraws, StalenessDraws, RoundingDraws };

} // namespace dpl::converge
