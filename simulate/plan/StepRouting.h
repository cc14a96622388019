#pragma once
//===- StepRouting.h - What the experts of each rank are sent in a simulated step -------------===//
#include "cost/step/RoutedPrograms.h"
#include "simulate/plan/BusiestLoads.h"
#include "simulate/plan/StepShape.h"
#include <unordered_map>

namespace dpl::simulation {

/// Of one step at a time. How popular experts are is drawn for each layer and step, and what tokens
/// choose for each group of ranks and micro-batch; a function of the seed and of whose it is.
class StepRouting {
public:
  /// `shared` has loads that other simulations of this routing drew, or is null.
  StepRouting(const StepShape& shape, const cost::RoutedPrograms& bodies, BusiestLoads* shared);
  /// The number of units and of places where they meet, by which draws are named.
  static std::size_t instancesOf(const StepShape& shape);
  void begin(std::uint64_t seed, std::uint32_t step);

  /// A segment that a unit runs, by its place in the body of a pass.
  struct SegmentPosition {
    std::size_t program = 0, block = 0, segment = 0;
    std::uint64_t iteration = 0; ///< of the block
  };
  bool varies(const SegmentPosition& at) const {
    return programs.varies(at.program, at.block, at.segment);
  }
  /// Of varying ones: computation takes what the unit is sent, a call what the busiest of its group
  /// is.
  ir::Segment of(std::uint32_t unit, const SegmentPosition& at, const ir::ScheduledAction& op);

private:
  struct Loads {
    std::uint64_t layer = UINT64_MAX, microBatch = 0;
    std::vector<double> each; ///< by place in the group
    double most = 1;
  };
  /// With `ofBusiest` only the load of the busiest rank is known.
  const Loads& loadsOf(std::uint32_t instance, std::uint64_t layer, std::uint64_t microBatch,
                       bool ofBusiest);
  const std::vector<double>& chancesOf(std::uint64_t layer);
  /// From the beginning of the network on, of those that the chunk's passes count.
  std::uint64_t layerOf(std::uint32_t unit, const SegmentPosition& at,
                        const ir::ScheduledAction& op) const;

  const StepShape& shape;
  const cost::RoutedPrograms& programs;
  BusiestLoads* shared;
  ir::GroupId group;        ///< that divides experts
  std::uint64_t layers = 0; ///< more than any body has
  /// By body and block: iterations ahead of it, of a merged body those of its forward and of its
  /// backward; behind them all that there are.
  std::vector<std::vector<std::array<std::uint64_t, 2>>> before;
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
  std::unordered_map<std::uint64_t, std::vector<double>> chances; ///< by layer
  /// By where units meet; the newest, as all of them ask for the same after one another.
  std::vector<std::array<Loads, 4>> loads;
};

} // namespace dpl::simulation
