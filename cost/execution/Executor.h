#pragma once
//===- Executor.h - Runs the schedules of all pipeline ranks together -------------------------===//
//
// This is the only place where per-rank schedules meet. It computes the longest path over program
// order and the messages between ranks, with one clock for each rank and each link. If all
// schedules complete, no rank waits forever; otherwise the result lists the ranks that wait for one
// another.
#include "cost/execution/ReadyRanks.h"
#include "cost/programs/FirstLastActions.h"
#include "cost/programs/PieceClocks.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// The reason why a rank waits, if the schedules do not complete.
struct Waiting {
  std::uint64_t rank = 0;
  /// Action that cannot begin, or that keeps its exchange group from ending.
  ir::ScheduledAction action;
  /// Rank that has to act first; the rank itself if it waits for its own action.
  std::uint64_t peer = 0;
  /// True: the action needs a message from the peer. False: the peer does not receive the output of
  /// the action, or the rank has not computed it.
  bool receives = true;
};

/// A number of consecutive actions of one rank, after which another rank runs.
struct ActionRun {
  std::uint32_t rank = 0, actions = 0;
};

struct Execution {
  bool completed = true;
  std::uint64_t makespan = 0; ///< ps
  /// If not completed: the shortest cycle of ranks that wait for one another, or a chain that ends
  /// with a rank whose schedule does not contain the awaited action.
  std::vector<Waiting> waiting;
};

/// Durations of the actions of each chunk and of their messages in ps, by stage replica and action
/// kind. Actions that use the data stream have a time that depends on the clocks. If micro-batches
/// have different costs, each stage replica has one entry per cost.
class ActionDurations {
public:
  static constexpr std::uint64_t byClocks = UINT64_MAX;
  struct ActionDuration {
    std::uint64_t time = 0, sending = 0;
    const ActionTime* clocks = nullptr; ///< null without clocks
    bool merged = false;                ///< merged with the next action; `clocks` covers both
  };
  /// `clocks` are numbered as in Executor::run.
  void assign(llvm::ArrayRef<ChunkTime> times, llvm::ArrayRef<ChunkClocks> clocks);
  static std::size_t indexOf(std::size_t piece, ir::ActionKind kind) {
    return Routes::kinds * piece + static_cast<std::size_t>(kind);
  }
  const ActionDuration& operator[](std::size_t index) const { return durations[index]; }
  llvm::ArrayRef<ActionDuration> all() const { return durations; }

private:
  std::vector<ActionDuration> durations;
};

/// Executes the schedules of all ranks. Runs reuse the buffers, so that repeated use allocates
/// once.
class Executor {
public:
  using PerRankScheduleRefs = llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledAction>>;

  /// Sends are buffered: a message leaves when its action ends and the directed link between the
  /// two ranks is free, and occupies the link for its duration. With `overlapped` the sender
  /// continues meanwhile, otherwise it waits. `times` are by Placement::indexOf; `schedules` are by
  /// rank and contain only actions of chunks. With `clocks`, parallel to `times`, every rank has a
  /// data stream next to its computation stream. An `order` in which the actions can run
  /// (GroupedRun::order, or that of an earlier run) avoids the search for one. Micro-batches of
  /// unequal `costs` need clocks: one per stage replica and cost. `looksAtTurns`: the search also
  /// checks whether messages are received in send order.
  const Execution& run(const ir::Placement& placement, std::uint64_t microBatches,
                       PerRankScheduleRefs schedules, llvm::ArrayRef<ChunkTime> times,
                       bool overlapped, llvm::ArrayRef<ChunkClocks> clocks = {},
                       llvm::ArrayRef<ActionRun> order = {}, const ir::MicroBatchCosts& costs = {},
                       bool looksAtTurns = false);

  // The results of the last run.

  /// Whether each channel received all messages in send order. Valid if the run completed and
  /// `looksAtTurns` was set.
  bool inSendOrder() const { return sendOrderKept; }
  /// An order of the actions in which each one follows its inputs.
  llvm::ArrayRef<ActionRun> order() const { return actionRuns; }
  /// Start of an action, ps.
  std::uint64_t start(std::uint64_t rank, std::size_t operation) const {
    return actionTimes[firstActionTimes[rank] + operation].start;
  }
  /// End of an action, ps. A wait for its send comes after it.
  std::uint64_t end(std::uint64_t rank, std::size_t operation) const {
    return actionTimes[firstActionTimes[rank] + operation].end;
  }
  /// End of the data-stream collectives of the rank's actions, ps.
  std::uint64_t dataEnd(std::uint64_t rank) const { return ranks[rank].dataEnd; }
  /// ps in which the rank waited for its sends.
  std::uint64_t sending(std::uint64_t rank) const { return ranks[rank].sending; }
  /// End of the rank's last action and send, ps.
  std::uint64_t end(std::uint64_t rank) const { return ranks[rank].now; }

private:
  static constexpr std::uint64_t never = UINT64_MAX;

