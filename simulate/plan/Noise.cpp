//===- Noise.cpp - Random factors on the computation time of devices --------------------------===//
#include "simulate/plan/Noise.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

simulate::Distribution dpl::simulation::distributionOf(const Jitter& jitter) {
  if (!jitter.varies())
    return simulate::Distribution::logNormal(0);
  switch (jitter.kind) {
  case JitterKind::Gamma:
    return simulate::Distribution::gamma(jitter.spread);
  case JitterKind::Exponential:
    return simulate::Distribution::exponential(jitter.spread);
  case JitterKind::Pareto:
    return simulate::Distribution::pareto(jitter.spread);
  case JitterKind::Rare:
    return simulate::Distribution::rare(jitter.spread, jitter.share, jitter.slowdown);
  case JitterKind::Measured:
    return simulate::Distribution::measured(jitter.times);
  case JitterKind::None:
  case JitterKind::LogNormal:
    break;
  }
  return simulate::Distribution::logNormal(jitter.spread, 1 - jitter.node);
}

bool dpl::simulation::meanSettles(const Plan& plan) {
  const auto settles = [](const Jitter& jitter) {
    return jitter.kind != JitterKind::Pareto || jitter.spread > 2;
  };
  const auto has = [&](const auto& varying) { return settles(varying.jitter); };
  return settles(plan.cluster.jitter) && llvm::all_of(plan.cluster.loading, has) &&
         llvm::all_of(plan.cluster.delay, has) &&
         llvm::all_of(plan.model.layerTypes,
                      [&](const LayerType& c) { return llvm::all_of(c.stated.jitter, settles); });
}

std::uint64_t dpl::simulation::drawnTime(double mean, const simulate::Distribution& over,
                                         simulate::Draws& draws) {
  constexpr double most = 0x1p58;
  return static_cast<std::uint64_t>(std::min(mean * over.sample(draws) + 0.5, most));
}

Noise::Noise(const Cluster& cluster)
    : inNode(static_cast<std::uint32_t>(cluster.gpusPerNode)),
      deviceDistribution(distributionOf(cluster.jitter)),
      common(simulate::Distribution::logNormal(cluster.jitter.spread, cluster.jitter.node)),
      lasts(cluster.jitter.lasts), shares(cluster.jitter.node > 0) {}

std::uint32_t Noise::at(std::uint32_t rank, std::uint32_t step) const {
  // The steps at which ranks change their random numbers are spread out.
  return lasts > 1 ? static_cast<std::uint32_t>(
                         (step + rank * std::uint64_t{2'654'435'761} % lasts) / lasts)
                   : step;
}

double Noise::of(std::uint32_t device, std::uint64_t seed, std::uint32_t step) const {
  simulate::Draws draws({seed, 0, device, at(device, step)});
  const double factor = deviceDistribution.sample(draws);
  if (!shares)
    return factor;
  // Device numbers are below 2^31, so the top bit marks a node.
  const std::uint32_t node = device / inNode | std::uint32_t{1} << 31;
  simulate::Draws ofNode({seed, 0, node, at(node, step)});
  return factor * common.sample(ofNode);
}
