#pragma once
//===- Descent.h - Steps with current gradients, or with gradients of a stated staleness ------===//
#include "simulate/converge/Compressor.h"

namespace dpl::converge {

struct DescentRequest {
  /// Number of updates between the parameters of a gradient and the update that uses it. If `drawn`
  /// is set, it is drawn uniformly from 0 to `staleness`.
  std::uint64_t staleness = 0;
  bool drawn = false;
  /// Number of updates between two averages of the workers. The goal is checked at each average.
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
