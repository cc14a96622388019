#pragma once
//===- Executor.h - Runs the lists of all pipeline ranks against one another ------------------===//
//
// The one place where orders meet: the longest path over program order and the messages between
// ranks, with one clock for each rank and each link. That all lists come to their end is the proof
// that nobody waits for ever; else it says who waits for whom.
#include "cost/schedules/ReadyRanks.h"
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// What a rank waits for when the lists do not come to their end.
struct Waiting {
  std::uint64_t rank = 0;
  ir::ScheduledOperation operation; ///< that cannot begin, or after which its group does not end
  std::uint64_t peer = 0;           ///< who has to act first; the rank itself for a pass of its own
  /// What the operation needs of the peer; else the peer does not take what the operation makes, or
  /// the rank itself has not made it.
  bool receives = true;
};

/// Passes of one rank that run one behind the other, before another rank's turn.
struct Stretch {
  std::uint32_t rank = 0, passes = 0;
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
class PassDurations {
public:
  static constexpr std::uint64_t byClocks = UINT64_MAX;
  struct Taken {
    std::uint64_t time = 0, sending = 0;
  };
  /// `clocks` as Executor::run has them; pieces are numbered as they are.
  void assign(llvm::ArrayRef<PieceTime> times, llvm::ArrayRef<PieceClocks> clocks);
  static std::size_t indexOf(std::size_t piece, ir::OperationKind kind) {
    return Routes::kinds * piece + static_cast<std::size_t>(kind);
  }
  static std::size_t pieceOf(std::size_t index) { return index / Routes::kinds; }
  static ir::OperationKind kindOf(std::size_t index) {
    return static_cast<ir::OperationKind>(index % Routes::kinds);
  }
  const Taken& operator[](std::size_t index) const { return all[index]; }

private:
  std::vector<Taken> all;
};

/// Which turn of its chunk each pass is. Input gradients come from whole backwards and from those
/// of the input, weight gradients from whole ones and from those of the weights.
class TurnCounter {
public:
  /// `runs` of each copy; nothing is counted where there are no copies.
  void assign(std::size_t copies, std::uint64_t each) {
    runs = each;
    ran.assign(4 * copies, 0);
  }
  Turn next(std::size_t copy, ir::OperationKind kind) {
    std::uint32_t* of = &ran[4 * copy];
    const Counted counted = countedOf[static_cast<std::size_t>(kind)];
    std::uint32_t &first = of[counted.first], &last = of[counted.last];
    const Turn turn{first == 0, last + 1 == runs};
    ++first, last += counted.first == counted.last ? 0 : 1;
    return turn;
  }

private:
  /// Which number says that a pass is the first, and the last.
  struct Counted {
    std::uint8_t first, last;
  };
  static constexpr Counted countedOf[Routes::kinds] = {{0, 0}, {1, 2}, {1, 1},
                                                       {2, 2}, {3, 3}, {0, 0}}; // by OperationKind
  std::vector<std::uint32_t> ran; ///< by copy: forwards, gradients of inputs and of weights,
                                  ///< recomputations
  std::uint64_t runs = 1;
};

/// Buffers are kept from run to run, so that a caller that executes many shapes allocates once.
class Executor {
public:
  using Lists = llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledOperation>>;

  /// Sends are buffered: a message leaves when its pass ends and the directed link between the two
  /// ranks is free, and holds the link for its time. With `overlapped` the sender goes on
  /// meanwhile, else it waits. `times` by Placement::indexOf; lists by rank, of passes alone. With
  /// `clocks`, parallel to `times`, every rank has a data stream beside its computation. An `order`
  /// in which the passes can run spares looking for one (GroupedRun::order, or that of a run).
  /// Micro-batches of unequal `costs` need clocks: of each copy one for each kind of them.
  const Execution& run(const ir::Placement& placement, std::uint64_t microBatches, Lists lists,
                       llvm::ArrayRef<PieceTime> times, bool overlapped,
                       llvm::ArrayRef<PieceClocks> clocks = {}, llvm::ArrayRef<Stretch> order = {},
                       const ir::MicroBatchCosts& costs = {});

  // Of the last run.

  /// The passes in an order in which each has what it needs.
  llvm::ArrayRef<Stretch> order() const { return stretches; }
  /// When the pass began, ps.
  std::uint64_t start(std::uint64_t rank, std::size_t operation) const {
    return starts[firstStart[rank] + operation];
  }
  /// When the pass ended, ps; what it has to wait for of its sends comes after.
  std::uint64_t end(std::uint64_t rank, std::size_t operation) const {
    return ends[firstStart[rank] + operation];
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
  struct Passes {
    PassDurations::Taken takes;
    std::uint32_t input = Route::none, output = Route::none, link = Route::none, toRank = 0;
    std::uint32_t copy = 0;
  };
  /// A rank in its list.
  struct OfRank {
    const ir::ScheduledOperation *next = nullptr, *end = nullptr;
    const Passes* passes = nullptr;
    std::size_t index = 0; ///< of the next pass, among those of all ranks
    std::uint64_t now = 0, dataEnd = 0, sending = 0;
  };

  void begin(const ir::Placement& placement, std::uint64_t count);
  template <bool withData> void runAll(llvm::ArrayRef<Stretch> order);
  /// Runs the passes of a rank up to `end`, or without an order until it has to wait.
  template <bool withData, bool ordered>
  void advance(OfRank& rank, const ir::ScheduledOperation* end);
  /// Runs a pass from `now` on, with the rank's data stream; when its outputs leave. `now` becomes
  /// the time from which the rank computes again.
  std::uint64_t runBody(OfRank& rank, const ir::ScheduledOperation& op, const Passes& passes,
                        std::uint64_t& now);
  const Execution& finish();
  void explain();
  bool overlapped = true;
  Lists lists;
  llvm::ArrayRef<PieceTime> times;
  llvm::ArrayRef<PieceClocks> clocks;
  const ir::MicroBatchCosts* unequal = nullptr; ///< while a run has micro-batches that differ
  Routes routes;
  std::vector<Passes> passes;
  std::vector<OfRank> ranks;
  std::vector<std::uint64_t> arrival, starts, ends, firstStart, link;
  TurnCounter turnOf;
  PassDurations durations;
  std::vector<Stretch> stretches;
  ReadyRanks ready;
  Execution result;
};

} // namespace dpl::cost
