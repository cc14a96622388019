#pragma once
//===- StepContext.h - What the parts of a simulated step share -------------------------------===//
#include "simulate/plan/CollectiveDelays.h"
#include "simulate/plan/LayerTimeDraws.h"
#include "simulate/plan/StepNetwork.h"
#include "simulate/plan/StepRouting.h"
#include <memory>

namespace dpl::simulation {

/// The draws of one step; what is empty does not vary.
struct StepDraws {
  llvm::ArrayRef<double> factors = {}; ///< of the computation of each simulated rank
  /// Says how many tokens experts get in the step that it began.
  StepRouting* routed = nullptr;
  const LayerTimeDraws* layerTimes = nullptr;
  llvm::ArrayRef<std::uint64_t> loaded = {}; ///< ps until a simulated rank has its samples
  CollectiveDelays* delays = nullptr;        ///< of messages
  LinkRates* rates = nullptr;                ///< of links, where messages are run
};

/// Parts that a step is run without, to see what they cost.
struct Ablation {
  bool bubble = false;    ///< inputs from other pipeline ranks are there at once
  bool sharing = false;   ///< messages have their links to themselves
  bool imbalance = false; ///< pipeline ranks compute as long as they do on average
};

struct StepContext {
  const StepShape& shape;
  const Ablation without;
  const StepNetwork* network;              ///< null: collectives and messages are single events
  simulate::EventQueue queue{};            ///< events of all parts
  std::unique_ptr<StepMessages> traffic{}; ///< null without a network
  StepDraws drawn{};                       ///< of the step that runs
  std::uint64_t now = 0;                   ///< ps, of the event that is handled

  const ir::Plan& plan() const { return shape.plan; }
  /// The device that sends and receives for a simulated rank.
  std::uint32_t deviceOf(std::uint32_t rank) const {
    return shape.detail == Detail::Folded ? rank : shape.devicesOf(rank).front();
  }
  llvm::ArrayRef<ir::ScheduledAction> actionsOf(std::uint32_t rank) const {
    return plan().schedule[shape.pipelineRankOf(rank)].actions;
  }
};

} // namespace dpl::simulation
