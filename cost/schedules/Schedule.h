#pragma once
//===- Schedule.h - Pipeline schedules: a row and a file each ---------------------------------===//
//
// A schedule is the order in which each pipeline rank runs its passes. Everything else follows:
// what crosses between ranks from the placement, times and the proof that nobody waits for ever
// from the executor. ir/Schedules.def lists the rows; docs/internals/add-a-schedule.md adds one.
#include "cost/schedules/Routes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace dpl::cost {

/// p ranks, v chunks a rank, m micro-batches.
struct PipelineShape {
  ir::ScheduleKind kind = ir::ScheduleKind::OneForwardOneBackward;
  std::uint64_t ranks = 1, chunks = 1, microBatches = 1;
  /// Micro-batches that a rank may hold at once, for a row that takes a limit.
  std::uint64_t inFlight = 0;
  /// Micro-batches that a rank takes through a chunk before the next one's turn, for a row that
  /// lets the user say; 0 is as many as ranks.
  std::uint64_t microBatchGroup = 0;
  const ir::CustomSchedule* customSchedule =
      nullptr;            ///< the user's own, for the row that is made of them
  bool inAdvance = false; ///< recomputations are operations of their own
  std::uint64_t microBatchGroupSize() const {
    return microBatchGroup > 0 ? microBatchGroup : ranks;
  }
  ir::Placement placement() const;
  auto operator<=>(const PipelineShape&) const = default;
};
/// Of a plan whose mesh is placed.
PipelineShape pipelineOf(const ir::Plan& plan);
/// Borrows the layout's lists.
PipelineShape pipelineOf(const ir::Layout& layout, std::uint64_t ranks, std::uint64_t microBatches);

using ActionList = std::vector<ir::ScheduledAction>;

class GroupWriter;
/// Follows the list of a rank and writes down what it posts together between passes: what some have
/// to send, what others need. The members of a group begin together, each as soon as its other end
/// is posted too. A receive that the group does not wait for is waited for by the pass that needs
/// it, such a send by nobody (cost/schedules/Exchanges.h).
using Exchanges = void(GroupWriter& to);
/// Each receive before the pass that needs it, waited for; each send after its pass, waited for by
/// nobody (torch.distributed.pipelining's ScheduleGPipe).
Exchanges asyncSends;
/// As Megatron-LM's 1F1B and DeepSpeed's instructions: a send and the receive that the next pass
/// needs go together where both are with the same neighbour, else one after the other; all are
/// waited for.
Exchanges batchedSendReceive;
/// As Megatron-LM's interleaved schedule with overlap: after a pass its send goes together with the
/// receive that the next pass of the same direction needs; nobody waits before it must.
Exchanges prefetchedReceives;
/// Each message by itself where the list has it, waited for on both sides: serial blocking.
Exchanges blockingSendReceive;
/// Whether all that a rank waits for is the message that its next pass needs: asyncSends and
/// prefetchedReceives. Such a schedule comes to its end in its groups where it does with buffered
/// sends, as what is sent is posted before the next pass; a property test says so.
bool waitsInActionsOnly(Exchanges& exchanges);

/// Why a schedule does not take a shape.
enum class ScheduleRule : std::uint8_t {
  Legal,
  NeedsPipeline,        ///< several chunks a rank on one rank
  MicroBatchesInGroups, ///< micro-batches are no multiple of the ranks
  FewMicroBatches,      ///< less than twice the ranks: the order has no steady part
  RanksInPairs,         ///< an odd number of ranks where opposite ones hold the same
  MicroBatchesInHalves, ///< an odd number where each direction takes half of them
  OtherGroup,           ///< the user's groups are none of micro-batches that fill the ranks
  OtherCustomSchedule,  ///< the user's lists are for other ranks or micro-batches
};

/// Durations in ps of one micro-batch on one chunk, and of the messages that it sends on and back.
struct ChunkTime {
  std::uint64_t forward = 0, backward = 0, sendForward = 0, sendBackward = 0;
  /// Of `backward`, what is left for the weight gradient where the schedule splits it.
  std::uint64_t weight = 0;
  /// Of a pass that gives both, where the schedule has such passes beside split ones.
  std::uint64_t unsplitBackward = 0;
  /// In advance of a backward pass, and no part of it.
  std::uint64_t recompute = 0;
  /// What a rank runs until the gradient of the input is there: one pass to who looks for an order,
  /// into which recomputations are put afterwards.
  std::uint64_t untilGradient() const { return recompute + backward - weight; }
};

/// How long a pass takes.
std::uint64_t durationOf(ir::ActionKind kind, const ChunkTime& time);

/// Neighbouring ranks that hold alike chunks: how many, and the times of each chunk of one.
struct RankRun {
  std::uint64_t ranks = 1;
  llvm::ArrayRef<ChunkTime> chunks;
};

/// What is known of a makespan without executing the lists.
struct Makespan {
  enum class Claim : std::uint8_t { Exact, AtLeast } claim = Claim::AtLeast;
  std::uint64_t time = 0; ///< ps
};

/// Which backward passes the lists of a row have: one for input and weight gradient, two, or both.
enum class BackwardSplit : std::uint8_t { Whole, Split, Mixed };

