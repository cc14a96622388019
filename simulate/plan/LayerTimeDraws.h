#pragma once
//===- LayerTimeDraws.h - Random times of layers ----------------------------------------------===//
#include "simulate/plan/StepShape.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// Draws a factor on the time of each layer whose layer type has a distribution, for each action
/// and device. A simulated rank has the factor of the slowest device that it represents.
class LayerTimeDraws {
public:
  explicit LayerTimeDraws(const StepShape& shape);
  static bool has(const ir::Plan& plan);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep) { seed = ofSeed, step = ofStep; }
  /// The factor on a layer's time, by layer type, in the action number `operation` of the rank's
  /// schedule. `layer` is the number of earlier layers in that action.
  double of(std::uint32_t unit, std::uint64_t layerType, std::size_t operation,
            std::uint32_t layer) const;

private:
  /// Offset of the random numbers, which separates them from those of devices.
  static constexpr std::uint32_t ofLayerTimes = std::uint32_t{1} << 31;
  std::vector<std::optional<simulate::Distribution>> layerTypes;
  std::vector<std::vector<std::uint32_t>> devices; ///< devices by simulated rank
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
};

} // namespace dpl::simulation
