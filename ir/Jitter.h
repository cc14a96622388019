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
/// How the time of a device varies from step to step, around a mean of 1.
struct Jitter {
  JitterKind kind = JitterKind::None;
  double spread = 0; ///< coefficient of variation; of Pareto times the shape
  double node = 0;   ///< share of the logarithm's variance that devices of a node have in common
  std::uint64_t lasts = 1; ///< steps that a device keeps its number for, of LogNormal and Measured
  double share = 0, slowdown = 1; ///< of Rare: so many steps take so many times as long
  std::vector<double> times;      ///< of Measured: each as likely as the others, of mean 1
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
