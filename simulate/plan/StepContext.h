#pragma once
//===- StepContext.h - State that the parts of a simulated step share -------------------------===//
#include "simulate/plan/CollectiveDelays.h"
#include "simulate/plan/LayerTimeDraws.h"
#include "simulate/plan/StepNetwork.h"
#include "simulate/plan/StepRouting.h"
#include <memory>

namespace dpl::simulation {

/// The random draws of one step. Members that are empty or null do not vary.
struct StepDraws {
  llvm::ArrayRef<double> factors = {}; ///< factors on the computation of each simulated rank
  /// The tokens of each expert in the current step.
  StepRouting* routed = nullptr;
  const LayerTimeDraws* layerTimes = nullptr;
  llvm::ArrayRef<std::uint64_t> loaded = {}; ///< ps until each simulated rank has its samples
  CollectiveDelays* delays = nullptr;        ///< delays by late messages
  LinkRates* rates = nullptr;                ///< rates of links, if messages are simulated
};

/// Effects that are removed from a simulation to measure their cost.
struct Ablation {
  bool bubble = false;    ///< inputs from other pipeline ranks arrive at once
  bool sharing = false;   ///< messages do not share their links
  bool imbalance = false; ///< all pipeline ranks compute for their mean time
};

struct StepContext {
  const StepShape& shape;
  const Ablation without;
  const StepNetwork* network;              ///< null: collectives and messages are single events
  simulate::EventQueue queue{};            ///< events of all parts of the step
  std::unique_ptr<StepMessages> traffic{}; ///< messages as flows; null without a network
  StepDraws drawn{};                       ///< draws of the current step
  std::uint64_t now = 0;                   ///< time of the current event, ps

  const ir::Plan& plan() const { return shape.plan; }
  /// The device whose messages stand for those of a simulated rank.
  std::uint32_t deviceOf(std::uint32_t rank) const {
    return shape.detail == Detail::Folded ? rank : shape.devicesOf(rank).front();
  }
  llvm::ArrayRef<ir::ScheduledAction> actionsOf(std::uint32_t rank) const {
    return plan().schedule[shape.pipelineRankOf(rank)].actions;
  }
};

} // namespace dpl::simulation
