#pragma once
//===- Descent.h - Steps with current gradients, or with gradients of a stated staleness ------===//
#include "simulate/converge/Compressor.h"

namespace dpl::converge {

struct DescentRequest {
  /// Updates between the parameters of a gradient and its update: always `staleness`, or drawn
  /// evenly from 0 to it.
  std::uint64_t staleness = 0;
  bool drawn = false;
  /// Updates between two averages of the workers, at which the goal is checked.
  std::uint64_t period = 1;
  Compression compression;
};

Outcome descend(const Quadratic& problem, const Method& method, const DescentRequest& request);

/// Exact expectations of x², x·m and m² of one coordinate, over all draws of the noise.
struct Moments {
  double x2 = 1, xm = 0, m2 = 0;
  void step(const Method& method, double rate, double curvature);
};

} // namespace dpl::converge
