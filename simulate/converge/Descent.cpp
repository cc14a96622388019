//===- Descent.cpp - Steps with current gradients, or with gradients of a stated staleness ----===//
#include "simulate/converge/Descent.h"
#include "support/math/Random.h"
#include <deque>

using namespace dpl::converge;

void Moments::step(const Method& method, double rate, double curvature) {
  const double share = method.share(), noise = share * share * method.variance;
  if (method.momentum == 0) {
    const double kept = 1 - rate * share * curvature;
    x2 = kept * kept * x2 + rate * rate * noise;
    return;
  }
  const double beta = method.momentum, pull = share * curvature;
  const double newXm = beta * xm + pull * x2;
  const double newM2 = beta * beta * m2 + 2 * beta * pull * xm + pull * pull * x2 + noise;
  x2 = x2 - 2 * rate * newXm + rate * rate * newM2;
  xm = newXm - rate * newM2;
  m2 = newM2;
}

namespace {
/// Computes the exact expectations in place of random draws, for gradients that have noise but are
/// neither stale nor compressed.
Outcome descendOnAverage(const Quadratic& problem, const Method& method,
                         const DescentRequest& request) {
  Outcome out;
  std::vector<Moments> all(problem.curvatures.size());
  GoalCheck goal(problem, 1);
  while (out.updates < problem.mostUpdates) {
    double squared = 0, loss = 0;
    const double rate = method.rateAt(out.updates);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].step(method, rate, problem.curvatures[i]);
      squared += all[i].x2;
      loss += problem.curvatures[i] * all[i].x2 / 2;
    }
    ++out.updates, ++out.staleness[0];
    if (out.updates % request.period != 0)
      continue;
    if (const auto ending = goal.judge(squared, loss)) {
      out.ending = *ending;
      return out;
    }
  }
  return out;
}

/// Computes each iterate, and keeps as many old parameters as stale gradients need.
Outcome descendByIterates(const Quadratic& problem, const Method& method,
                          const DescentRequest& request) {
  Outcome out;
  Iterates iterates(problem, method);
  Compressor compressor(request.compression, method, problem.curvatures.size());
  GoalCheck goal(problem, request.staleness + 1);
  std::deque<Vector> before(request.staleness, iterates.parameters()); // the newest last
  dpl::simulate::Draws draws({method.seed, drawsOfDescent, StalenessDraws, 0});
  Vector gradient;
  double first = 0;
  while (out.updates < problem.mostUpdates) {
    const auto range = static_cast<double>(request.staleness + 1);
    const std::uint64_t staleness =
        request.drawn ? static_cast<std::uint64_t>(draws.uniform() * range) : request.staleness;
    iterates.gradient(staleness == 0 ? iterates.parameters() : before[before.size() - staleness],
                      out.updates, gradient);
    if (out.updates == 0)
      first = normOf(gradient);
    compressor.compress(gradient, out.updates);
    if (request.staleness > 0) {
      before.push_back(iterates.parameters());
      before.pop_front();
    }
    iterates.apply(gradient, out.updates, staleness);
    ++out.updates, ++out.staleness[staleness];
    if (out.updates % request.period != 0)
      continue;
    if (const auto ending = goal.judge(iterates.parameters())) {
      out.ending = *ending;
      break;
    }
  }
  out.residual = first > 0 ? compressor.keptNorm() / first : 0;
  return out;
}
} // namespace

Outcome dpl::converge::descend(const Quadratic& problem, const Method& method,
                               const DescentRequest& request) {
  const bool linear = request.staleness == 0 && request.compression.kind == CompressorKind::None;
  return method.variance > 0 && linear ? descendOnAverage(problem, method, request)
                                       : descendByIterates(problem, method, request);
}
