//===- Estimator.cpp - Step time and memory of many layouts of one plan -----------------------===//
#include "planner/Estimator.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

llvm::ArrayRef<ir::Chunk> Estimator::split(const LayoutCandidate& candidate) {
  PlacedMesh* placed = tables.isLegal(candidate) ? tables.find(candidate) : nullptr;
  if (!placed)
    return {};
  tables.enter(*placed, candidate);
  return tables.plan.chunks;
}

namespace {
/// The times of an action by kind of micro-batch; some collectives run only in the first or last
/// one.
template <class Write>
ActionTime timesOf(const ChunkActionTimes& chunk, const StateTimes& state,
                   ir::MicroBatchSelection special, bool isSpecial, ir::CostRatio cost,
                   const Write& write) {
  const auto inTurn = [&](FirstLast firstLast) {
    const auto takes = [](const ir::Segment&) { return true; };
    ProgramClock clock(firstLast, takes, cost);
    StageProgramWriter<ProgramClock> writer(clock, *chunk.modules->segments, state.collectives,
                                            chunk.contention);
    write(writer);
    return clock.time();
  };
  ActionTime times;
  times.middle = times.first = times.last = times.only = inTurn({});
  if (isSpecial && special == ir::MicroBatchSelection::First)
    times.first = times.only = inTurn({true, false});
  if (isSpecial && special == ir::MicroBatchSelection::Last)
    times.last = times.only = inTurn({false, true});
  return times;
}

bool runsIn(const StateTimes& state,
            std::optional<StateCollectives::StateCollective> StateCollectives::*what,
            ir::MicroBatchSelection when) {
  return llvm::any_of(state.collectives, [&](const StateCollectives& collectives) {
    return collectives.*what && (collectives.*what)->selection == when;
  });
}
} // namespace

ChunkStep Estimator::stepOf(const StateTimes& state, const ChunkActionTimes& of) {
  const BackwardSplit passes = scheduleInfo(tables.plan.layout.schedule).backward;
  const bool split = passes != BackwardSplit::Whole;
  const bool firstGathers =
      runsIn(state, &StateCollectives::gather, ir::MicroBatchSelection::First);
  const bool lastReduces = llvm::any_of(state.collectives, [](const StateCollectives& collectives) {
    const auto isLast = [](const auto& at) {
      return at && at->selection == ir::MicroBatchSelection::Last;
    };
    return isLast(collectives.reduce.shares) || isLast(collectives.reduce.replicas) ||
           (collectives.coding > 0 && collectives.coded == ir::MicroBatchSelection::Last);
  });
  const auto clocksOf = [&](ir::CostRatio cost) {
    using enum ir::MicroBatchSelection;
    ChunkClocks clocks;
    clocks.forward = timesOf(of, state, First, firstGathers, cost, [](auto& w) { w.forward(); });
    clocks.backward = timesOf(of, state, Last, lastReduces && !split, cost, [&](auto& w) {
      w.reversed(&ActionSegments::backward, true, !split);
    });
    if (split)
      clocks.weight = timesOf(of, state, Last, lastReduces, cost,
                              [](auto& w) { w.reversed(&ActionSegments::weight, false, true); });
    if (tables.plan.layout.recompute.inAdvance)
      clocks.recompute = timesOf(of, state, Every, false, cost, [](auto& w) { w.recomputed(); });
    clocks.mixed = passes == BackwardSplit::Mixed;
    if (clocks.mixed)
      clocks.whole = timesOf(of, state, Last, lastReduces, cost,
                             [](auto& w) { w.reversed(&ActionSegments::whole, true, true); });
    return clocks;
  };
  ChunkStep step;
  setClocks(step, tables.microBatchCosts, clocksOf);
  for (const StateCollectives& collectives : state.collectives)
    for (const auto& at : {collectives.reduce.shares, collectives.reduce.replicas})
      step.leaves = step.leaves || (at && !at->blocks && at->collective.time > 0);
  step.reductions = state.reductions, step.gathers = state.gathers;
  step.updated = state.updated;
  return step;
}

/// Adds the costs and steps of all chunks; those of equal chunks are computed once.
void Estimator::addChunks(PlacedMesh& placed, const LayoutCandidate& candidate,
                          DivisionEstimate& divided) {
  chunkActionTimes.clear(), states.clear(), steps.clear();
  stepChunks.begin(tables.plan.chunks.size());
  for (DistinctChunk& chunk : placed.distinct) {
    const ChunkActionTimes& of = tables.writtenChunkOf(placed, candidate, divided, chunk);
    chunkActionTimes.push_back(&of);
    states.push_back(&tables.stateOf(placed, candidate, chunk, of.modules->cost));
    steps.push_back(stepOf(*states.back(), of));
  }
  const ir::Plan& plan = tables.plan;
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    ChunkStep& step = steps[placed.chunkPlacements[i].distinct];
    step.time.sendForward = tables.messageOn(divided, placed.chunkPlacements[i].messages.forward);
    step.time.sendBackward = tables.messageOn(divided, placed.chunkPlacements[i].messages.backward);
    stepChunks.add(step);
  }
  if (mergesPairs(plan))
    addPairs(placed);
}

