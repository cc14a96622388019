#pragma once
//===- ActionReplays.h - Actions that take as long as one before them -------------------------===//
//
// The many micro-batches of a step are alike. Where an action meets nobody for whom it has to wait,
// what it does follows from how slow its rank is in this step, what its micro-batch costs and how
// long its streams are still busy. All of that is whole picoseconds from its begin on, so that the
// action of another micro-batch that finds the same is added up without running its segments again.
#include "cost/programs/ProgramTime.h"
#include "simulate/plan/RankStreams.h"
#include "simulate/plan/StepContext.h"
#include "simulate/plan/StepPrograms.h"

namespace dpl::simulation {

class ActionReplays {
public:
  ActionReplays(const StepContext& step, SimulatedRanks& ranks, RankStreams& streams)
      : step(step), ranks(ranks), streams(streams), known(step.shape.simulatedRanks()) {}
  /// Of a step: its factors are others.
  void begin();

  /// What decides how long an action takes; times are from its begin on.
  struct ActionKey {
    const ir::StageProgram* program = nullptr;
    std::array<bool, 2> firstLast{}; ///< first and last, as far as its segments ask
    ir::CostRatio cost;
    /// By stream, how long it is busy with what was launched before.
    std::array<std::uint64_t, StreamsOfRank::count> ahead{};
    bool operator==(const ActionKey&) const = default;
  };
  /// Nothing where the action has to be run.
  std::optional<ActionKey> keyOf(std::uint32_t rank, const ir::StageProgram& program,
                                 const ProgramReach& reach, cost::FirstLast firstLast,
                                 ir::CostRatio cost) const;
  /// Replays the action, or runs it the first time; when its outputs leave. `run` says so too.
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

  static constexpr std::size_t mostReplays = 8; ///< of a rank
  const StepContext& step;
  SimulatedRanks& ranks;
  RankStreams& streams;
  std::vector<std::vector<RecordedAction>> known; ///< by rank
};

} // namespace dpl::simulation
