#pragma once
//===- Proof.h - Proves that a schedule cannot hang -------------------------------------------===//
#include "cost/execution/Executor.h"
#include "cost/execution/GroupedRun.h"

namespace dpl::cost {

/// The error in a schedule and the actions that cause it.
struct OrderFlaw {
  enum class FlawKind : std::uint8_t {
    Endless,        ///< ranks wait for one another forever
    OutOfSendOrder, ///< messages are received in another order than sent
    TooManyInFlight ///< a rank has more in-flight micro-batches than the layout allows
  } kind = FlawKind::Endless;
  struct RankAction {
    std::uint64_t rank = 0;
    ir::ScheduledAction action;
  };
  std::string text; ///< empty for a sound schedule
  /// By kind: the waiting actions; the action that sends next on a channel and the action that
  /// receives another message; or the forward pass that exceeds the limit.
  std::vector<RankAction> actions;
};

/// Checks per-rank schedules. A schedule is sound if it completes with buffered sends and with the
/// exchange groups of its kind, and if each link receives messages in send order (point-to-point
/// messages have no tags). Repeated proofs reuse the buffers.
class Proof {
public:
  OrderFlaw flawOf(ir::ScheduleKind kind, const ir::Placement& placement,
                   std::uint64_t microBatches, Executor::PerRankScheduleRefs schedules);
  /// Runs the schedules in `order`, or searches for an order and checks the send order if it is
  /// empty. Returns whether they complete.
  using Execute = llvm::function_ref<bool(llvm::ArrayRef<ActionRun> order)>;
  /// Checks schedules with the executor that `execute` uses. If they are sound, it has the times.
  OrderFlaw flawOf(ir::ScheduleKind kind, const ir::Placement& placement,
                   std::uint64_t microBatches, Executor::PerRankScheduleRefs schedules,
                   const Executor& executor, Execute execute);
  /// For a sound schedule: an order of the actions in which each one follows its inputs.
  llvm::ArrayRef<ActionRun> order() const { return found; }

private:
  Executor untimedExecutor; ///< used by callers without times
  GroupedRun groups;
  llvm::ArrayRef<ActionRun> found;
};
/// Whether the schedules respect the layout's limit of in-flight micro-batches.
OrderFlaw aboveLimit(const ir::Layout& layout, Executor::PerRankScheduleRefs schedules);
/// The error in the schedules of a plan; empty if they are sound.
std::string whatBreaks(const ir::Plan& plan);
/// The ranks that would wait for one another if each send blocked until it is received; empty if
/// none would. This is informative only: 1F1B and interleaved schedules would hang.
std::string serialWait(const ir::Plan& plan);

/// The actions of chunks in the schedules of a plan, without the operations at the end of the step.
std::vector<llvm::ArrayRef<ir::ScheduledAction>> actionsOf(const ir::Plan& plan);

} // namespace dpl::cost
