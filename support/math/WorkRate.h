#pragma once
//===- WorkRate.h - The rate at which a run works, with times in which it is slower -----------===//
#include <vector>

namespace dpl::simulate {

/// A time in which the run works at less than its full rate, in seconds since its start.
struct SlowTime {
  double begin = 0, end = 0; ///< infinity: until the run ends
  double rate = 1;           ///< work per second
};

/// The work of a run over time. Work is in seconds at the full rate.
class WorkRate {
public:
  WorkRate() = default;
  /// The times are in order and apart.
  explicit WorkRate(std::vector<SlowTime> times) : times(std::move(times)) {}
  bool varies() const { return !times.empty(); }
  double at(double now) const;
  /// The next time at which the rate changes; infinity if it does not.
  double changesAfter(double now) const;
  /// The time that the work takes from now on.
  double timeFor(double work, double now) const;
  /// The work of this time from now on.
  double workIn(double time, double now) const;

private:
  std::vector<SlowTime> times;
};

} // namespace dpl::simulate
