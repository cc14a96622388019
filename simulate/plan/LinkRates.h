#pragma once
//===- LinkRates.h - Random rates of network links during a step ------------------------------===//
#include "ir/Plan.h"
#include "simulate/engine/Flows.h"
#include "simulate/plan/StepLinks.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// Draws a rate for each link. A draw depends on the step and on the number of earlier changes in
/// it.
class LinkRates {
public:
  static bool has(const ir::Plan& plan);
  /// The number of rates drawn in a step of `step` ps.
  static double drawsOf(const ir::Plan& plan, const StepLinks& links, double step);

  LinkRates(const ir::Plan& plan, const StepLinks& links);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep);
  /// Sets the next rates of the links.
  void change(simulate::Flows& flows, std::uint64_t now);
  /// ps between changes; 0: the rates change only at the start of a step.
  std::uint64_t every() const { return of.every; }

private:
  const ir::LinkJitter& of;
  const StepLinks& links;
  simulate::Distribution over;
  double most; ///< largest factor on a time, which keeps the sum of all collectives below 2^58 ps
  std::uint64_t seed = 1;
  std::uint32_t step = 0, changes = 0;
};

} // namespace dpl::simulation