void Estimator::addRanks(PlacedMesh& placed, const LayoutCandidate& candidate,
                         DivisionEstimate& divided) {
  llvm::SmallVector<const ir::ChunkCost*, 4> costs;
  for (const DistinctChunk& chunk : placed.distinct)
    costs.push_back(&tables.chunkActionTimesOf(placed, candidate, divided, chunk).modules->cost);
  const ir::Plan& plan = tables.plan;
  rankChunks.assign(plan.placement.stageReplicas(), {});
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    const ir::Chunk& chunk = plan.chunks[i];
    rankChunks[chunk.rank * plan.placement.chunks + chunk.chunk] = {
        costs[placed.chunkPlacements[i].distinct], &chunk};
  }
}

/// Adds the times of merged actions of two chunks; those of equal pairs are computed once.
void Estimator::addPairs(PlacedMesh& placed) {
  const auto write = [&](std::size_t chunk, WrittenProgram& to, const auto& pass) {
    to.clear();
    StageProgramWriter<WrittenProgram> writer(to, *chunkActionTimes[chunk]->modules->segments,
                                              states[chunk]->collectives,
                                              chunkActionTimes[chunk]->contention);
    pass(writer);
  };
  const ir::MicroBatchCosts& costs = tables.microBatchCosts;
  const std::size_t each = costs.kinds() * costs.kinds();
  pairs.clear(), pairTimes.clear();
  stepChunks.addPairs(costs.kinds(), [&](std::size_t i) {
    const ir::Chunk& chunk = tables.plan.chunks[i];
    const std::size_t
        one = placed.chunkPlacements[i].distinct,
        other =
            placed
                .chunkPlacements[tables.plan.placement.indexOf(chunk.rank, 1 - chunk.chunk).index()]
                .distinct;
    const auto known = llvm::find(pairs, std::pair(one, other));
    const std::size_t index = static_cast<std::size_t>(known - pairs.begin());
    if (known == pairs.end()) {
      pairs.emplace_back(one, other);
      write(one, forward, [](auto& w) { w.forward(); });
      write(other, backward, [](auto& w) { w.reversed(&ActionSegments::whole, true, true); });
      merge(forward.blocks(), backward.blocks(), chunkActionTimes[one]->contention, costs, merged);
      timesOfPair(
          merged.blocks(), [](const ir::Segment&) { return true; }, costs, pairTimes);
    }
    return llvm::makeArrayRef(pairTimes).slice(index * each, each);
  });
}

void Estimator::addMemory(const DivisionEstimate& divided, const ExecutedShape& shape,
                          Estimate& out) {
  const ir::Plan& plan = tables.plan;
  const MemoryModel model(plan, divided.buffers);
  const std::uint64_t chunks = plan.placement.chunks;
  std::optional<ir::RankMemory> tightest;
  for (std::uint64_t rank = 0; rank < plan.placement.ranks; ++rank) {
    const ir::RankMemory memory =
        model.of(rank, llvm::ArrayRef<RankChunk>(rankChunks).slice(rank * chunks, chunks),
                 [&](const ChunkBytes& bytes) { return shape.peaks[rank].of(bytes); });
    out.share = std::max(out.share, ir::real(memory.peak()) / ir::real(memory.usable));
    out.mostInFlight = std::max(out.mostInFlight, memory.inFlight);
    if (!tightest || memory.headroom() < tightest->headroom())
      tightest = memory;
  }
  out.peak = tightest->peak(), out.usable = tightest->usable;
}

Estimate Estimator::run(const LayoutCandidate& candidate, bool memoryFirst,
                        llvm::ArrayRef<ir::Chunk> split) {
  Estimate out;
  PlacedMesh* placed = tables.isLegal(candidate) ? tables.find(candidate, split) : nullptr;
  if (!placed)
    return out;
  tables.enter(*placed, candidate);
  DivisionEstimate& divided = tables.divided(*placed, candidate);
  addRanks(*placed, candidate, divided);
  const ExecutedShape* known = memoryFirst ? shapes->known(tables.plan) : nullptr;
  if (known && known->runs) {
    out.runs = out.executed = true;
    addMemory(divided, *known, out);
    if (out.share > 1)
      return out;
  }
  addChunks(*placed, candidate, divided);
  tables.executed += countedActions(tables.plan, 1);
  const auto [shape, ran] = shapes->find(tables.plan, stepChunks);
  if (!shape.runs)
    return out;
  const std::uint64_t microBatches = tables.plan.mesh.microBatches;
  const auto devices = divided.estimate.devices();
  out.step = ran ? executedStep(tables.plan, microBatches, shape.order->ranks(), steady, stepChunks,
                                devices)
                 : sweptStep(tables.plan, microBatches, *shape.order, steady, stepChunks, devices);
  if (!out.runs)
    addMemory(divided, shape, out);
  out.runs = out.executed = true;
  return out;
}
