#pragma once
//===- LinkRates.h - How the rates of the network's links vary in a step ----------------------===//
#include "ir/Plan.h"
#include "simulate/engine/Flows.h"
#include "simulate/plan/StepLinks.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// Drawn for each link by itself, by the step and how often links have changed in it.
class LinkRates {
public:
  static bool has(const ir::Plan& plan);
  /// Rates of a step of such a length that are drawn.
  static double drawsOf(const ir::Plan& plan, const StepLinks& links, double step);

  LinkRates(const ir::Plan& plan, const StepLinks& links);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep);
  /// Gives links their next rates.
  void change(simulate::Flows& flows, std::uint64_t now);
  /// ps from one change to the next; 0: there is one, at the begin of a step.
  std::uint64_t every() const { return of.every; }

private:
  const ir::LinkJitter& of;
  const StepLinks& links;
  simulate::Distribution over;
  double most; ///< times as long as on average, so that times can be counted
  std::uint64_t seed = 1;
  std::uint32_t step = 0, changes = 0;
};

} // namespace dpl::simulation