  /// Routes and duration of the actions of one kind of a stage replica.
  struct alignas(64) ActionRoute {
    ActionDurations::ActionDuration duration;
    std::uint32_t input = Route::none, output = Route::none, toRank = 0;
    std::uint32_t stageReplica = 0;
    /// Channels of the input and the output; noChannel if the message stays on the rank.
    std::uint8_t from = Route::noChannel, to = Route::noChannel;
  };
  /// The start of an action, and the time when its outputs leave.
  struct ActionTimes {
    std::uint64_t start, end;
  };
  /// The position of a rank in its schedule.
  struct ExecutedRank {
    const ir::ScheduledAction *next = nullptr, *end = nullptr;
    const ActionRoute* actionRoutes = nullptr;
    ActionTimes* times = nullptr; ///< times of the next action
    /// Next action that is the first or last of its chunk.
    const FirstLastActions::FirstLastAction* firstLast = nullptr;
    const ActionTimes* special = nullptr; ///< times of `firstLast`
    std::uint64_t now = 0, dataEnd = 0, sending = 0;
    /// Times at which the links to the two neighbours are free.
    std::array<std::uint64_t, 2> link{};
    std::array<std::uint32_t, 4> sent{}, received{}; ///< number of messages by channel
    /// Nonzero after a message that was received out of send order.
    std::uint32_t outOfSendOrder = 0;
  };

  void begin(const ir::Placement& placement, std::uint64_t count);
  template <bool withData> void runAll(llvm::ArrayRef<ActionRun> order);
  /// The order of actions is given, or any order is searched, with a check of the send order or
  /// without it.
  enum class OrderSearch : std::uint8_t { Given, Any, InSendOrder };
  template <bool withData, OrderSearch order> void lookFor();
  /// Runs the actions of a rank up to `end`, or without an order until the rank has to wait.
  template <bool withData, OrderSearch order>
  void advance(ExecutedRank& rank, const ir::ScheduledAction* end);
  /// Runs an action that uses the rank's data stream and returns when its outputs leave. `rank.now`
  /// is the start of the action at the call, and the end of its computation on return.
  std::uint64_t runProgram(ExecutedRank& rank, const ir::ScheduledAction* op,
                           const ActionRoute& actions, const ActionTimes* span);
  /// Runs a merged pair of two consecutive actions in the same way.
  std::uint64_t runPair(ExecutedRank& rank, const ir::ScheduledAction* pair,
                        const ActionRoute& actions, const ActionTimes* span);
  /// Runs a merged pair from `rank.now` on, writes the times of both actions, and returns when
  /// their outputs leave.
  std::uint64_t runMerged(ExecutedRank& rank, const ir::ScheduledAction* pair,
                          const ActionRoute& forward, const ActionRoute& backward,
                          ActionTimes* span);
  static std::uint64_t advance(ExecutedRank& rank, const ProgramTime& program);
  /// Whether the rank's next action is the first or last of its chunk.
  FirstLast nextFirstLast(ExecutedRank& rank, const ActionTimes* span);
  const Execution& finish();
  /// Whether each channel received all messages in send order.
  bool receivedInSendOrder() const;
  void explain();
  bool overlapped = true;
  PerRankScheduleRefs schedules;
  llvm::ArrayRef<ChunkTime> times;
  llvm::ArrayRef<ChunkClocks> clocks;
  /// Set during a run with micro-batches of different costs.
  const ir::MicroBatchCosts* unequal = nullptr;
  Routes routes;
  std::vector<ActionRoute> actionRoutes;
  std::vector<ExecutedRank> ranks;
  std::vector<std::size_t> firstActionTimes; ///< index into `actionTimes`, by rank
  // Arrays by message or by action. Each entry is written before it is read, so they start
  // uninitialized.
  llvm::SmallVector<std::uint64_t, 0> arrival;
  llvm::SmallVector<std::uint32_t, 0> positionOnChannel; ///< position of each message, from 1
  llvm::SmallVector<ActionTimes, 0> actionTimes;
  bool sendOrderKept = true;
  FirstLastActions firstLastActions;
  ActionDurations durations;
  std::vector<ActionRun> actionRuns;
  ReadyRanks ready;
  Execution result;
};

} // namespace dpl::cost
