#pragma once
//===- Noise.h - How much longer devices compute in a step than on average ----------------===//
#include "ir/Cluster.h"
#include "simulate/Distribution.h"

namespace dpl::simulation {

/// A function of device, seed and step.
class Noise {
public:
  explicit Noise(const ir::Cluster& cluster);
  double of(std::uint32_t device, std::uint64_t seed, std::uint32_t step) const;

private:
  /// Which of its numbers someone has in a step.
  std::uint32_t at(std::uint32_t rank, std::uint32_t step) const;
  std::uint32_t inNode;
  simulate::Distribution own, common;
  std::uint64_t lasts;
  bool shares;
};

} // namespace dpl::simulation
