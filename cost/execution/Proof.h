#pragma once
//===- Proof.h - That a schedule cannot hang --------------------------------------------------===//
#include "cost/execution/Executor.h"
#include "cost/execution/GroupedRun.h"

namespace dpl::cost {

/// What is wrong with an order of passes, and where.
struct OrderFlaw {
  enum class FlawKind : std::uint8_t {
    Endless,        ///< ranks wait for one another
    OutOfSendOrder, ///< messages are received in another order than sent
    TooManyInFlight ///< micro-batches than the layout lets a rank hold
  } kind = FlawKind::Endless;
  struct RankAction {
    std::uint64_t rank = 0;
    ir::ScheduledAction action;
  };
  std::string text; ///< empty for a sound order
  /// Those that wait; what sends next on a link and what receives; the forward that is too many.
  std::vector<RankAction> actions;
};

/// Judges lists of passes. An order is sound when it comes to its end with buffered sends and in
/// the exchange groups of its row, and messages of each link are taken in the order in which they
/// are sent (what carries them has no names for them). Buffers are kept from proof to proof.
class Proof {
public:
  OrderFlaw flawOf(ir::ScheduleKind kind, const ir::Placement& placement,
                   std::uint64_t microBatches, Executor::PerRankScheduleRefs schedules);
  /// Runs the lists in an order, or without one looks for it and at turns; whether they come to
  /// their end.
  using Execute = llvm::function_ref<bool(llvm::ArrayRef<ActionRun> order)>;
  /// The same with an executor that runs the lists meanwhile; of a sound order it has its times.
  OrderFlaw flawOf(ir::ScheduleKind kind, const ir::Placement& placement,
                   std::uint64_t microBatches, Executor::PerRankScheduleRefs schedules,
                   const Executor& executor, Execute execute);
  /// Of a sound order: the passes so that each has what it needs.
  llvm::ArrayRef<ActionRun> order() const { return found; }

private:
  Executor untimedExecutor; ///< for who has no times
  GroupedRun groups;
  llvm::ArrayRef<ActionRun> found;
};
/// Whether the lists keep the layout's limit of micro-batches.
OrderFlaw aboveLimit(const ir::Layout& layout, Executor::PerRankScheduleRefs schedules);
/// What is wrong with the lists of a plan; empty for a sound order.
std::string whatBreaks(const ir::Plan& plan);
/// Who would wait for whom if each send blocked until it is taken; empty where nobody does. It is
/// shown and never required: 1F1B and interleaved schedules would hang.
std::string serialWait(const ir::Plan& plan);

/// Lists of the passes of a plan, without the operations of the step behind them.
std::vector<llvm::ArrayRef<ir::ScheduledAction>> actionsOf(const ir::Plan& plan);

} // namespace dpl::cost
