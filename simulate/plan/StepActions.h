#pragma once
//===- StepActions.h - What each simulated rank does next -------------------------------------===//
//
// A rank runs the actions of its schedule, each segment by segment. Where it has to wait it is
// suspended, and goes on from the same segment when an event has made it ready.
#include "simulate/plan/ActionReplays.h"
#include "simulate/plan/PipelineMessages.h"
#include "simulate/plan/StepCollectives.h"

namespace dpl::simulation {

class StepActions {
public:
  StepActions(StepContext& step, SimulatedRanks& ranks, RankStreams& streams,
              StepCollectives& collectives, PipelineMessages& messages, StepBarrier& barrier);
  void begin();
  /// Runs a rank as far as it goes.
  void advance(std::uint32_t rank);
  bool isThrough(std::uint32_t rank) const {
    return all[rank].action == step.actionsOf(rank).size();
  }
  /// When the rank began its first action, ps.
  std::uint64_t firstBegin(std::uint32_t rank) const { return all[rank].firstBegin; }

private:
  struct RankState {
    std::size_t action = 0;                    ///< of the schedule
    std::size_t block = 0, segment = 0;        ///< of its program
    std::uint64_t iteration = 0;               ///< of the block
    const ir::StageProgram* program = nullptr; ///< that it runs; null between actions
    std::uint64_t firstBegin = UINT64_MAX;
    std::uint64_t began = 0, outputsLeft = 0; ///< of the action that runs, or of the last one
    cost::PendingSlowdown slowdown;
    cost::FirstLast firstLast;         ///< of the action that runs
    cost::ActionCosts costs;           ///< of its micro-batches
    bool paired = false;               ///< the action that runs is the second of a pair
    bool launchedEpilogue = false;     ///< a collective after the last action
    double factor = 1;                 ///< of its computation
    std::array<double, 2> drawn{1, 1}; ///< of the layer that runs, whose times vary
    /// Layers that the action has run; a merged backward's.
    std::array<std::uint32_t, 2> layers{};
  };
  class RankAtEvents;

  // Each goes on as far as it can; false where the rank has to wait.
  bool beginAction(std::uint32_t rank);
  bool runProgram(std::uint32_t rank);
  bool runSegments(std::uint32_t rank);
  bool runRouted(RankAtEvents& at, const ir::Segment& s);
  bool endAction(std::uint32_t rank);
  bool runEpilogue(std::uint32_t rank, const ir::ScheduledAction& action);

  void enterProgram(std::uint32_t rank);
  void send(std::uint32_t rank, const ir::ScheduledAction& action);
  static std::uint64_t scaled(const RankState& u, std::uint64_t time);
  std::uint64_t ofLayer(std::uint32_t rank, RankState& u, const ir::Segment& s, std::uint64_t time);

  StepContext& step;
  SimulatedRanks& ranks;
  RankStreams& streams;
  StepCollectives& collectives;
  PipelineMessages& messages;
  StepBarrier& barrier;
  const StepPrograms programs;
  const ir::MicroBatchCosts costs;
  ActionReplays replays;
  std::vector<RankState> all;
  std::vector<ir::FirstLastTracker> firstLastTrackers; ///< by rank and chunk
};

} // namespace dpl::simulation
