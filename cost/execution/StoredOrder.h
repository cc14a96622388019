#pragma once
//===- StoredOrder.h - Executes actions in an order that was found once -----------------------===//
//
// The order in which actions can run does not depend on their times, so the order found for a
// pipeline shape is reused. In it each action follows its inputs, and a sweep computes the times
// for any plan of this shape. Many shapes run only once, so the actions are stored at the first
// sweep.
#include "cost/execution/Executor.h"
#include "ir/Limits.h"

namespace dpl::cost {

/// The times of a rank in a sweep.
struct SweptRank {
  std::uint64_t begin = 0;   ///< ps, start of its first action
  std::uint64_t end = 0;     ///< ps, end of its last action and the sends that it waits for
  std::uint64_t dataEnd = 0; ///< ps, end of the data-stream collectives of its actions
  std::uint64_t sending = 0; ///< ps in which it waited for its sends
  bool operator==(const SweptRank&) const = default;
};

class StoredOrder {
public:
  /// Relies on: schedules that the executor has completed, and its order.
  StoredOrder(const ir::Placement& placement, std::uint64_t microBatches,
              PerRankSchedules schedules, const Executor& ran, ir::MicroBatchCosts costs = {});

  /// Runs the actions as Executor::run does, with overlapped or blocking sends. `ranks` then
  /// returns the results of the sweep instead of those of the executor.
  void sweep(llvm::ArrayRef<ChunkTime> times, bool overlapped,
             llvm::ArrayRef<ChunkClocks> clocks = {});
  llvm::ArrayRef<SweptRank> ranks() const { return swept; }
  std::size_t operations() const { return all; }

private:
  struct StoredAction {
    std::uint32_t input = nothing; ///< slot of the input message
    std::uint32_t output = unread; ///< slot of the output message
    std::uint32_t kind = 0;        ///< index into the durations: ActionDurations::indexOf
    /// Index of the clock of the link for its message, among the clocks of all ranks.
    std::uint32_t link = none;
    std::uint32_t computationClock() const { return link | computation; }
    std::uint32_t rank() const { return link / clocksOfRank; }
    bool crosses() const { return (link & none) == 0; }
  };
  /// An action that pairs with the next one, or is the first or last of its chunk. The many actions
  /// between two of these are alike.
  struct SpecialAction {
    std::size_t action = 0;
    bool pairs = false, begins = false; ///< pairs with the next one; first action of its rank
    FirstLast firstLast, nextFirstLast; ///< flags of the action and of the second one of a pair
  };
  /// The slot of inputs that exist from the start, and the slot of outputs that no action receives.
  static constexpr std::uint32_t nothing = 0, unread = 1;
  /// The clocks of a rank: its links to the next and to the previous rank (0 and 1), a placeholder
  /// for no link, and its computation.
  static constexpr std::uint32_t none = 2, computation = 3, clocksOfRank = 4;
  static_assert(ir::mostDevices <= UINT32_MAX / clocksOfRank,
                "an axis has at most as many ranks as a cluster has devices");
  void store();
  template <bool withData, bool overlapped> void sweep();
  /// Advances the clocks of the rank over an action or a pair. Returns when the outputs leave.
  std::uint64_t run(const StoredAction& action, FirstLast firstLast);
  std::uint64_t runPair(const StoredAction* pair, const SpecialAction& of);
  std::uint64_t advance(const StoredAction& action, const ProgramTime& program);

  ir::Placement placement;
  std::uint64_t microBatches;
  PerRankSchedules schedules;   ///< empty after `store`
  std::vector<ActionRun> order; ///< empty after `store`
  ir::MicroBatchCosts costs;
  std::size_t all = 0; ///< number of actions

  std::vector<StoredAction> actions;
  std::vector<SpecialAction> specials;    ///< special actions in running order
  std::vector<std::uint64_t> arrival, at; ///< arrival times by slot; clocks of all ranks
  std::vector<SweptRank> swept;
  ActionDurations durations;
};

} // namespace dpl::cost
