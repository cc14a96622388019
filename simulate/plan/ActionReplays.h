#pragma once
//===- ActionReplays.h - Replays of actions that repeat an earlier one ------------------------===//
//
// Most micro-batches of a step are alike. If an action waits for no other rank, its time depends
// only on the speed of its rank in this step, the cost of its micro-batch, and how long its streams
// are still busy. All times are whole picoseconds from its begin. So an action with equal inputs is
// replayed without running its segments again.
#include "cost/programs/ProgramTime.h"
#include "simulate/plan/RankStreams.h"
#include "simulate/plan/StepContext.h"
#include "simulate/plan/StepPrograms.h"

namespace dpl::simulation {

class ActionReplays {
public:
  ActionReplays(const StepContext& step, SimulatedRanks& ranks, RankStreams& streams)
      : step(step), ranks(ranks), streams(streams), known(step.shape.simulatedRanks()) {}
  /// Begins a step, which has other random factors.
  void begin();

  /// The inputs that determine the time of an action; times are relative to its begin.
  struct ActionKey {
    const ir::StageProgram* program = nullptr;
    std::array<bool, 2> firstLast{}; ///< first and last, if its segments depend on them
    ir::CostRatio cost;
    /// The time for which each stream is still busy.
    std::array<std::uint64_t, StreamsOfRank::count> ahead{};
    bool operator==(const ActionKey&) const = default;
  };
  /// None if the action must be run.
  std::optional<ActionKey> keyOf(std::uint32_t rank, const ir::StageProgram& program,
                                 const ProgramReach& reach, cost::FirstLast firstLast,
                                 ir::CostRatio cost) const;
  /// Replays the action, or runs it the first time. Returns when its outputs leave, as `run` does.
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

  static constexpr std::size_t mostReplays = 8; ///< actions per rank
  const StepContext& step;
  SimulatedRanks& ranks;
  RankStreams& streams;
  std::vector<std::vector<RecordedAction>> known; ///< by rank
};

} // namespace dpl::simulation
