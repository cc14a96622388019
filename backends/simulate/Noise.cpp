//===- Noise.cpp - How much longer devices compute in a step than on average --------------===//
#include "backends/simulate/Noise.h"

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

namespace {
simulate::Distribution ownOf(const Jitter& jitter) {
  switch (jitter.kind) {
  case JitterKind::Gamma:
    return simulate::Distribution::gamma(jitter.spread);
  case JitterKind::Exponential:
    return simulate::Distribution::exponential(jitter.spread);
  case JitterKind::Pareto:
    return simulate::Distribution::pareto(jitter.spread);
  case JitterKind::None:
  case JitterKind::LogNormal:
    break;
  }
  return simulate::Distribution::logNormal(jitter.spread, 1 - jitter.node);
}
} // namespace

Noise::Noise(const Cluster& cluster)
    : inNode(static_cast<std::uint32_t>(cluster.gpusPerNode)), own(ownOf(cluster.jitter)),
      common(simulate::Distribution::logNormal(cluster.jitter.spread, cluster.jitter.node)),
      shares(cluster.jitter.node > 0) {}

double Noise::of(std::uint32_t device, std::uint64_t seed, std::uint32_t step) const {
  simulate::Draws draws({seed, 0, device, step});
  const double factor = own.sample(draws);
  if (!shares)
    return factor;
  // Ranks are below 2^31.
  simulate::Draws ofNode({seed, 0, device / inNode | std::uint32_t{1} << 31, step});
  return factor * common.sample(ofNode);
}
