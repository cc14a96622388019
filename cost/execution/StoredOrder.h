#pragma once
//===- StoredOrder.h - The passes of a shape in an order that has been found once -------------===//
//
// In which order passes can run does not depend on their times, so what has been found of a shape
// is kept: each pass stands behind what it needs, and a sweep gives the times of any plan of that
// shape. The executor has run it once and many shapes run no more, so it is stored when it is
// swept.
#include "cost/execution/Executor.h"
#include "ir/Limits.h"

namespace dpl::cost {

/// Of a sweep.
struct SweptRank {
  std::uint64_t begin = 0;   ///< ps when its first pass begins
  std::uint64_t end = 0;     ///< ps when the rank computes no more and has sent what it waits for
  std::uint64_t dataEnd = 0; ///< ps when the calls that its passes left behind are done
  std::uint64_t sending = 0; ///< ps that it waited for what it sent
  bool operator==(const SweptRank&) const = default;
};

class StoredOrder {
public:
  /// Of lists that an executor has run to their end, in the order that it has of them.
  StoredOrder(const ir::Placement& placement, std::uint64_t microBatches,
              PerRankSchedules schedules, const Executor& ran, ir::MicroBatchCosts costs = {});

  /// As Executor::run with overlapped or waiting sends. Of each rank the result stands in `ranks`,
  /// where that of the executor stood before.
  void sweep(llvm::ArrayRef<ChunkTime> times, bool overlapped,
             llvm::ArrayRef<ChunkClocks> clocks = {});
  llvm::ArrayRef<SweptRank> ranks() const { return swept; }
  std::size_t operations() const { return all; }

private:
  struct StoredAction {
    std::uint32_t input = nothing; ///< slot of the message that it needs
    std::uint32_t output = unread; ///< slot of the one that it sends
    std::uint32_t kind = 0;        ///< of its piece: ActionDurations::indexOf
    std::uint32_t link = none;     ///< that its message crosses: one of the clocks of its rank
    std::uint32_t computationClock() const { return link | computation; }
    std::uint32_t rank() const { return link / clocksOfRank; }
    bool crosses() const { return (link & none) == 0; }
  };
  /// A pass that pairs with the one behind it, or is the first or the last of its chunk. All
  /// others, and there are many between two of these, run alike.
  struct SpecialAction {
    std::size_t action = 0;
    bool pairs = false, begins = false; ///< its rank has none before it
    FirstLast firstLast, nextFirstLast; ///< of the pass, and of a pair the other one's
  };
  /// Slots of messages that come from no pass and are there from the beginning, and of those that
  /// no pass takes.
  static constexpr std::uint32_t nothing = 0, unread = 1;
  /// The clocks of a rank: of its links to the rank after it and to the one before (0 and 1), of
  /// what stands for none, and of its computation.
  static constexpr std::uint32_t none = 2, computation = 3, clocksOfRank = 4;
  static_assert(ir::mostDevices <= UINT32_MAX / clocksOfRank,
                "an axis has at most as many ranks as a cluster has devices");
  void store();
  template <bool withData, bool overlapped> void sweep();
  /// Takes the clocks of its rank over a pass, or a pair; when the outputs leave.
  std::uint64_t run(const StoredAction& action, FirstLast firstLast);
  std::uint64_t runPair(const StoredAction* pair, const SpecialAction& of);
  std::uint64_t advance(const StoredAction& action, const ProgramTime& program);

  ir::Placement placement;
  std::uint64_t microBatches;
  PerRankSchedules schedules;   ///< until they are stored
  std::vector<ActionRun> order; ///< and theirs
  ir::MicroBatchCosts costs;
  std::size_t all = 0; ///< passes

  std::vector<StoredAction> actions;
  std::vector<SpecialAction> specials;    ///< in the order of the passes
  std::vector<std::uint64_t> arrival, at; ///< of messages by slot; the clocks of all ranks
  std::vector<SweptRank> swept;
  ActionDurations durations;
};

} // namespace dpl::cost
