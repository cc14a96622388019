//===- Iterates.cpp - The parameters of a descent, and whether they have reached the goal -----===//
#include "simulate/converge/Iterates.h"
#include "support/math/Random.h"
#include <cmath>

using namespace dpl::converge;

GoalCheck::GoalCheck(const Quadratic& problem, std::uint64_t window)
    : problem(problem), window(problem.steady ? window : 1),
      start(problem.goal == GoalKind::Distance
                ? std::sqrt(static_cast<double>(problem.curvatures.size()))
                : problem.lossAtStart()) {}

std::optional<Ending> GoalCheck::judge(double squaredDistance, double loss) {
  constexpr double far = 1e6;
  const bool distance = problem.goal == GoalKind::Distance;
  const double value = distance ? std::sqrt(squaredDistance) : loss;
  // This condition also covers NaN, which is not below any number.
  if (!(value < (distance ? far : far * far) * start))
    return Ending::Diverged;
  const double goal =
      problem.goal == GoalKind::LossValue ? problem.goalValue : problem.goalValue * start;
  reached = value <= goal ? reached + 1 : 0;
  return reached >= window ? std::optional(Ending::Reached) : std::nullopt;
}

std::optional<Ending> GoalCheck::judge(llvm::ArrayRef<double> x) {
  double squared = 0, loss = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squared += x[i] * x[i];
    loss += problem.curvatures[i] * x[i] * x[i] / 2;
  }
  return judge(squared, loss);
}

Iterates::Iterates(const Quadratic& problem, const Method& method)
    : problem(problem), method(method), x(problem.curvatures.size(), 1.0), buffer(x.size()) {}

void Iterates::gradient(llvm::ArrayRef<double> at, std::uint64_t update, Vector& out) const {
  out.resize(at.size());
  for (std::size_t i = 0; i < at.size(); ++i)
    out[i] = problem.curvatures[i] * at[i];
  if (method.variance == 0)
    return;
  dpl::simulate::Draws draws(
      {method.seed, drawsOfDescent, NoiseDraws, static_cast<std::uint32_t>(update)});
  const double deviation = std::sqrt(method.variance);
  for (double& each : out)
    each += deviation * draws.normal();
}

void Iterates::apply(llvm::ArrayRef<double> gradient, std::uint64_t update,
                     std::uint64_t staleness) {
  const double weight = method.weightOf(staleness), rate = method.rateAt(update);
  const double entering = method.share() * (method.weight == WeightKind::Gradient ? weight : 1);
  const double step = rate * (method.weight == WeightKind::Step ? weight : 1);
  if (method.momentum == 0) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] -= step * entering * gradient[i];
    return;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    buffer[i] = method.momentum * buffer[i] + entering * gradient[i];
    x[i] -= step * buffer[i];
  }
}
