#pragma once
//===- WorkerTimes.h - How long each data rank of a plan computes in each step ---------------===//
#include "ir/Plan.h"
#include "simulate/engine/Throttling.h"
#include "simulate/plan/Noise.h"

namespace dpl::simulation {

/// Asked in the order of steps. A worker's time is that of its micro-batches and of its update, by
/// the speed of its device and its number of the step, and longer where others that share its host
/// communicate.
class WorkerTimes {
public:
  /// `compute`: ps of a step of the slowest device where nothing varies, `update` of it.
  WorkerTimes(const ir::Plan& plan, std::uint64_t seed, double compute, double update);
  double of(std::uint32_t worker, std::uint32_t step);

  const simulate::Throttling& throttling() const { return throttled; }
  double lastDelay() const { return groups.empty() ? 0 : groups.front().lastDelay(); }
  /// Of the first group, as declared or measured.
  double coupling() const { return groups.empty() ? 1 : groups.front().coupling(); }
  /// The steps of each group that shares something, by themselves; none where nobody is delayed.
  const std::vector<simulate::StepsOfGroup>& alone() const { return unthrottled; }
  const std::vector<std::uint64_t>& shares() const { return distributed; }

private:
  void begin(std::uint32_t step);
  void rebalance();
  void distribute(const std::vector<double>& weights);

  const ir::Plan& plan;
  std::uint64_t seed;
  double each, update; ///< ps of a micro-batch and of the update, on the slowest device
  bool varies, adapts;
  Noise noise;
  std::vector<double> relative; ///< by worker: its device's time over that of the slowest
  std::vector<double> seen;     ///< by worker: of a micro-batch, as the steps so far have shown
  std::vector<double> times;    ///< of the step
  std::vector<std::uint64_t> distributed; ///< micro-batches by worker
  simulate::Throttling throttled;
  std::vector<simulate::ThrottledGroup> groups;
  std::vector<simulate::StepsOfGroup> unthrottled;
  std::uint64_t current = UINT64_MAX;
};

} // namespace dpl::simulation
