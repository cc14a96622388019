#pragma once
//===- Jitter.h - How a time varies around its mean -------------------------------------------===//
#include <cstdint>
#include <vector>

namespace dpl::ir {

enum class JitterKind : std::uint8_t {
  None,
  LogNormal,
  Gamma,
  Exponential,
  Pareto,
  Rare,
  Measured
};
/// The variation of a device's time between steps, around a mean of 1.
struct Jitter {
  JitterKind kind = JitterKind::None;
  double spread = 0; ///< coefficient of variation; for Pareto the shape
  double node = 0;   ///< share of the logarithm's variance that devices of a node have in common
  std::uint64_t lasts = 1; ///< steps for which a device keeps its draw, for LogNormal and Measured
  double share = 0, slowdown = 1; ///< for Rare: fraction of steps that are slow, and their slowdown
  std::vector<double> times;      ///< for Measured: equally likely times with mean 1
  bool varies() const {
    return kind == JitterKind::Pareto || kind == JitterKind::Measured || spread > 0 ||
           (share > 0 && slowdown != 1);
  }
  template <class V> void fields(V& v) {
    v("kind", kind), v("spread", spread), v("node_correlation", node);
    if (kind == JitterKind::LogNormal || kind == JitterKind::Measured)
      v("persistence", lasts);
    if (kind == JitterKind::Rare)
      v("fraction", share), v("slowdown", slowdown);
    if (kind == JitterKind::Measured)
      v("times", times);
  }
};

} // namespace dpl::ir
