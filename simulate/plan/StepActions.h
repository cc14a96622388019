#pragma once
//===- StepActions.h - The actions of simulated ranks -----------------------------------------===//
//
// A rank runs the actions of its schedule segment by segment. If it must wait, it is suspended. It
// resumes at the same segment when an event wakes it.
#include "simulate/plan/ActionReplays.h"
#include "simulate/plan/PipelineMessages.h"
#include "simulate/plan/StepCollectives.h"

namespace dpl::simulation {

class StepActions {
public:
  StepActions(StepContext& step, SimulatedRanks& ranks, RankStreams& streams,
              StepCollectives& collectives, PipelineMessages& messages, StepBarrier& barrier);
  void begin();
  /// Runs a rank until it must wait.
  void advance(std::uint32_t rank);
  bool isThrough(std::uint32_t rank) const {
    return all[rank].action == step.actionsOf(rank).size();
  }
  /// When the rank began its first action, in ps.
  std::uint64_t firstBegin(std::uint32_t rank) const { return all[rank].firstBegin; }

private:
  struct RankState {
    std::size_t action = 0;                    ///< index in the rank's schedule
    std::size_t block = 0, segment = 0;        ///< position in the stage program
    std::uint64_t iteration = 0;               ///< iteration of the loop `block`
    const ir::StageProgram* program = nullptr; ///< current stage program; null between actions
    std::uint64_t firstBegin = UINT64_MAX;
    std::uint64_t began = 0, outputsLeft = 0; ///< start of the current or last action, and the time
                                              ///< at which its outputs leave
    cost::PendingSlowdown slowdown;
    cost::FirstLast firstLast;         ///< whether the current action is the first or last of its
                                       ///< chunk
    cost::ActionCosts costs;           ///< costs of the micro-batches of the action
    bool paired = false;               ///< whether the current action is the second of a pair
    bool launchedEpilogue = false;     ///< collectives after the last action are launched
    double factor = 1;                 ///< factor on its computation
    std::array<double, 2> drawn{1, 1}; ///< random factor of the current layer
    /// Number of layers run so far: [0] in the action, [1] in the backward pass of a combined
    /// action.
    std::array<std::uint32_t, 2> layers{};
  };
  class RankAtEvents;

  // Each of these continues as far as possible. It returns false if the rank must wait.
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
