#pragma once
//===- Step.h - Executes the step of a plan ---------------------------------------------------===//
//
// A step is the actions of chunks and what follows the last one: remaining gradient reductions, the
// barrier of the global gradient norm if the update waits for it, and the update.
#include "cost/execution/Proof.h"
#include <memory>

namespace dpl::cost {

/// Whether a collective, or the messages of a chunk, take time.
using IncludesCollective = llvm::function_ref<bool(const ir::Collective&)>;

/// The parameters that the optimizer updates on a device.
struct UpdatedState {
  double parameters = 0; ///< trained parameters whose state the device has
  double moments = 0;    ///< elements of their moments
  double orthogonalizationFlop = 0;
  UpdatedState& operator+=(const UpdatedState& o) {
    parameters += o.parameters, moments += o.moments;
    orthogonalizationFlop += o.orthogonalizationFlop;
    return *this;
  }
};

/// The times of a chunk in a step.
struct ChunkStep {
  ChunkTime time;
  ChunkClocks clocks;
  /// Clocks by cost of the micro-batch; empty if all costs are equal.
  std::vector<ChunkClocks> byCost;
  bool leaves = false; ///< actions leave collectives running
  /// ps of collectives at the end of the step, before and after the update
  std::uint64_t reductions = 0, gathers = 0;
  UpdatedState updated;
};
/// Times of a chunk from its stage programs. Messages depend on the chunk's rank; their times are 0
/// here.
ChunkStep chunkStep(const ir::Plan& plan, const ir::ChunkPrograms& programs,
                    const ir::ChunkCost& cost, IncludesCollective includes);
/// Fills in the times of the actions for each cost of a micro-batch.
void setClocks(ChunkStep& step, const ir::MicroBatchCosts& costs,
               llvm::function_ref<ChunkClocks(ir::CostRatio)> clocksOf);
/// Fills in the times of the actions of a mean micro-batch with an idle data stream.
void setChunkTime(ChunkStep& step);
/// ps of the messages of a chunk, forward and backward; the times of its actions are 0 here.
ChunkTime messageTimes(const ir::Plan& plan, const ir::Placement::ChunkLocation& at);
/// The parameters of a chunk that the optimizer updates on a device.
UpdatedState updatedState(const ir::Plan& plan, const ir::ChunkCost& cost);
/// ps of the update.
std::uint64_t updateTime(const ir::Plan& plan, const UpdatedState& updated,
                         llvm::ArrayRef<ir::Device> devices);

/// The chunks of a step as the Executor needs them, by Placement::indexOf.
class StepChunks {
public:
  StepChunks() = default;
  StepChunks(const StepChunks&) = delete; // not copied: clocks point to pairTimes
  /// Clears, and reserves space for this number of chunks.
  void begin(std::size_t chunks);
  void add(const ChunkStep& chunk);
  /// Sets the times of merged pairs after all chunks are added. `timesOf` returns the times of the
  /// pairs with a forward pass of a chunk, by the costs of the forward and of the backward
  /// micro-batch.
  void addPairs(std::size_t kinds,
                llvm::function_ref<llvm::ArrayRef<ActionTime>(std::size_t chunk)> timesOf);
  /// Adds all chunks of a plan; equal chunks are timed once. Relies on: stage programs per chunk.
  void addAll(const ir::Plan& plan, IncludesCollective includes);
  /// Copies the times of each chunk from its entry of `ofChunk`. The entries must be of the same
  /// plan and outlive this object.
  void mix(llvm::ArrayRef<const StepChunks*> ofChunk);

  llvm::ArrayRef<ChunkStep> chunks() const { return steps; }
  llvm::ArrayRef<ChunkTime> times() const { return chunkTimes; }
  /// The clocks by stage replica and cost of the micro-batch (Executor::run); empty if no action
  /// uses the data stream, micro-batches have equal costs and no pairs are merged.
  llvm::ArrayRef<ChunkClocks> clocks() const;

private:
  std::vector<ChunkStep> steps;
  std::vector<ChunkTime> chunkTimes;
  std::vector<ChunkClocks> chunkClocks;
  std::vector<ActionTime> pairTimes; ///< times of pairs by stage replica and both costs
  bool movesData = false;            ///< whether `clocks` is not empty
};

/// Work that the chunks of a rank leave for the end of the step.
struct RankEpilogue {
  bool leaves = false;
  std::uint64_t reductions = 0, gathers = 0;
  /// ps of all data-stream collectives in the actions. If steps of a rank follow one another
  /// without a barrier, the time from its first action to its update is at least this long.
  std::uint64_t dataStream = 0;
  UpdatedState updated;
};
using RankEpilogues = llvm::SmallVector<RankEpilogue, 64>;
RankEpilogues epiloguesOf(const ir::Plan& plan, std::uint64_t microBatches,
                          llvm::ArrayRef<ChunkStep> chunks);

/// An operation of a rank after its last action.
struct EpilogueOperation {
  ir::ScheduledAction action{ir::ActionKind::Wait};
  std::uint64_t start = 0, duration = 0;
};

class SteadyState;

/// Executes the step of a plan. Relies on: stage programs (lower-collectives) and per-rank
/// schedules. Keeps a reference to the plan.
class StepExecution {
public:
  explicit StepExecution(const ir::Plan& plan);
  ~StepExecution();
  /// Relies on: schedules that complete; if no flush ends the steps, unchanged generated schedules.
  void run();
  /// Runs schedules if they are sound, otherwise returns the error.
  OrderFlaw prove();

  // Results of the last run, in ps.

  /// Start and end of an action in the rank's schedule.
  std::uint64_t start(std::uint64_t rank, std::size_t pass) const;
  std::uint64_t end(std::uint64_t rank, std::size_t pass) const;
  /// Time in which the rank waited for its sends.
  std::uint64_t sending(std::uint64_t rank) const;
  llvm::ArrayRef<EpilogueOperation> epilogue(std::uint64_t rank) const { return epilogues[rank]; }
  /// Time from one step to the next if no flush separates them, otherwise 0.
  std::uint64_t period() const { return stepPeriod; }

private:
  void makeStepChunks();
  bool execute(llvm::ArrayRef<ActionRun> order);
  void runEpilogues();

  const ir::Plan& plan;
  std::vector<std::vector<ir::Device>> pacingDevicesOfRanks; ///< parallel to Mesh::rankNodeTypes
  std::vector<llvm::ArrayRef<ir::ScheduledAction>> schedules;
  std::vector<ir::CollectiveId> atEnd; ///< collectives that no stage program launches
  Executor executor;
  std::unique_ptr<SteadyState> steady; ///< replaces the executor if no flush separates the steps
  std::uint64_t stepPeriod = 0;
  StepChunks chunks;
  std::vector<std::vector<EpilogueOperation>> epilogues;
};

} // namespace dpl::cost
