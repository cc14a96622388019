#pragma once
//===- StepRun.h - One step of all ranks --------------------------------------------------===//
//
// Its parts are the clocks of ranks (SimulatedRanks), their streams (RankStreams), the collectives
// in which they meet (StepCollectives), messages between neighbours (PipelineMessages), and what
// each rank does next (StepActions). Nothing here reads a time of the plan's schedule but what the
// update takes.
#include "simulate/plan/StepActions.h"

namespace dpl::simulation {

class StepRun {
public:
  /// With a network every collective and message of the pipeline is run as the messages that it is
  /// made of.
  explicit StepRun(const StepShape& shape, const Ablation& without = {},
                   const StepNetwork* network = nullptr, const Sharing& sharing = {});
  StepRun(const StepRun&) = delete; // its parts hold one another
  StepRun& operator=(const StepRun&) = delete;

  /// ps of a step.
  std::uint64_t run(const StepDraws& draws);

  /// Notes who waits for whom in the runs that follow; nobody does where it is null.
  void note(StepWaits* in) { ranks.note(in); }

  // Of the last run.
  llvm::ArrayRef<SimulatedRankTimes> times() const { return ranks.times(); }
  /// The simulated rank that came to the barrier last, or ended last where there is none.
  std::uint32_t last() const { return latest; }
  struct StepEnd {
    std::uint32_t rank;
    std::uint64_t samples;     ///< ps that it waits for them before the step's begin
    std::uint64_t begin, time; ///< ps, of the step
  };
  /// Who was through with all last, of several at once whoever came to the barrier last; where
  /// there is none whoever took longest.
  StepEnd end() const;
  /// When a simulated rank was through with its schedule, ps.
  std::uint64_t through(std::uint32_t rank) const { return ranks.clock(rank); }
  /// Messages that began while their link carried another one.
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