using PerRankSchedules = std::vector<ActionList>;
/// ps from the first pass to the end of the last one, if the lists of all ranks are executed with
/// these times; nothing if they hang. It is handed to the rows that compare orders, because orders
/// are executed in cost/execution, which stands above this folder.
using MakespanOf = llvm::function_ref<std::optional<std::uint64_t>(
    const PerRankSchedules&, llvm::ArrayRef<ChunkTime> times)>;

/// A row of Schedules.def, filled in by its file.
struct ScheduleInfo {
  const char* summary; ///< one clause, for messages and pages
  BackwardSplit backward = BackwardSplit::Whole;
  ScheduleRule (*legal)(const PipelineShape&) = nullptr;
  /// The forwards a rank runs before its first pair of a forward and a backward, where chunks take
  /// turns: one fewer than before its first backward. Null where the order is no such turns, and
  /// nothing is known of it without executing it.
  std::uint64_t (*warmup)(const PipelineShape&, std::uint64_t rank) = nullptr;
  /// Appends the passes of a rank; or `generateAll` those of all ranks, whose order may depend on
  /// what passes take (`byTime`).
  void (*generate)(const PipelineShape&, std::uint64_t rank, ActionList& out) = nullptr;
  void (*generateAll)(const PipelineShape&, llvm::ArrayRef<ChunkTime> times, MakespanOf makespanOf,
                      PerRankSchedules& out) = nullptr;
  bool byTime = false;
  bool pairs = false; ///< has forwards that run merged with a backward
  Exchanges* exchanges = nullptr;
  /// Of `runs` in the order of the ranks; `overlapped` as of Executor::run. Null without `warmup`.
  Makespan (*closedForm)(const PipelineShape&, llvm::ArrayRef<RankRun> runs,
                         bool overlapped) = nullptr;
  /// ps of the makespan where every chunk takes `each` and messages no time (of a row without a
  /// flush: of what a step adds); nothing where the form does not hold for the shape and the times.
  std::optional<std::uint64_t> (*equalStages)(const PipelineShape&,
                                              const ChunkTime& each) = nullptr;
  /// Of a row whose steps follow one another without a flush (SteadyState): how many versions of
  /// its weights a rank keeps, the newest and those with which live micro-batches ran forward. Null
  /// where a step ends with all its gradients.
  std::uint64_t (*weightVersions)(const PipelineShape&, std::uint64_t rank) = nullptr;
  bool flushed() const { return !weightVersions; }
};
const ScheduleInfo& scheduleInfo(ir::ScheduleKind kind);
/// Whether what recomputations bring back stays for longer than the pass that does it: in advance,
/// or in the first half of a backward in two, whose second half reads it too.
bool holdsRestored(ir::ScheduleKind kind, const ir::Recompute& recompute);
/// Whether backward passes in two, which hold it, stand beside whole ones, which bring back a group
/// of layers at a time and drop it.
bool restoresBothWays(ir::ScheduleKind kind, const ir::Recompute& recompute);
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) extern const ScheduleInfo KIND##Schedule;
#include "ir/Schedules.def"

/// Versions of the weights that a rank keeps; 1 where a step ends with all its gradients.
std::uint64_t weightVersions(const PipelineShape& shape, std::uint64_t rank);
/// The shape whose lists hold what ranks hold: without a flush micro-batches of several steps are
/// live where a step has fewer than ranks.
PipelineShape inFlightShape(const PipelineShape& shape);

/// Puts each recomputation right before the backward pass that needs it, of a pair before both; a
/// list that has recomputations stays as it is.
void recomputeInAdvance(ActionList& schedule);
/// The lists of all ranks (`perRankSchedules` in cost/execution/RankSchedules.h has an executor at
/// hand). `times` by Placement::indexOf, for a row that orders by them: without any all passes take
/// equally long.
PerRankSchedules generateLists(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times,
                               MakespanOf makespanOf);

/// ps of all passes of a rank where every chunk takes `each`.
std::uint64_t rankWork(const PipelineShape& shape, const ChunkTime& each);
/// Forward, input and weight passes take equally long.
bool actionsEquallyLong(const ChunkTime& each);

/// The time that a flushed schedule of a linear or looped placement cannot beat: for each rank, the
/// way of the first micro-batch to it, its own work with the sends that it waits for, and the way
/// of the last gradient back. Exact where the passes of all ranks take equally long and messages no
/// time.
std::uint64_t busiestRank(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs,
                          bool overlapped);
/// Micro-batches of a chunk that are live when its rank ends its warm-up, where several chunks take
/// turns (PipelineShape::microBatchGroupSize); at least one where a row has no such turns.
std::uint64_t inFlightAfterWarmup(const PipelineShape& shape, std::uint64_t rank,
                                  std::uint64_t chunk);

/// Every forward and backward pass of the micro-batches in turns of `turn`: all chunks take a turn
/// before the next begins, chunks backward in reverse. `warmup` forwards, then one forward and one
/// backward, then the rest. Megatron-Core's schedule table (megatron/core/pipeline_parallel/
/// schedules.py, core_v0.19.0, get_schedule_table).
void generateInGroups(const PipelineShape& shape, std::uint64_t warmup, std::uint64_t turn,
                      ActionList& out);

} // namespace dpl::cost
