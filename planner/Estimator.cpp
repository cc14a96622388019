//===- Estimator.cpp - Step and memory of many layouts of one plan ----------------------------===//
#include "planner/Estimator.h"
#include "cost/Legality.h"
#include "cost/schedules/Proof.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "planner/MeshSpace.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

Estimator::Estimator(const ir::Plan& from) : plan(from), experts(hasExperts(from.model)) {}

bool Estimator::place(const Point& point) {
  writePoint(point, plan.layout, experts);
  plan.mesh = {};
  DiagnosticEngine silent;
  for (const auto& create :
       {createResolveMeshPass, createPlaceRanksPass, createPartitionLayersPass})
    if (create()->run(plan, silent).failed())
      return false;
  return true;
}

llvm::ArrayRef<ir::Chunk> Estimator::split(const Point& point) {
  plan.chunks.clear();
  (void)place(point);
  return plan.chunks;
}

const Estimator::Shape& Estimator::shapeOf(const PipelineShape& shape) {
  const auto [found, isNew] =
      shapes.try_emplace({shape.kind, shape.ranks, shape.chunks, shape.microBatches});
  Shape& made = found->second;
  if (!isNew)
    return made;
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank)
    made.lists.push_back(operationsOf(shape, rank));
  const std::vector<llvm::ArrayRef<ir::ScheduledOperation>> lists(made.lists.begin(),
                                                                  made.lists.end());
  Executor executor;
  made.runs =
      whatBreaks(shape.kind, shape.placement(), shape.microBatches, lists, executor).empty();
  if (made.runs)
    made.order = std::make_unique<StoredOrder>(shape.placement(), shape.microBatches, lists);
  return made;
}

/// Layers do not depend on the data axes, nor on the pipeline where all nodes are alike.
const Estimator::Divided& Estimator::dividedAs(const Point& point) {
  Point key = point;
  key.data = key.replica = 1;
  if (plan.cluster.classes.size() == 1)
    key.pipeline = 1;
  return divisions.try_emplace(key, plan).first->second;
}

/// Costs and steps of all chunks; equal ones once.
void Estimator::workOut(const Divided& divided) {
  plan.collectives.clear(), plan.bodies.clear(), plan.programs.clear();
  plan.costs.assign(plan.chunks.size(), {});
  pieces.clear();
  ChunkLowering lowering(plan, divided.estimate, divided.layers);
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    const ir::Chunk& chunk = plan.chunks[i];
    ChunkStep step;
    if (const std::size_t same = equalChunk(plan, i); same != i) {
      plan.costs[i] = plan.costs[same];
      step = pieces.chunks()[same];
    } else {
      plan.costs[i] = divided.estimate.of(chunk);
      lowering.lower(i);
      step = chunkStep(plan, plan.programs.back(), plan.costs[i],
                       [](const ir::Collective&) { return true; });
    }
    plan.costs[i].rank = chunk.rank, plan.costs[i].chunk = chunk.chunk;
    addMessages(plan, {chunk.rank, chunk.chunk}, step.time);
    pieces.add(step);
  }
}

void Estimator::addMemory(const Shape& shape, Estimate& out) const {
  const std::uint64_t chunks = plan.placement.chunks;
  llvm::SmallVector<HeldChunk, 64> held(plan.placement.ranks * chunks);
  for (std::size_t i = 0; i < plan.chunks.size(); ++i)
    held[plan.chunks[i].rank * chunks + plan.chunks[i].chunk] = {&plan.costs[i],
                                                                 plan.chunks[i].layers};
  std::optional<ir::RankMemory> tightest;
  for (std::uint64_t rank = 0; rank < plan.placement.ranks; ++rank) {
    const ir::RankMemory memory =
        memoryOf(plan, rank, llvm::ArrayRef<HeldChunk>(held).slice(rank * chunks, chunks),
                 shape.lists[rank]);
    out.share = std::max(out.share, ir::real(memory.peak()) / ir::real(memory.usable));
    if (!tightest || memory.headroom() < tightest->headroom())
      tightest = memory;
  }
  out.peak = tightest->peak(), out.usable = tightest->usable;
}

Estimate Estimator::exact(const Point& point) {
  Estimate out;
  DiagnosticEngine silent;
  if (!place(point) || createBuildGroupsPass()->run(plan, silent).failed())
    return out;
  const Shape& shape = shapeOf(
      {plan.layout.schedule, plan.placement.ranks, plan.placement.chunks, plan.mesh.microBatches});
  if (!shape.runs)
    return out;
  workOut(dividedAs(point));
  shape.order->sweep(pieces.times(), plan.layout.overlap.pipeline, pieces.clocks());
  out.runs = true;
  out.step = endOfStep(plan, pieces.chunks(), shape.order->ranks());
  addMemory(shape, out);
  return out;
}
