//===- PipelineShapes.cpp - Per-rank schedules of pipelines, each executed once ---------------===//
#include "planner/PipelineShapes.h"
#include "cost/execution/RankSchedules.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

PipelineShapes::ShapeKey PipelineShapes::keyOf(const ir::Plan& plan) {
  const PipelineShape shape = pipelineOf(plan);
  const ir::Recompute& recompute = plan.layout.recompute;
  return {shape, plan.layout.buffers.hasWholeGradients, holdsRestored(shape.kind, recompute),
          restoresBothWays(shape.kind, recompute)};
}

const ExecutedShape* PipelineShapes::known(const ir::Plan& plan) const {
  const auto found = shapes.find(keyOf(plan));
  return found == shapes.end() ? nullptr : &found->second;
}

PipelineShapes::FoundShape PipelineShapes::find(const ir::Plan& plan, const StepChunks& chunks) {
  const PipelineShape shape = pipelineOf(plan);
  if (scheduleInfo(shape.kind).byTime)
    return {timed = make(plan, shape, chunks), true};
  const auto [found, isNew] = shapes.try_emplace(keyOf(plan));
  if (isNew) {
    found->second = make(plan, shape, chunks);
    storedActions += shape.ranks * shape.microBatches * shape.chunks;
  }
  return {found->second, isNew};
}

ExecutedShape PipelineShapes::make(const ir::Plan& plan, const PipelineShape& shape,
                                   const StepChunks& chunks) {
  ExecutedShape out;
  PerRankSchedules all = perRankSchedules(
      shape, scheduleInfo(shape.kind).byTime ? chunks.times() : llvm::ArrayRef<ChunkTime>());
  const std::vector<llvm::ArrayRef<ir::ScheduledAction>> schedules(all.begin(), all.end());
  const ir::Placement placement = shape.placement();
  const ir::MicroBatchCosts costs(plan.layout.microBatchCosts);
  const auto execute = [&](llvm::ArrayRef<ActionRun> order) {
    return executor
        .run(placement, shape.microBatches, schedules, chunks.times(), plan.layout.overlap.pipeline,
             chunks.clocks(), order, costs, order.empty())
        .completed;
  };
  out.runs = proof.flawOf(shape.kind, placement, shape.microBatches, schedules, executor, execute)
                 .text.empty();
  if (!out.runs)
    return out;
  out.peaks = peaksOf(shape, all, plan.layout.buffers.hasWholeGradients, plan.layout.recompute);
  out.order =
      std::make_unique<StoredOrder>(placement, shape.microBatches, std::move(all), executor, costs);
  return out;
}
