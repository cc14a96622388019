#pragma once
//===- ActionReplays.h - Replays of actions that repeat an earlier one ------------------------===//
//
// Most micro-batches of a step are alike. If an action waits for no other rank, its time depends
// only on the speed of its rank in this step, the cost of its micro-batch, and how long the rank's
// streams are still busy. All times are whole picoseconds from the start of the action. So an
// action with equal inputs is replayed without running its segments again.
#include "cost/programs/ProgramTime.h"
#include "simulate/plan/RankStreams.h"
#include "simulate/plan/StepContext.h"
#include "simulate/plan/StepPrograms.h"

namespace dpl::simulation {

class ActionReplays {
public:
  ActionReplays(const StepContext& step, SimulatedRanks& ranks, RankStreams& streams)
      : step(step), ranks(ranks), streams(streams), known(step.shape.simulatedRanks()) {}
  /// Begins a step. Earlier replays are dropped, because random factors differ between steps.
  void begin();

  /// The inputs that determine the time of an action. Times are relative to the start of the
  /// action.
  struct ActionKey {
    const ir::StageProgram* program = nullptr;
    std::array<bool, 2> firstLast{}; ///< whether the action is the first and the last of its chunk,
                                     ///< if that matters to its segments
    ir::CostRatio cost;
    /// For each stream, the time for which it is still busy.
    std::array<std::uint64_t, StreamsOfRank::count> ahead{};
    bool operator==(const ActionKey&) const = default;
  };
  /// None if the action cannot be replayed or recorded.
  std::optional<ActionKey> keyOf(std::uint32_t rank, const ir::StageProgram& program,
                                 const ProgramReach& reach, cost::FirstLast firstLast,
                                 ir::CostRatio cost) const;
  /// Replays the action, or the first time runs it. Returns when the outputs leave, as `run` does.
  std::uint64_t run(std::uint32_t rank, const ActionKey& key,
                    llvm::function_ref<std::uint64_t()> run);

private:
  struct RecordedAction {
    ActionKey key;
    std::uint64_t outputsLeft = 0, compute = 0, collectives = 0;
    std::array<std::uint64_t, StreamsOfRank::count> free{}, busy{};
    std::array<std::uint32_t, StreamsOfRank::count> launched{};
  };
  void replay(std::uint32_t rank, const RecordedAction& action);
  void record(std::uint32_t rank, const RecordedAction& action);

  static constexpr std::size_t mostReplays = 8; ///< replays kept per rank
  const StepContext& step;
  SimulatedRanks& ranks;
  RankStreams& streams;
  std::vector<std::vector<RecordedAction>> known; ///< by rank
};

} // namespace dpl::simulation
