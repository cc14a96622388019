#pragma once
//===- Noise.h - Random factors on the computation time of devices ----------------------------===//
#include "ir/Plan.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// The distribution of a jitter, without the part that all devices of a node have in common.
simulate::Distribution distributionOf(const ir::Jitter& jitter);

/// Whether the mean of simulated steps converges as its confidence interval states. It does if all
/// distributions have a finite variance.
bool meanSettles(const ir::Plan& plan);

/// Draws a time with this mean in ps, limited to 2^58 (80 hours) so that sums fit.
std::uint64_t drawnTime(double mean, const simulate::Distribution& over, simulate::Draws& draws);

/// A random factor on computation time, which depends on device, seed and step.
class Noise {
public:
  explicit Noise(const ir::Cluster& cluster);
  double of(std::uint32_t device, std::uint64_t seed, std::uint32_t step) const;

private:
  /// The index of a rank's random number in a step; several steps can have the same one.
  std::uint32_t at(std::uint32_t rank, std::uint32_t step) const;
  std::uint32_t inNode;
  simulate::Distribution deviceDistribution, common;
  std::uint64_t lasts;
  bool shares;
};

/// The distance of two steps that have independent factors; 0 if nothing varies.
inline std::uint64_t stepsApart(const ir::Cluster& cluster) {
  return cluster.jitter.varies() ? std::max<std::uint64_t>(1, cluster.jitter.lasts) : 0;
}

} // namespace dpl::simulation
