#pragma once
//===- Step.h - The step of a plan, executed --------------------------------------------------===//
//
// Passes as their bodies say, and what follows the last of them: what still runs of the gradients'
// reductions, the barrier of the global gradient norm where the update waits for one, the update.
#include "cost/execution/Proof.h"
#include <memory>

namespace dpl::cost {

/// Whether a collective, or the messages of a chunk, take their time.
using IncludesCollective = llvm::function_ref<bool(const ir::Collective&)>;

/// What a chunk brings to a step.
struct ChunkStep {
  ChunkTime time;
  ChunkClocks clocks;
  /// Of micro-batches of unequal costs, by kind; empty where all are equal.
  std::vector<ChunkClocks> byCost;
  bool leaves = false;                       ///< its passes leave calls behind
  std::uint64_t reductions = 0, gathers = 0; ///< ps of collectives at the end of the step, before
                                             ///< and behind the update
  double updated = 0;                        ///< parameters whose optimizer state a device holds
};
/// Of the chunk of a program; messages, which depend on where it lies, take no time yet.
ChunkStep chunkStep(const ir::Plan& plan, const ir::ChunkPrograms& programs,
                    const ir::ChunkCost& cost, IncludesCollective includes);
/// Fills in what the passes take, from their clocks by the cost of a micro-batch.
void setClocks(ChunkStep& step, const ir::MicroBatchCosts& costs,
               llvm::function_ref<ChunkClocks(ir::CostRatio)> clocksOf);
/// Fills in what the passes of a mean micro-batch take by themselves.
void setChunkTime(ChunkStep& step);
/// ps of the messages of a chunk, forward and back; its passes take none here.
ChunkTime messageTimes(const ir::Plan& plan, const ir::Placement::ChunkLocation& at);
/// Parameters whose optimizer state a device holds of a chunk.
double shardedParameters(const ir::Plan& plan, const ir::ChunkCost& cost);
/// ps of the update of so many parameters.
std::uint64_t updateTime(const ir::Plan& plan, double parameters,
                         llvm::ArrayRef<ir::Device> devices);

/// The chunks of a step as an execution takes them, by Placement::indexOf.
class StepChunks {
public:
  StepChunks() = default;
  StepChunks(const StepChunks&) = delete; // clocks point to the times of pairs
  /// Of as many chunks as are added next.
  void begin(std::size_t chunks);
  void add(const ChunkStep& chunk);
  /// Of pairs that run merged, when all chunks are there: what those with a forward of a chunk
  /// take, by the kinds of the forward's micro-batch and of the backward's.
  void addPairs(std::size_t kinds,
                llvm::function_ref<llvm::ArrayRef<ActionTime>(std::size_t chunk)> timesOf);
  /// All chunks of a plan, those that are equal timed once. Relies on: one program a chunk.
  void addAll(const ir::Plan& plan, IncludesCollective includes);
  /// Takes the times of each model chunk from one of `ofChunk`, which are of the same plan and must
  /// live as long.
  void mix(llvm::ArrayRef<const StepChunks*> ofChunk);

  llvm::ArrayRef<ChunkStep> chunks() const { return steps; }
  llvm::ArrayRef<ChunkTime> times() const { return chunkTimes; }
  /// Empty where no body moves the data stream of its rank, micro-batches are equal and no pairs
  /// are merged; else by piece, and of each by kind of micro-batch (Executor::run).
  llvm::ArrayRef<ChunkClocks> clocks() const;

private:
  std::vector<ChunkStep> steps;
  std::vector<ChunkTime> chunkTimes;
  std::vector<ChunkClocks> chunkClocks;
  std::vector<ActionTime> pairTimes; ///< by piece, and cost of each of the two micro-batches
  bool movesData = false;            ///< or micro-batches differ, or pairs are merged
};

/// What the chunks of a rank leave for the end of the step.
struct RankEpilogue {
  bool leaves = false;
  std::uint64_t reductions = 0, gathers = 0;
  /// ps of all calls of the data stream in the passes; where steps of a rank follow one another
  /// without a barrier, the time from its first pass to its update is no less.
  std::uint64_t dataStream = 0;
  double updated = 0;
};
using RankEpilogues = llvm::SmallVector<RankEpilogue, 64>;
RankEpilogues epiloguesOf(const ir::Plan& plan, std::uint64_t microBatches,
                          llvm::ArrayRef<ChunkStep> chunks);

/// An operation of a rank behind its passes.
struct EpilogueOperation {
  ir::ScheduledAction action{ir::ActionKind::Wait};
  std::uint64_t start = 0, duration = 0;
};

class SteadyState;

/// Relies on: bodies (lower-collectives) and lists of passes, which it borrows.
class StepExecution {
public:
  explicit StepExecution(const ir::Plan& plan);
  ~StepExecution();
  /// Relies on: lists that come to their end; of a row without a flush its own.
  void run();
  /// Runs lists that are sound, else says what is wrong with them.
  OrderFlaw prove();

  // Of the last run, ps.

  /// When a pass of the rank's list begins and ends.
  std::uint64_t start(std::uint64_t rank, std::size_t pass) const;
  std::uint64_t end(std::uint64_t rank, std::size_t pass) const;
  /// That the rank waited for what it sent.
  std::uint64_t sending(std::uint64_t rank) const;
  llvm::ArrayRef<EpilogueOperation> epilogue(std::uint64_t rank) const { return epilogues[rank]; }
  /// From one step to the next where no flush parts them, else 0.
  std::uint64_t period() const { return stepPeriod; }

private:
  void makeStepChunks();
  bool execute(llvm::ArrayRef<ActionRun> order);
  void runEpilogues();

  const ir::Plan& plan;
  std::vector<std::vector<ir::Device>> pacingDevicesOfRanks; ///< parallel to Mesh::rankNodeTypes
  std::vector<llvm::ArrayRef<ir::ScheduledAction>> schedules;
  std::vector<ir::CollectiveId> atEnd; ///< collectives that no body calls
  Executor executor;
  std::unique_ptr<SteadyState> steady; ///< where no flush parts the steps, in place of the executor
  std::uint64_t stepPeriod = 0;
  StepChunks chunks;
  std::vector<std::vector<EpilogueOperation>> epilogues;
};

} // namespace dpl::cost
