#pragma once
//===- Schedule.h - Pipeline schedules, one source file each ----------------------------------===//
//
// A schedule is the order in which each pipeline rank runs its actions. The placement then decides
// which messages cross ranks, and the executor computes times and proves that no rank waits
// forever. ir/Schedules.def lists the schedules; docs/internals/add-a-schedule.md explains how to
// add one.
#include "cost/schedules/Routes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace dpl::cost {

/// The shape of a pipeline: p ranks, v chunks per rank, m micro-batches.
struct PipelineShape {
  ir::ScheduleKind kind = ir::ScheduleKind::OneForwardOneBackward;
  std::uint64_t ranks = 1, chunks = 1, microBatches = 1;
  /// Largest number of in-flight micro-batches per rank, for schedules with a limit.
  std::uint64_t inFlight = 0;
  /// Micro-batches that a rank runs through a chunk before the next chunk, for schedules where the
  /// user can set it; 0: as many as ranks.
  std::uint64_t microBatchGroup = 0;
  const ir::CustomSchedule* customSchedule =
      nullptr;            ///< the user's schedule, for `schedule = custom`
  bool inAdvance = false; ///< recomputations are separate actions
  std::uint64_t microBatchGroupSize() const {
    return microBatchGroup > 0 ? microBatchGroup : ranks;
  }
  ir::Placement placement() const;
  auto operator<=>(const PipelineShape&) const = default;
};
/// The shape of a plan with a resolved mesh.
PipelineShape pipelineOf(const ir::Plan& plan);
/// Keeps a pointer to the layout's custom schedule.
PipelineShape pipelineOf(const ir::Layout& layout, std::uint64_t ranks, std::uint64_t microBatches);

using ActionList = std::vector<ir::ScheduledAction>;

class GroupWriter;
/// Walks the schedule of a rank and defines the sends and receives that it posts together between
/// actions. The members of a group start together, each as soon as its other end is posted. If the
/// group does not wait for a receive, the action that needs it does; nothing waits for such a send
/// (cost/schedules/Exchanges.h).
using Exchanges = void(GroupWriter& to);
/// Posts each receive before the action that needs it and waits for it. Posts each send after its
/// action; nothing waits for it (torch.distributed.pipelining's ScheduleGPipe).
Exchanges asyncSends;
/// Posts a send and the receive for the next action together if they have the same neighbour,
/// otherwise one after the other, as Megatron-LM's 1F1B and DeepSpeed's instructions do. The rank
/// waits for all of them.
Exchanges batchedSendReceive;
/// Posts the send of an action with the receive for the next action of the same direction, as
/// Megatron-LM's interleaved schedule with overlap does. The rank waits as late as possible.
Exchanges prefetchedReceives;
/// Posts each message alone in the order of the schedule and waits for it at both ends.
Exchanges blockingSendReceive;
/// Whether a rank waits only for the message that its next action needs: asyncSends and
/// prefetchedReceives. Such a schedule completes in its groups if it completes with buffered sends,
/// because sends are posted before the next action; a property test checks this.
bool waitsInActionsOnly(Exchanges& exchanges);

/// The reason why a schedule does not support a shape.
enum class ScheduleRule : std::uint8_t {
  Legal,
  NeedsPipeline,        ///< several chunks per rank, but only one rank
  MicroBatchesInGroups, ///< micro-batches are not a multiple of the ranks
  FewMicroBatches,      ///< fewer than twice the ranks: the order has no steady state
  RanksInPairs,         ///< an odd number of ranks, where opposite ranks have the same stages
  MicroBatchesInHalves, ///< an odd number, where each direction runs one half
  OtherGroup,           ///< the last micro-batch group does not fill the ranks
  OtherCustomSchedule,  ///< the user's schedule has other ranks or micro-batches
};

/// ps for one micro-batch on one chunk, and for the messages that it sends forward and backward.
struct ChunkTime {
  std::uint64_t forward = 0, backward = 0, sendForward = 0, sendBackward = 0;
  /// The part of `backward` for the weight gradient, if the schedule splits it.
  std::uint64_t weight = 0;
  /// A whole backward pass, if the schedule also has split ones.
  std::uint64_t unsplitBackward = 0;
  /// Recomputation in advance of the backward pass; not part of `backward`.
  std::uint64_t recompute = 0;
  /// Time until the input gradient is ready. Order searches treat it as one action; recomputations
  /// are inserted afterwards.
  std::uint64_t untilGradient() const { return recompute + backward - weight; }
};

/// The duration of an action.
std::uint64_t durationOf(ir::ActionKind kind, const ChunkTime& time);

/// Consecutive ranks with equal chunks: their number, and the times of the chunks of one rank.
struct RankRun {
  std::uint64_t ranks = 1;
  llvm::ArrayRef<ChunkTime> chunks;
};

/// The makespan or a lower bound of it, computed without executing the schedules.
struct Makespan {
  enum class Claim : std::uint8_t { Exact, AtLeast } claim = Claim::AtLeast;
  std::uint64_t time = 0; ///< ps
};

/// The backward passes of a schedule: whole, split into input and weight gradient, or both.
enum class BackwardSplit : std::uint8_t { Whole, Split, Mixed };

