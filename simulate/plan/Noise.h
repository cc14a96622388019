#pragma once
//===- Noise.h - How much longer devices compute in a step than on average ----------------===//
#include "ir/Plan.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// What a jitter draws, without what a node has in common where it says that.
simulate::Distribution distributionOf(const ir::Jitter& jitter);

/// Whether the mean of simulated steps comes nearer to what it is the more there are, as it does by
/// the interval that they give: all that varies has a finite variance.
bool meanSettles(const ir::Plan& plan);

/// ps of such a mean that are drawn, at most 2^58, 80 hours, so that what follows can be counted.
std::uint64_t drawnTime(double mean, const simulate::Distribution& over, simulate::Draws& draws);

/// A function of device, seed and step.
class Noise {
public:
  explicit Noise(const ir::Cluster& cluster);
  double of(std::uint32_t device, std::uint64_t seed, std::uint32_t step) const;

private:
  /// Which of its numbers someone has in a step.
  std::uint32_t at(std::uint32_t rank, std::uint32_t step) const;
  std::uint32_t inNode;
  simulate::Distribution deviceDistribution, common;
  std::uint64_t lasts;
  bool shares;
};

/// The numbers of a device in steps that are so far apart do not depend on one another; 0 where
/// nothing varies.
inline std::uint64_t stepsApart(const ir::Cluster& cluster) {
  return cluster.jitter.varies() ? std::max<std::uint64_t>(1, cluster.jitter.lasts) : 0;
}

} // namespace dpl::simulation
