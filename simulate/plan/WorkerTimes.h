#pragma once
//===- WorkerTimes.h - Step times of data ranks -----------------------------------------------===//
#include "ir/Plan.h"
#include "simulate/engine/Throttling.h"
#include "simulate/plan/Noise.h"

namespace dpl::simulation {

/// Draws the step times of workers; it is called in the order of steps. A worker's time consists of
/// its micro-batches and its optimizer step. It depends on the speed of its device and on its
/// random number in the step, and grows while other workers on the same host communicate.
class WorkerTimes {
public:
  /// `compute` is the ps of a step of the slowest device without variation, `update` the part of it
  /// that is the optimizer step.
  WorkerTimes(const ir::Plan& plan, std::uint64_t seed, double compute, double update);
  double of(std::uint32_t worker, std::uint32_t step);

  const simulate::Throttling& throttling() const { return throttled; }
  double lastDelay() const { return groups.empty() ? 0 : groups.front().lastDelay(); }
  /// The slowdown by communication in the first group, declared or measured.
  double coupling() const { return groups.empty() ? 1 : groups.front().coupling(); }
  /// The times that the workers of each throttled group need without the bus; empty without delays.
  const std::vector<simulate::StepsOfGroup>& alone() const { return unthrottled; }
  const std::vector<std::uint64_t>& shares() const { return distributed; }

private:
  void begin(std::uint32_t step);
  void rebalance();
  void distribute(const std::vector<double>& weights);

  const ir::Plan& plan;
  std::uint64_t seed;
  double each, update; ///< ps of a micro-batch and of the optimizer step, on the slowest device
  bool varies, adapts;
  Noise noise;
  std::vector<double> relative;           ///< by worker: time of its device divided by that of the
                                          ///< slowest device
  std::vector<double> seen;               ///< by worker: running mean of the measured time of a
                                          ///< micro-batch
  std::vector<double> times;              ///< times of the workers in the current step
  std::vector<std::uint64_t> distributed; ///< number of micro-batches, by worker
  simulate::Throttling throttled;
  std::vector<simulate::ThrottledGroup> groups;
  std::vector<simulate::StepsOfGroup> unthrottled;
  std::uint64_t current = UINT64_MAX;
};

} // namespace dpl::simulation