using PerRankSchedules = std::vector<ActionList>;
/// ps from the first action to the end of the last one if the schedules of all ranks run with these
/// times; nothing if they hang. Schedules that compare orders receive it as a parameter, because
/// cost/execution, which executes orders, depends on this folder.
using MakespanOf = llvm::function_ref<std::optional<std::uint64_t>(
    const PerRankSchedules&, llvm::ArrayRef<ChunkTime> times)>;

/// A row of Schedules.def; its source file fills it in.
struct ScheduleInfo {
  const char* summary; ///< one clause, for messages and pages
  BackwardSplit backward = BackwardSplit::Whole;
  ScheduleRule (*legal)(const PipelineShape&) = nullptr;
  /// Forward passes before the first pair of a forward and a backward pass in interleaved orders:
  /// one fewer than before the first backward pass. Null if the order is different and nothing is
  /// known without executing it.
  std::uint64_t (*warmup)(const PipelineShape&, std::uint64_t rank) = nullptr;
  /// Appends the actions of a rank. `generateAll` instead appends those of all ranks, in an order
  /// that may depend on action times (`byTime`).
  void (*generate)(const PipelineShape&, std::uint64_t rank, ActionList& out) = nullptr;
  void (*generateAll)(const PipelineShape&, llvm::ArrayRef<ChunkTime> times, MakespanOf makespanOf,
                      PerRankSchedules& out) = nullptr;
  bool byTime = false;
  bool pairs = false; ///< has forward passes that run merged with a backward pass
  Exchanges* exchanges = nullptr;
  /// The makespan or a lower bound of it. `runs` are in rank order; `overlapped` as in
  /// Executor::run. Null without `warmup`.
  Makespan (*closedForm)(const PipelineShape&, llvm::ArrayRef<RankRun> runs,
                         bool overlapped) = nullptr;
  /// Makespan in ps if every chunk has the times `each` and messages take none; without a flush the
  /// time that a step adds. Nothing if the formula does not hold for the shape and times.
  std::optional<std::uint64_t> (*equalStages)(const PipelineShape&,
                                              const ChunkTime& each) = nullptr;
  /// For schedules without a flush (SteadyState): the number of weight versions on a rank, which
  /// are the newest one and those of in-flight micro-batches. Null if each step ends with a flush.
  std::uint64_t (*weightVersions)(const PipelineShape&, std::uint64_t rank) = nullptr;
  bool flushed() const { return !weightVersions; }
};
const ScheduleInfo& scheduleInfo(ir::ScheduleKind kind);
/// Whether recomputed tensors outlive the action that recomputes them: after recomputation in
/// advance, or in a split backward pass, whose second half also reads them.
bool holdsRestored(ir::ScheduleKind kind, const ir::Recompute& recompute);
/// Whether the schedule has both split backward passes, which keep recomputed tensors, and whole
/// ones, which recompute and free one group of layers at a time.
bool restoresBothWays(ir::ScheduleKind kind, const ir::Recompute& recompute);
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) extern const ScheduleInfo KIND##Schedule;
#include "ir/Schedules.def"

/// Weight versions on a rank; 1 if each step ends with a flush.
std::uint64_t weightVersions(const PipelineShape& shape, std::uint64_t rank);
/// The shape whose schedules reach the peak of in-flight micro-batches. Without a flush,
/// micro-batches of several steps are in flight if a step has fewer than ranks.
PipelineShape inFlightShape(const PipelineShape& shape);

/// Inserts each recomputation directly before the backward pass that needs it, or before both
/// actions of a pair. A schedule that already has recomputations is unchanged.
void recomputeInAdvance(ActionList& schedule);
/// The schedules of all ranks (`perRankSchedules` in cost/execution/RankSchedules.h adds an
/// executor). `times` by Placement::indexOf are for schedules that order by time; without them all
/// actions take equally long.
PerRankSchedules generateLists(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times,
                               MakespanOf makespanOf);

/// ps of all actions of a rank if every chunk has the times `each`.
std::uint64_t rankWork(const PipelineShape& shape, const ChunkTime& each);
/// Whether forward passes, input gradients and weight gradients take equally long.
bool actionsEquallyLong(const ChunkTime& each);

/// A lower bound of the makespan of a flushed schedule with linear or looped placement. For each
/// rank: the path of the first micro-batch to it, its own work with the sends that it waits for,
/// and the path of the last gradient back. Exact if the actions of all ranks take equally long and
/// messages take no time.
std::uint64_t busiestRank(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs,
                          bool overlapped);
/// In-flight micro-batches of a chunk at the end of its rank's warm-up, if the schedule alternates
/// between chunks in groups (PipelineShape::microBatchGroupSize); 1 if it has no `warmup`.
std::uint64_t inFlightAfterWarmup(const PipelineShape& shape, std::uint64_t rank,
                                  std::uint64_t chunk);

/// Appends all forward and backward passes in groups of `turn` micro-batches. A group runs through
/// all chunks, in reverse for backward passes, before the next group. First come `warmup` forward
/// passes, then one forward and one backward pass alternately, then the remaining backward passes.
/// This is Megatron-Core's schedule table (megatron/core/pipeline_parallel/schedules.py,
/// core_v0.19.0, get_schedule_table).
void generateInGroups(const PipelineShape& shape, std::uint64_t warmup, std::uint64_t turn,
                      ActionList& out);

} // namespace dpl::cost
