#pragma once
//===- StepRouting.h - Drawn expert loads in a simulated step ---------------------------------===//
#include "cost/step/RoutedPrograms.h"
#include "simulate/plan/BusiestLoads.h"
#include "simulate/plan/StepShape.h"
#include <unordered_map>

namespace dpl::simulation {

/// Draws the loads of experts in one step. The popularity of experts is drawn per layer and step,
/// the choices of tokens per group of ranks and micro-batch. Draws depend only on the seed and
/// these numbers.
class StepRouting {
public:
  /// `shared` contains loads that other simulations of this routing drew, or is null.
  StepRouting(const StepShape& shape, const cost::RoutedPrograms& bodies, BusiestLoads* shared);
  /// The larger of the numbers of simulated ranks and of rendezvous; draws are identified by one of
  /// them.
  static std::size_t instancesOf(const StepShape& shape);
  void begin(std::uint64_t seed, std::uint32_t step);

  /// The position of a segment in the stage program of an action.
  struct SegmentPosition {
    std::size_t program = 0, block = 0, segment = 0;
    std::uint64_t iteration = 0; ///< iteration of the block
  };
  bool varies(const SegmentPosition& at) const {
    return programs.varies(at.program, at.block, at.segment);
  }
  /// The segment with its drawn time. A computation depends on the tokens of the rank, a collective
  /// on the tokens of the busiest rank of its group.
  ir::Segment of(std::uint32_t unit, const SegmentPosition& at, const ir::ScheduledAction& op);

private:
  struct Loads {
    std::uint64_t layer = UINT64_MAX, microBatch = 0;
    std::vector<double> each; ///< load of each rank, in group order
    double most = 1;
  };
  /// If `ofBusiest` is set, only the load of the busiest rank is computed.
  const Loads& loadsOf(std::uint32_t instance, std::uint64_t layer, std::uint64_t microBatch,
                       bool ofBusiest);
  const std::vector<double>& chancesOf(std::uint64_t layer);
  /// A number that identifies the layer, made of its pipeline rank, chunk and place in the chunk.
  std::uint64_t layerOf(std::uint32_t unit, const SegmentPosition& at,
                        const ir::ScheduledAction& op) const;

  const StepShape& shape;
  const cost::RoutedPrograms& programs;
  BusiestLoads* shared;
  ir::GroupId group; ///< group of ranks that divide the experts
  /// Difference between the first layer numbers of two chunks, above the layers of any stage
  /// program.
  std::uint64_t layers = 0;
  /// By stage program and block: number of layers before the block, [0] in the forward pass and [1]
  /// in the backward pass of a merged action. The last entry of a program counts all its layers.
  std::vector<std::vector<std::array<std::uint64_t, 2>>> before;
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
  std::unordered_map<std::uint64_t, std::vector<double>> chances; ///< popularity of the experts, by
                                                                  ///< layer
  /// By rendezvous: the newest loads, because the members need the same ones shortly after each
  /// other.
  std::vector<std::array<Loads, 4>> loads;
};

} // namespace dpl::simulation
