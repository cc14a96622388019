//===- LayerTimeDraws.cpp - Random times of layers --------------------------------------------===//
#include "simulate/plan/LayerTimeDraws.h"
#include "simulate/plan/Noise.h"

using namespace dpl;
using namespace dpl::simulation;

bool LayerTimeDraws::has(const ir::Plan& plan) {
  for (const ir::LayerType& of : plan.model.layerTypes)
    if (!of.stated.jitter.empty())
      return true;
  return false;
}

LayerTimeDraws::LayerTimeDraws(const StepShape& shape) {
  for (const ir::LayerType& of : shape.plan.model.layerTypes) {
    layerTypes.emplace_back();
    if (!of.stated.jitter.empty())
      layerTypes.back() = distributionOf(of.stated.jitter.front());
  }
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    devices.push_back(shape.devicesOf(unit));
}

double LayerTimeDraws::of(std::uint32_t unit, std::uint64_t layerType, std::size_t operation,
                          std::uint32_t layer) const {
  constexpr std::uint32_t apart = 2'654'435'761U; // odd and large, so that neighbouring numbers
                                                  // differ widely
  const std::uint32_t pass = static_cast<std::uint32_t>(operation) * apart + layer;
  double most = 0;
  for (const std::uint32_t device : devices[unit]) {
    simulate::Draws draws({seed, ofLayerTimes | pass, device, step});
    most = std::max(most, layerTypes[layerType]->sample(draws));
  }
  return most;
}
