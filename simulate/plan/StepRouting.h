#pragma once
//===- StepRouting.h - Drawn expert loads in a simulated step ---------------------------------===//
#include "cost/step/RoutedPrograms.h"
#include "simulate/plan/BusiestLoads.h"
#include "simulate/plan/StepShape.h"
#include <unordered_map>

namespace dpl::simulation {

/// The loads of one step. The popularity of experts is drawn per layer and step, the choices of
/// tokens per group of ranks and micro-batch. Draws are a function of seed and group.
class StepRouting {
public:
  /// `shared` has the loads that other simulations of this routing drew, or is null.
  StepRouting(const StepShape& shape, const cost::RoutedPrograms& bodies, BusiestLoads* shared);
  /// The number of simulated ranks and rendezvous, which identify draws.
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
  /// The segment with drawn loads. Computation depends on the tokens of the rank, a collective on
  /// the busiest rank of its group.
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
  /// A number that identifies the layer by pipeline rank, chunk and place in the chunk.
  std::uint64_t layerOf(std::uint32_t unit, const SegmentPosition& at,
                        const ir::ScheduledAction& op) const;

  const StepShape& shape;
  const cost::RoutedPrograms& programs;
  BusiestLoads* shared;
  ir::GroupId group; ///< group of ranks that divide the experts
  /// Distance of the layer numbers of two chunks; larger than the layers of any stage program.
  std::uint64_t layers = 0;
  /// Layers before each block of each stage program, those of the forward pass and those of the
  /// backward pass of a merged action. The last entry of a program counts all its layers.
  std::vector<std::vector<std::array<std::uint64_t, 2>>> before;
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
  std::unordered_map<std::uint64_t, std::vector<double>> chances; ///< by layer
  /// By rendezvous: the newest loads, because all members need the same ones successively.
  std::vector<std::array<Loads, 4>> loads;
};

} // namespace dpl::simulation
