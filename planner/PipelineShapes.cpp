//===- PipelineShapes.cpp - Per-rank schedules of pipelines, each executed once ---------------===//
#include "planner/PipelineShapes.h"
#include "cost/execution/RankSchedules.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

PipelineShapes::Found PipelineShapes::find(const ir::Plan& plan, const StepPieces& pieces) {
  const PipelineShape shape = pipelineOf(plan);
  const ir::Layout& layout = plan.layout;
  if (scheduleInfo(shape.kind).byTime)
    return {timed = make(plan, shape, pieces), true};
  const auto [found, isNew] = shapes.try_emplace(
      Key(shape, layout.buffers.hasWholeGradients, holdsRestored(shape.kind, layout.recompute),
          restoresBothWays(shape.kind, layout.recompute)));
  if (isNew)
    found->second = make(plan, shape, pieces);
  return {found->second, isNew};
}

Shape PipelineShapes::make(const ir::Plan& plan, const PipelineShape& shape,
                           const StepPieces& pieces) {
  Shape out;
  OperationLists all = listsOf(
      shape, scheduleInfo(shape.kind).byTime ? pieces.times() : llvm::ArrayRef<PieceTime>());
  const std::vector<llvm::ArrayRef<ir::ScheduledOperation>> lists(all.begin(), all.end());
  const ir::Placement placement = shape.placement();
  const ir::MicroBatchCosts costs(plan.layout.microBatchCosts);
  const auto execute = [&](llvm::ArrayRef<Stretch> order) {
    return executor
        .run(placement, shape.microBatches, lists, pieces.times(), plan.layout.overlap.pipeline,
             pieces.clocks(), order, costs, order.empty())
        .completed;
  };
  out.runs = proof.flawOf(shape.kind, placement, shape.microBatches, lists, executor, execute)
                 .text.empty();
  if (!out.runs)
    return out;
  out.peaks = peaksOf(shape, all, plan.layout.buffers.hasWholeGradients, plan.layout.recompute);
  out.order =
      std::make_unique<StoredOrder>(placement, shape.microBatches, std::move(all), executor, costs);
  return out;
}
