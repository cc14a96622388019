#pragma once
//===- GroupedRun.h - Runs the lists of all ranks in the groups in which they exchange --------===//
//
// Sends are not buffered: messages move when both ends are posted, in the groups that a row of the
// schedules gives for each rank. Who waits for whom does not depend on times, so there are none.
#include "cost/schedules/ReadyRanks.h"
#include "cost/schedules/Waiting.h"

namespace dpl::cost {

/// Buffers are kept from run to run.
class GroupedRun {
public:
  /// Whether all lists come to their end.
  bool run(const ir::Placement& placement, std::uint64_t microBatches, Executor::Lists lists,
           Exchanges& exchanges);

  // Of the last run.

  /// Whether the messages of each link are taken in the order of their sends.
  bool inTurn() const { return ordered; }
  /// As of Execution.
  std::vector<Waiting> waiting() const;

private:
  /// Of a message: no end is posted, or one, then as which of its link and whether its rank waits
  /// for it, or both.
  static constexpr std::uint32_t open = 0, waited = 1U << 31, moved = UINT32_MAX;
  struct OfRank {
    std::vector<Exchange> groups;
    std::size_t pass = 0, group = 0; ///< the next ones
    std::size_t next = 0;            ///< group behind that one
    bool posted = false;             ///< the members of the next group are
    std::uint32_t missing = 0;       ///< of those, what the rank waits for
  };

  /// Runs the passes of a rank and posts the groups before them; false when it has to wait.
  bool advance(std::uint64_t rank);
  /// Posts the members of the group that begins there, and counts what the rank waits for; where
  /// the next group begins.
  std::size_t postGroup(std::uint64_t rank, std::size_t first);
  /// Posts one end; whether the other one was.
  bool post(std::uint64_t message, std::uint32_t turn, std::uint32_t peer, bool waits);
  void waitingOf(std::uint64_t rank, std::vector<Waiting>& out) const;

  Executor::Lists lists;
  Routes routes;
  std::vector<OfRank> ranks;
  std::vector<std::uint32_t> messages;
  std::vector<std::uint32_t> sent, taken; ///< by link and direction, how many ends were posted
  ReadyRanks ready;
  bool ordered = true;
};

} // namespace dpl::cost
