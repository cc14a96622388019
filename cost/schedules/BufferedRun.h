#pragma once
//===- BufferedRun.h - Runs the lists of all ranks with buffered sends, without times ---------===//
//
// A pass runs when what it needs was sent. In which order passes can run does not depend on what
// they take, so this gives an order and says who is out of turn.
#include "cost/schedules/Executor.h"

namespace dpl::cost {

/// Buffers are kept from run to run.
class BufferedRun {
public:
  /// Whether all lists come to their end.
  bool run(const ir::Placement& placement, std::uint64_t microBatches, Executor::Lists lists);

  // Of the last run.

  /// Whether each message was sent once, and those of each channel are taken in the order of their
  /// sends; of lists that come to their end.
  bool inTurn() const { return turnsKept; }
  /// The passes in an order in which each has what it needs, as far as they run.
  llvm::ArrayRef<Stretch> order() const { return stretches; }

private:
  static constexpr std::uint32_t none = Route::none;
  /// The passes of a kind of a chunk of a rank: the messages of micro-batch 0, and the channels on
  /// which they come and go; none on a rank.
  struct Lane {
    std::uint32_t input = none, output = none, from = none, to = none, toRank = 0;
  };
  /// Runs the passes of a rank until it has to wait; false when it does.
  bool advance(std::uint32_t rank);

  Executor::Lists lists;
  Routes routes;
  std::vector<Lane> lanes;          ///< as the routes
  std::vector<std::uint32_t> turns; ///< by message: which of its channel it is, from 1; 0: not sent
  std::vector<std::uint32_t> sent, taken; ///< by channel
  std::vector<std::size_t> next;          ///< of each list
  std::vector<Stretch> stretches;
  ReadyRanks ready;
  bool turnsKept = true;
};

} // namespace dpl::cost
