#pragma once
//===- Executor.h - Runs the lists of all pipeline ranks against one another ------------------===//
//
// The one place where orders meet: the longest path over program order and the messages between
// ranks, with one clock for each rank and each link. That all lists come to their end is the proof
// that nobody waits for ever; else it says who waits for whom.
#include "cost/execution/ReadyRanks.h"
#include "cost/programs/FirstLastActions.h"
#include "cost/programs/PieceClocks.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// What a rank waits for when the lists do not come to their end.
struct Waiting {
  std::uint64_t rank = 0;
  ir::ScheduledAction action; ///< that cannot begin, or after which its group does not end
  std::uint64_t peer = 0;     ///< who has to act first; the rank itself for a pass of its own
  /// What the operation needs of the peer; else the peer does not take what the operation makes, or
  /// the rank itself has not made it.
  bool receives = true;
};

/// Passes of one rank that run one behind the other, before another rank's turn.
struct ActionRun {
  std::uint32_t rank = 0, actions = 0;
};

struct Execution {
  bool completed = true;
  std::uint64_t makespan = 0; ///< ps
  /// Without completion: the shortest circle of ranks that wait for one another, or a chain that
  /// ends with a rank whose list does not hold what is waited for.
  std::vector<Waiting> waiting;
};

/// What the passes of each piece take, and what they send, by piece and kind, ps; where they move
/// their rank's data stream the clocks give their time. A piece is a copy, or a copy with a kind of
/// micro-batch where those differ.
class ActionDurations {
public:
  static constexpr std::uint64_t byClocks = UINT64_MAX;
  struct ActionDuration {
    std::uint64_t time = 0, sending = 0;
    const ActionTime* clocks = nullptr; ///< null without clocks
    bool merged = false;                ///< with the pass behind it; `clocks` are of both
  };
  /// `clocks` as Executor::run has them; pieces are numbered as they are.
  void assign(llvm::ArrayRef<ChunkTime> times, llvm::ArrayRef<ChunkClocks> clocks);
  static std::size_t indexOf(std::size_t piece, ir::ActionKind kind) {
    return Routes::kinds * piece + static_cast<std::size_t>(kind);
  }
  const ActionDuration& operator[](std::size_t index) const { return durations[index]; }
  llvm::ArrayRef<ActionDuration> all() const { return durations; }

private:
  std::vector<ActionDuration> durations;
};

/// Buffers are kept from run to run, so that a caller that executes many shapes allocates once.
class Executor {
public:
  using PerRankScheduleRefs = llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledAction>>;

  /// Sends are buffered: a message leaves when its pass ends and the directed link between the two
  /// ranks is free, and holds the link for its time. With `overlapped` the sender goes on
  /// meanwhile, else it waits. `times` by Placement::indexOf; lists by rank, of passes alone. With
  /// `clocks`, parallel to `times`, every rank has a data stream beside its computation. An `order`
  /// in which the passes can run spares looking for one (GroupedRun::order, or that of a run).
  /// Micro-batches of unequal `costs` need clocks: of each copy one for each kind of them. Who
  /// looks for an order may look at turns, too (inTurn).
  const Execution& run(const ir::Placement& placement, std::uint64_t microBatches,
                       PerRankScheduleRefs schedules, llvm::ArrayRef<ChunkTime> times,
                       bool overlapped, llvm::ArrayRef<ChunkClocks> clocks = {},
                       llvm::ArrayRef<ActionRun> order = {}, const ir::MicroBatchCosts& costs = {},
                       bool looksAtTurns = false);

  // Of the last run.

  /// Whether the messages of each channel were taken in the order of their sends, all of them; of
  /// lists that came to their end while their turns were looked at.
  bool inSendOrder() const { return sendOrderKept; }
  /// The passes in an order in which each has what it needs.
  llvm::ArrayRef<ActionRun> order() const { return actionRuns; }
  /// When the pass began, ps.
  std::uint64_t start(std::uint64_t rank, std::size_t operation) const {
    return actionTimes[firstActionTimes[rank] + operation].start;
  }
  /// When the pass ended, ps; what it has to wait for of its sends comes after.
  std::uint64_t end(std::uint64_t rank, std::size_t operation) const {
    return actionTimes[firstActionTimes[rank] + operation].end;
  }
  /// When the calls that the rank's passes left behind were done, ps.
  std::uint64_t dataEnd(std::uint64_t rank) const { return ranks[rank].dataEnd; }
  /// ps that the rank waited for what it sent.
  std::uint64_t sending(std::uint64_t rank) const { return ranks[rank].sending; }
  /// When the rank was done, ps.
  std::uint64_t end(std::uint64_t rank) const { return ranks[rank].now; }

private:
  static constexpr std::uint64_t never = UINT64_MAX;

