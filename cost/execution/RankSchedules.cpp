//===- RankSchedules.cpp - The lists of a shape, executed where a row compares orders ---------===//
#include "cost/execution/RankSchedules.h"
#include "cost/execution/Executor.h"

using namespace dpl::cost;

OperationLists dpl::cost::listsOf(const PipelineShape& shape, llvm::ArrayRef<PieceTime> times) {
  Executor executor;
  return generateLists(shape, times,
                       [&](const OperationLists& lists,
                           llvm::ArrayRef<PieceTime> taken) -> std::optional<std::uint64_t> {
                         const std::vector<llvm::ArrayRef<dpl::ir::ScheduledOperation>> views(
                             lists.begin(), lists.end());
                         const Execution& run = executor.run(shape.placement(), shape.microBatches,
                                                             views, taken, true);
                         return run.completed ? std::optional(run.makespan) : std::nullopt;
                       });
}
