#pragma once
//===- Executor.h - Runs the lists of all pipeline ranks against one another ------------------===//
//
// The one place where orders meet: the longest path over program order and the messages between
// ranks, with one clock for each rank and each link. That all lists come to their end is the proof
// that nobody waits for ever; else it says who waits for whom.
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

  /// Sends are not buffered: messages move when both ends are posted, in the groups that
  /// `exchanges` gives for each rank.
  const Execution& run(const ir::Placement& placement, std::uint64_t microBatches, Lists lists,
                       llvm::ArrayRef<PieceTime> times, Exchanges& exchanges);

  /// Of the last run: when the pass began, ps.
  std::uint64_t start(std::uint64_t rank, std::size_t operation) const {
    return starts[firstStart[rank] + operation];
  }
  /// Of the last run: when the pass ended, ps; what it has to wait for of its sends comes after.
  std::uint64_t end(std::uint64_t rank, std::size_t operation) const {
    return ends[firstStart[rank] + operation];
  }
  /// Of the last run: when the calls that the rank's passes left behind were done, ps.
  std::uint64_t dataEnd(std::uint64_t rank) const { return dataClock[rank]; }
  /// Of the last run: ps that the rank waited for what it sent.
  std::uint64_t sending(std::uint64_t rank) const { return sendingTime[rank]; }
  /// Of the last run: when the rank was done, ps.
  std::uint64_t end(std::uint64_t rank) const { return clock[rank]; }

private:
  /// One direction of what a chunk takes part in.
  struct Way {
    std::uint32_t to = none;   ///< index of the copy that takes what the pass makes
    std::uint32_t rank = none; ///< where that copy is
    std::uint32_t from = none; ///< index of the copy whose output the pass needs
    std::uint32_t fromRank = none;
    std::uint32_t link = 0; ///< of the messages that it sends
  };
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint64_t never = UINT64_MAX;
  static constexpr std::size_t kinds = 4; ///< of passes

  void begin(const ir::Placement& placement, std::uint64_t count, Lists all);
  template <bool withData> void advance(std::uint64_t rank);
  /// Runs a pass from `now` on, with the rank's data stream; when its outputs leave. `now` becomes
  /// the time from which the rank computes again.
  std::uint64_t runBody(std::uint64_t rank, const ir::ScheduledOperation& op, std::uint32_t copy,
                        std::uint64_t& now);
  void advanceInGroups(std::uint64_t rank);
  bool postGroups(std::uint64_t rank);
  const Execution& finish();
  void explain();
  void waitingOf(std::uint64_t rank, std::vector<Waiting>& out) const;
  const Way& wayOf(std::uint64_t rank, std::uint32_t chunk, bool forward) const {
    return ways[2 * (rank * chunks + chunk) + (forward ? 0 : 1)];
  }
  std::uint32_t copyOf(std::uint64_t rank, std::uint32_t chunk) const {
    return copies[rank * chunks + chunk];
  }
  /// When the input of a pass is there; of the first stage forward and the last backward always.
  std::uint64_t& arrivalAt(std::uint32_t copy, bool forward, std::uint64_t microBatch) {
    return arrival[keyOf(copy, forward, microBatch)];
  }
  /// A message by the copy that takes it.
  std::uint64_t keyOf(std::uint32_t copy, bool forward, std::uint64_t microBatch) const {
    return (2 * copy + (forward ? 0 : 1)) * microBatches + microBatch;
  }
  std::uint64_t keyOf(std::uint64_t rank, const PostedMessage& m) const {
    const std::uint32_t to = m.send ? wayOf(rank, m.chunk, m.forward).to : copyOf(rank, m.chunk);
    return keyOf(to, m.forward, m.microBatch);
  }
  void wake(std::uint64_t rank) {
    if (waits[rank])
      waits[rank] = false, ready.push_back(rank);
  }
  void arrive(std::uint32_t copy, std::uint32_t rank, bool forward, std::uint64_t microBatch,
              std::uint64_t at) {
    arrivalAt(copy, forward, microBatch) = at;
    wake(rank);
  }
  std::uint64_t chunks = 1, microBatches = 1, runs = 1;
  bool overlapped = true;
  Lists lists;
  llvm::ArrayRef<PieceTime> times;
  llvm::ArrayRef<PieceClocks> clocks;
  std::vector<Way> ways;
  std::vector<std::uint32_t> copies;
  std::vector<std::uint32_t> linkOf; ///< by copy and direction, the link of what it sends
  std::vector<std::uint64_t> arrival, starts, ends, firstStart, clock, dataClock, link, sendingTime;
  std::vector<std::uint32_t> ran; ///< by copy and kind of pass, how many were
  std::vector<std::size_t> next;
  std::vector<char> waits;
  std::vector<std::uint64_t> ready;
  Execution result;

  // Of exchange groups: by rank, and when each end of each message was posted.
  std::vector<ExchangeList> groups;
  std::vector<std::size_t> nextGroup;
  std::vector<char> posted; ///< by rank: the members of its next group are
  std::vector<std::uint64_t> sendPosted, receivePosted;
  bool inGroups = false;
};

} // namespace dpl::cost
