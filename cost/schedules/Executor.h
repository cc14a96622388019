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
  bool forward = true;              ///< what is missing: an activation, or a gradient
  bool receives = true;             ///< of the peer; else the peer does not take what is sent
};

struct Execution {
  bool completed = true;
  std::uint64_t makespan = 0; ///< ps
  /// Without completion: the shortest circle of ranks that wait for one another, or a chain that
  /// ends with a rank whose list does not hold what is waited for.
  std::vector<Waiting> waiting;
};

/// ps that the passes of each copy take, by copy and kind; where they move their rank's data stream
/// the clocks give it.
class PassDurations {
public:
  static constexpr std::uint64_t byClocks = UINT64_MAX;
  void assign(llvm::ArrayRef<PieceTime> times, llvm::ArrayRef<PieceClocks> clocks);
  std::uint64_t of(std::size_t copy, ir::OperationKind kind) const {
    return all[kinds * copy + static_cast<std::size_t>(kind)];
  }

private:
  static constexpr std::size_t kinds = Routes::kinds;
  std::vector<std::uint64_t> all;
};

/// Which turn of its chunk each pass is. Input gradients come from whole backwards and from those
/// of the input, weight gradients from whole ones and from those of the weights.
class TurnCounter {
public:
  /// `runs` of each copy; nothing is counted where there are no copies.
  void assign(std::size_t copies, std::uint64_t each) {
    runs = each;
    ran.assign(3 * copies, 0);
  }
  Turn next(std::size_t copy, ir::OperationKind kind) {
    std::uint32_t* of = &ran[3 * copy];
    if (isForward(kind)) {
      const std::uint32_t before = of[0]++;
      return {before == 0, before + 1 == runs};
    }
    const bool weights = kind != ir::OperationKind::BackwardInput,
               inputs = kind != ir::OperationKind::BackwardWeight;
    const std::uint32_t input = of[1], weight = of[2];
    of[1] += inputs ? 1 : 0, of[2] += weights ? 1 : 0;
    return {(inputs ? input : weight) == 0, (weights ? weight : input) + 1 == runs};
  }

private:
  std::vector<std::uint32_t> ran; ///< by copy: forwards, input gradients, weight gradients
  std::uint64_t runs = 1;
};

/// Buffers are kept from run to run, so that a caller that executes many shapes allocates once.
class Executor {
public:
  using Lists = llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledOperation>>;

  /// Sends are buffered: a message leaves when its pass ends and the directed link between the two
  /// ranks is free, and holds the link for its time. With `overlapped` the sender goes on
  /// meanwhile, else it waits. `times` by Placement::indexOf; lists by rank, of passes alone. With
  /// `clocks`, parallel to `times`, every rank has a data stream beside its computation.
  const Execution& run(const ir::Placement& placement, std::uint64_t microBatches, Lists lists,
                       llvm::ArrayRef<PieceTime> times, bool overlapped,
                       llvm::ArrayRef<PieceClocks> clocks = {});

  // Of the last run.

  /// When the pass began, ps.
  std::uint64_t start(std::uint64_t rank, std::size_t operation) const {
    return starts[firstStart[rank] + operation];
  }
  /// When the pass ended, ps; what it has to wait for of its sends comes after.
  std::uint64_t end(std::uint64_t rank, std::size_t operation) const {
    return ends[firstStart[rank] + operation];
  }
  /// When the calls that the rank's passes left behind were done, ps.
  std::uint64_t dataEnd(std::uint64_t rank) const { return dataClock[rank]; }
  /// ps that the rank waited for what it sent.
  std::uint64_t sending(std::uint64_t rank) const { return sendingTime[rank]; }
  /// When the rank was done, ps.
  std::uint64_t end(std::uint64_t rank) const { return clock[rank]; }

private:
  static constexpr std::uint64_t never = UINT64_MAX;

  void begin(const ir::Placement& placement, std::uint64_t count, Lists all);
  template <bool withData> void advance(std::uint64_t rank);
  /// Runs a pass from `now` on, with the rank's data stream; when its outputs leave. `now` becomes
  /// the time from which the rank computes again.
  std::uint64_t runBody(std::uint64_t rank, const ir::ScheduledOperation& op, std::uint32_t copy,
                        std::uint64_t& now);
  const Execution& finish();
  void explain();
  bool overlapped = true;
  Lists lists;
  llvm::ArrayRef<PieceTime> times;
  llvm::ArrayRef<PieceClocks> clocks;
  Routes routes;
  std::vector<std::uint64_t> arrival, starts, ends, firstStart, clock, dataClock, link, sendingTime;
  TurnCounter turnOf;
  PassDurations durations;
  std::vector<std::size_t> next;
  ReadyRanks ready;
  Execution result;
};

} // namespace dpl::cost
