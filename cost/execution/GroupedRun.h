#pragma once
//===- GroupedRun.h - Runs the lists of all ranks in the groups in which they exchange --------===//
//
// Sends are not buffered: messages move when both ends are posted, in the groups that a row of the
// schedules gives for each rank. Who waits for whom does not depend on times, so there are none.
#include "cost/execution/Waiting.h"
#include "cost/schedules/Exchanges.h"

namespace dpl::cost {

/// Buffers are kept from run to run.
class GroupedRun {
public:
  /// Whether all lists come to their end, and the messages of each channel are taken in the order
  /// of their sends.
  bool run(const ir::Placement& placement, std::uint64_t microBatches,
           Executor::PerRankScheduleRefs schedules, Exchanges& exchanges);

  // Of the last run.

  /// The passes in an order in which each has what it needs; of lists that come to their end.
  llvm::ArrayRef<ActionRun> order() const { return actionRuns; }
  /// As of Execution; empty where messages are out of turn.
  std::vector<Waiting> waiting() const;

private:
  /// A number for each channel of a rank: two to the rank after it or from the one before, two the
  /// other way round.
  using ChannelCounts = std::int32_t __attribute__((vector_size(16)));
  /// All ones for the channels of a set.
  static const ChannelCounts masks[16];
  static bool any(ChannelCounts mask) {
    using Halves = std::uint64_t __attribute__((vector_size(16)));
    const auto halves = reinterpret_cast<Halves>(mask);
    return (halves[0] | halves[1]) != 0;
  }
  /// Of the first two channels from one, of the others from another.
  static ChannelCounts halves(ChannelCounts one, ChannelCounts other) {
    return __builtin_shufflevector(one, other, 0, 1, 6, 7);
  }
  /// The channels that a rank sends on to the one after it, and receives on from there; and those
  /// of the one before.
  static constexpr unsigned withNext = 0xc3, withLast = 0x3c;

  /// Posts and passes so far, the posts before the next pass and what it needs among them.
  struct ExchangingRank {
    ChannelCounts sent{}, received{}, made{}, needed{};
    std::uint32_t next = 0, last = 0; ///< the ranks after and before it
    std::size_t step = 0;             ///< the next one
    std::uint32_t actions = 0;        ///< before it
  };
  /// How much the other ends of a rank's channels have posted.
  ChannelCounts receivedThere(const ExchangingRank& of) const {
    return halves(ranks[of.next].received, ranks[of.last].received);
  }
  ChannelCounts sentThere(const ExchangingRank& of) const {
    return halves(ranks[of.last].sent, ranks[of.next].sent);
  }

  /// Runs the passes of a rank and posts the groups before them; false when it has to wait.
  bool advance(std::size_t rank);
  void waitingOf(std::size_t rank, std::vector<Waiting>& out) const;

  Executor::PerRankScheduleRefs schedules;
  GroupWriter groups;
  std::vector<ExchangingRank> ranks;
  std::vector<ActionRun> actionRuns;
  ReadyRanks ready;
};

} // namespace dpl::cost
