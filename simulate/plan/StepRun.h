#pragma once
//===- StepRun.h - One simulated step of all ranks --------------------------------------------===//
//
// The parts of a step are the clocks of ranks (SimulatedRanks), their streams (RankStreams), the
// rendezvous of collectives (StepCollectives), messages between neighbours (PipelineMessages), and
// the actions of each rank (StepActions). Of the plan's schedule, only the time of the optimizer
// step is used.
#include "simulate/plan/StepActions.h"

namespace dpl::simulation {

class StepRun {
public:
  /// With a network, every collective and pipeline message is simulated message by message.
  explicit StepRun(const StepShape& shape, const Ablation& without = {},
                   const StepNetwork* network = nullptr, const Sharing& sharing = {});
  StepRun(const StepRun&) = delete; // the parts refer to one another
  StepRun& operator=(const StepRun&) = delete;

  /// Runs a step and returns its time in ps.
  std::uint64_t run(const StepDraws& draws);

  /// Records waits from the next run on, or nothing if `in` is null.
  void note(StepWaits* in) { ranks.note(in); }

  // These functions describe the last run.
  llvm::ArrayRef<SimulatedRankTimes> times() const { return ranks.times(); }
  /// The simulated rank that arrived last at the barrier, or ended last without a barrier.
  std::uint32_t last() const { return latest; }
  struct StepEnd {
    std::uint32_t rank;
    std::uint64_t samples;     ///< ps that the rank waited for samples before the step
    std::uint64_t begin, time; ///< start and time of the step, in ps
  };
  /// The rank that finished the step last. Of equal ones, the last to arrive at the barrier, or
  /// without a barrier the one with the longest step.
  StepEnd end() const;
  /// When a simulated rank finished its schedule, in ps.
  std::uint64_t through(std::uint32_t rank) const { return ranks.clock(rank); }
  /// The number of messages that began while another message used their link.
  std::uint64_t sharedMessages() const { return messages.shared(); }
  /// Null without a network.
  StepMessages* messagesOfAll() { return step.traffic.get(); }

private:
  void begin(const StepDraws& draws);
  void runReady();

  StepContext step;
  SimulatedRanks ranks;
  RankStreams streams;
  StepCollectives collectives;
  PipelineMessages messages;
  StepBarrier barrier;
  StepActions actions;
  std::uint32_t latest = 0;
};

} // namespace dpl::simulation
