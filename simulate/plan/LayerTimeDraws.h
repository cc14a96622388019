#pragma once
//===- LayerTimeDraws.h - How long passes of layers take whose times vary
//----------------------===//
#include "simulate/plan/StepShape.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// Of listed layers that say how their times vary: drawn anew for each pass of each layer and each
/// device. A unit that stands for several is as slow as the slowest of them.
class LayerTimeDraws {
public:
  explicit LayerTimeDraws(const StepShape& shape);
  static bool has(const ir::Plan& plan);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep) { seed = ofSeed, step = ofStep; }
  /// How many times as long a layer takes, by its class, in an operation of the unit's list, behind
  /// so many others of that pass.
  double of(std::uint32_t unit, std::uint64_t layerType, std::size_t operation,
            std::uint32_t layer) const;

private:
  /// Of random numbers, of which devices have 0.
  static constexpr std::uint32_t ofLayerTimes = std::uint32_t{1} << 31;
  std::vector<std::optional<simulate::Distribution>> layerTypes;
  std::vector<std::vector<std::uint32_t>> devices; ///< by unit
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
};

} // namespace dpl::simulation
