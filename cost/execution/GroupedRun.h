#pragma once
//===- GroupedRun.h - Runs all schedules with grouped exchanges -------------------------------===//
//
// Sends are not buffered: a message moves when both ends are posted, in the groups that the
// schedule defines for each rank. Times do not affect which rank waits for which, so there are
// none.
#include "cost/execution/Waiting.h"
#include "cost/schedules/Exchanges.h"

namespace dpl::cost {

/// Runs schedules without times. Later runs reuse the buffers.
class GroupedRun {
public:
  /// Whether all schedules complete and each channel receives its messages in send order.
  bool run(const ir::Placement& placement, std::uint64_t microBatches,
           Executor::PerRankScheduleRefs schedules, Exchanges& exchanges);

  // The results of the last run.

  /// An order of the actions in which each one follows its inputs. Valid if the schedules complete.
  llvm::ArrayRef<ActionRun> order() const { return actionRuns; }
  /// The ranks that wait (Execution::waiting); empty if messages are received out of send order.
  std::vector<Waiting> waiting() const;

private:
  /// A count for each channel of a rank: two channels to the next or from the previous rank, and
  /// two in the other direction.
  using ChannelCounts = std::int32_t __attribute__((vector_size(16)));
  /// For each set of channels, a vector with all bits set for the channels in the set.
  static const ChannelCounts masks[16];
  static bool any(ChannelCounts mask) {
    using Halves = std::uint64_t __attribute__((vector_size(16)));
    const auto halves = reinterpret_cast<Halves>(mask);
    return (halves[0] | halves[1]) != 0;
  }
  /// The first two channels of `one` and the last two of `other`.
  static ChannelCounts halves(ChannelCounts one, ChannelCounts other) {
    return __builtin_shufflevector(one, other, 0, 1, 6, 7);
  }
  /// The channels on which a rank exchanges messages with the next rank (`withNext`) and with the
  /// previous one (`withLast`).
  static constexpr unsigned withNext = 0xc3, withLast = 0x3c;

  /// The progress of a rank. `sent`, `received`: messages posted so far, including the posts before
  /// the next action. `made`: messages computed by actions. `needed`: messages that actions need,
  /// including the next action.
  struct ExchangingRank {
    ChannelCounts sent{}, received{}, made{}, needed{};
    std::uint32_t next = 0, last = 0; ///< next and previous rank
    std::size_t step = 0;             ///< next step
    std::uint32_t actions = 0;        ///< actions before `step`
  };
  /// Messages that the other ends of the rank's channels have posted.
  ChannelCounts receivedThere(const ExchangingRank& of) const {
    return halves(ranks[of.next].received, ranks[of.last].received);
  }
  ChannelCounts sentThere(const ExchangingRank& of) const {
    return halves(ranks[of.last].sent, ranks[of.next].sent);
  }

  /// Runs the actions of a rank and posts their groups. Returns false if the rank has to wait.
  bool advance(std::size_t rank);
  void waitingOf(std::size_t rank, std::vector<Waiting>& out) const;

  Executor::PerRankScheduleRefs schedules;
  GroupWriter groups;
  std::vector<ExchangingRank> ranks;
  std::vector<ActionRun> actionRuns;
  ReadyRanks ready;
};

} // namespace dpl::cost
