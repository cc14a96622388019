#pragma once
//===- Proof.h - That a schedule cannot hang --------------------------------------------------===//
#include "cost/schedules/Executor.h"

namespace dpl::cost {

/// What is shown of the lists of a plan. An order is sound when it comes to its end with buffered
/// sends and in the exchange groups of its row, and messages of each link are taken in the order in
/// which they are sent (what carries them has no names for them). Sends that block one after the
/// other are a third question, whose answer is shown and never required: 1F1B and interleaved
/// schedules would hang.
struct ScheduleProof {
  std::string broken; ///< what is wrong; empty for a sound order
  std::string serial; ///< who would wait for whom if each send blocked; empty where nobody does
};
ScheduleProof prove(const ir::Plan& plan, Executor& executor);
/// What is wrong with lists of a schedule; empty for a sound order.
std::string whatBreaks(ir::ScheduleKind kind, const ir::Placement& placement,
                       std::uint64_t microBatches, Executor::Lists lists, Executor& executor);

/// Lists of the passes of a plan, without the operations of the step behind them.
std::vector<llvm::ArrayRef<ir::ScheduledOperation>> passesOf(const ir::Plan& plan);

} // namespace dpl::cost