  /// The passes of a kind of a copy: where their messages go, and what they take.
  struct alignas(64) ActionRoute {
    ActionDurations::ActionDuration duration;
    std::uint32_t input = Route::none, output = Route::none, toRank = 0;
    std::uint32_t stageReplica = 0;
    /// Channels on which they are taken and sent; none on a rank.
    std::uint8_t from = Route::noChannel, to = Route::noChannel;
  };
  /// When a pass begins and when its outputs leave.
  struct ActionTimes {
    std::uint64_t start, end;
  };
  /// A rank in its list.
  struct ExecutedRank {
    const ir::ScheduledAction *next = nullptr, *end = nullptr;
    const ActionRoute* actionRoutes = nullptr;
    ActionTimes* times = nullptr; ///< of the next pass
    const FirstLastActions::FirstLastAction* firstLast =
        nullptr;                          ///< the next that is no ordinary one
    const ActionTimes* special = nullptr; ///< of its pass
    std::uint64_t now = 0, dataEnd = 0, sending = 0;
    std::array<std::uint64_t, 2> link{};             ///< when those to its neighbours are free
    std::array<std::uint32_t, 4> sent{}, received{}; ///< by channel
    std::uint32_t outOfSendOrder = 0;                ///< some bit for a message that was
  };

  void begin(const ir::Placement& placement, std::uint64_t count);
  template <bool withData> void runAll(llvm::ArrayRef<ActionRun> order);
  /// One that is given, any that is found, or also in which messages are taken in turn.
  enum class OrderSearch : std::uint8_t { Given, Any, InSendOrder };
  template <bool withData, OrderSearch order> void lookFor();
  /// Runs the passes of a rank up to `end`, or without an order until it has to wait.
  template <bool withData, OrderSearch order>
  void advance(ExecutedRank& rank, const ir::ScheduledAction* end);
  /// Runs a pass with the rank's data stream; when its outputs leave. The rank has the time from
  /// which it computes, and then that from which it computes again.
  std::uint64_t runProgram(ExecutedRank& rank, const ir::ScheduledAction* op,
                           const ActionRoute& actions, const ActionTimes* span);
  /// The same of a merged pair, a pass and the next.
  std::uint64_t runPair(ExecutedRank& rank, const ir::ScheduledAction* pair,
                        const ActionRoute& actions, const ActionTimes* span);
  static std::uint64_t advance(ExecutedRank& rank, const ProgramTime& program);
  /// The turn of the rank's next pass, or of the one behind it.
  FirstLast nextFirstLast(ExecutedRank& rank, const ActionTimes* span);
  const Execution& finish();
  /// Whether the messages of each channel were taken in turn, and all that were sent on it.
  bool receivedInSendOrder() const;
  void explain();
  bool overlapped = true;
  PerRankScheduleRefs schedules;
  llvm::ArrayRef<ChunkTime> times;
  llvm::ArrayRef<ChunkClocks> clocks;
  const ir::MicroBatchCosts* unequal = nullptr; ///< while a run has micro-batches that differ
  Routes routes;
  std::vector<ActionRoute> actionRoutes;
  std::vector<ExecutedRank> ranks;
  std::vector<std::size_t> firstActionTimes; ///< by rank
  // Of every message and pass: written before they are read, so nothing fills them first.
  llvm::SmallVector<std::uint64_t, 0> arrival;
  llvm::SmallVector<std::uint32_t, 0> positionOnChannel; ///< by message, from 1
  llvm::SmallVector<ActionTimes, 0> actionTimes;
  bool sendOrderKept = true;
  FirstLastActions firstLastActions;
  ActionDurations durations;
  std::vector<ActionRun> actionRuns;
  ReadyRanks ready;
  Execution result;
};

} // namespace dpl::cost
