#pragma once
//===- RandomPlan.h - Legal plans of every sort, from a seed ----------------------------------===//
#include "ir/Plan.h"

namespace dpl::test {

/// Numbers from a seed, the same everywhere (splitmix64, Steele, Lea and Flood 2014).
class Random {
public:
  explicit Random(std::uint64_t seed) : state(seed) {}
  std::uint64_t next();
  /// 0 … n−1.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  bool oneIn(std::uint64_t n) { return below(n) == 0; }
  double between(double low, double high);
  template <class T> T pick(std::initializer_list<T> of) { return of.begin()[below(of.size())]; }
  /// The same for sizes and counts.
  std::uint64_t size(std::initializer_list<int> of) { return static_cast<std::uint64_t>(pick(of)); }

private:
  std::uint64_t state;
};

/// A plan as the front end leaves it, legal by the way it is made: dense decoders, encoders,
/// experts, latent attention, layer lists; every schedule; even, balanced and listed splits;
/// clusters of one to three levels, of one kind of device and mixed. Devices have more memory than
/// any plan needs. A schedule that refuses the shape is left for check-layout to say.
ir::Plan randomPlan(std::uint64_t seed);
/// How many a property is tried on: DPL_PROPERTY_PLANS, or 300.
std::uint64_t plansToMake();

} // namespace dpl::test
