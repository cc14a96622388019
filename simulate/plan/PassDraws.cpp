//===- PassDraws.cpp - How long passes of layers take whose times vary ------------------------===//
#include "simulate/plan/PassDraws.h"
#include "simulate/plan/Noise.h"

using namespace dpl;
using namespace dpl::simulation;

bool PassDraws::has(const ir::Plan& plan) {
  for (const ir::LayerClass& of : plan.model.classes)
    if (!of.stated.jitter.empty())
      return true;
  return false;
}

PassDraws::PassDraws(const StepShape& shape) {
  for (const ir::LayerClass& of : shape.plan.model.classes) {
    classes.emplace_back();
    if (!of.stated.jitter.empty())
      classes.back() = distributionOf(of.stated.jitter.front());
  }
  for (std::uint32_t unit = 0; unit < shape.units(); ++unit)
    devices.push_back(shape.devicesOf(unit));
}

double PassDraws::of(std::uint32_t unit, std::uint64_t layerClass, std::size_t operation,
                     std::uint32_t layer) const {
  constexpr std::uint32_t apart = 2'654'435'761U; // odd: neighbours are far from one another
  const std::uint32_t pass = static_cast<std::uint32_t>(operation) * apart + layer;
  double most = 0;
  for (const std::uint32_t device : devices[unit]) {
    simulate::Draws draws({seed, ofPasses | pass, device, step});
    most = std::max(most, classes[layerClass]->sample(draws));
  }
  return most;
}
