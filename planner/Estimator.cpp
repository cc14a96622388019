//===- Estimator.cpp - Step and memory of many layouts of one plan ----------------------------===//
#include "planner/Estimator.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

llvm::ArrayRef<ir::Chunk> Estimator::split(const Point& point) {
  Placed* placed = tables.isLegal(point) ? tables.find(point) : nullptr;
  if (!placed)
    return {};
  tables.enter(*placed, point);
  return tables.plan.chunks;
}

namespace {
/// A pass in every turn; some of its calls run in the first or the last micro-batch alone.
template <class Write>
PassTime timesOf(const ChunkUnits& chunk, const StateTimes& state, ir::When special, bool isSpecial,
                 ir::CostRatio cost, const Write& write) {
  const auto inTurn = [&](Turn turn) {
    const auto takes = [](const ir::Segment&) { return true; };
    BodyClock clock(turn, takes, cost);
    PassWriter<BodyClock> writer(clock, *chunk.parts->units, state.calls, chunk.contention);
    write(writer);
    return clock.time();
  };
  PassTime times;
  times.every = times.first = times.last = times.only = inTurn({});
  if (isSpecial && special == ir::When::First)
    times.first = times.only = inTurn({true, false});
  if (isSpecial && special == ir::When::Last)
    times.last = times.only = inTurn({false, true});
  return times;
}

bool runsIn(const StateTimes& state, std::optional<StateCalls::At> StateCalls::*what,
            ir::When when) {
  return llvm::any_of(state.calls, [&](const StateCalls& calls) {
    return calls.*what && (calls.*what)->when == when;
  });
}
} // namespace

ChunkStep Estimator::stepOf(const StateTimes& state, const ChunkUnits& of) {
  const BackwardPasses passes = scheduleInfo(tables.plan.layout.schedule).backward;
  const bool split = passes != BackwardPasses::Whole;
  const bool firstGathers = runsIn(state, &StateCalls::gather, ir::When::First);
  const bool lastReduces = llvm::any_of(state.calls, [](const StateCalls& calls) {
    const auto isLast = [](const auto& at) { return at && at->when == ir::When::Last; };
    return isLast(calls.reduce.shares) || isLast(calls.reduce.replicas) ||
           (calls.coding > 0 && calls.coded == ir::When::Last);
  });
  const auto clocksOf = [&](ir::CostRatio cost) {
    using enum ir::When;
    PieceClocks clocks;
    clocks.forward = timesOf(of, state, First, firstGathers, cost, [](auto& w) { w.forward(); });
    clocks.backward = timesOf(of, state, Last, lastReduces && !split, cost,
                              [&](auto& w) { w.reversed(&PassSegments::backward, true, !split); });
    if (split)
      clocks.weight = timesOf(of, state, Last, lastReduces, cost,
                              [](auto& w) { w.reversed(&PassSegments::weight, false, true); });
    if (tables.plan.layout.recompute.inAdvance)
      clocks.recompute = timesOf(of, state, Every, false, cost, [](auto& w) { w.recomputed(); });
    clocks.mixed = passes == BackwardPasses::Mixed;
    if (clocks.mixed)
      clocks.whole = timesOf(of, state, Last, lastReduces, cost,
                             [](auto& w) { w.reversed(&PassSegments::whole, true, true); });
    return clocks;
  };
  ChunkStep step;
  setClocks(step, tables.microBatchCosts, clocksOf);
  for (const StateCalls& calls : state.calls)
    for (const auto& at : {calls.reduce.shares, calls.reduce.replicas})
      step.leaves = step.leaves || (at && !at->blocks && at->call.time > 0);
  step.reductions = state.reductions, step.gathers = state.gathers;
  step.updated = state.updated;
  return step;
}

/// Costs and steps of all chunks; equal ones once.
void Estimator::addChunks(Placed& placed, const Point& point, Divided& divided) {
  units.clear(), states.clear(), steps.clear(), held.clear();
  pieces.begin(tables.plan.chunks.size());
  for (PlacedChunk& chunk : placed.distinct) {
    const ChunkUnits& of = tables.writtenOf(placed, point, divided, chunk);
    units.push_back(&of);
    states.push_back(&tables.stateOf(placed, point, chunk, of.parts->cost));
    steps.push_back(stepOf(*states.back(), of));
  }
  const ir::Plan& plan = tables.plan;
  held.resize(plan.placement.copies());
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    ChunkStep& step = steps[placed.pieces[i].distinct];
    step.time.sendForward = tables.messageOn(divided, placed.pieces[i].messages.forward);
    step.time.sendBackward = tables.messageOn(divided, placed.pieces[i].messages.backward);
    pieces.add(step);
    const ir::Chunk& chunk = plan.chunks[i];
    held[chunk.rank * plan.placement.chunks + chunk.chunk] = {
        &units[placed.pieces[i].distinct]->parts->cost, &chunk};
  }
  if (mergesPairs(plan))
    addPairs(placed);
}

/// What pairs take; of equal chunks once.
void Estimator::addPairs(Placed& placed) {
  const auto write = [&](std::size_t chunk, WrittenPass& to, const auto& pass) {
    to.clear();
    PassWriter<WrittenPass> writer(to, *units[chunk]->parts->units, states[chunk]->calls,
                                   units[chunk]->contention);
    pass(writer);
  };
  const ir::MicroBatchCosts& costs = tables.microBatchCosts;
  const std::size_t each = costs.kinds() * costs.kinds();
  pairs.clear(), pairTimes.clear();
  pieces.addPairs(costs.kinds(), [&](std::size_t i) {
    const ir::Chunk& chunk = tables.plan.chunks[i];
    const std::size_t one = placed.pieces[i].distinct,
                      other =
                          placed.pieces[tables.plan.placement.indexOf(chunk.rank, 1 - chunk.chunk)]
                              .distinct;
    const auto known = llvm::find(pairs, std::pair(one, other));
    const std::size_t index = static_cast<std::size_t>(known - pairs.begin());
    if (known == pairs.end()) {
      pairs.emplace_back(one, other);
      write(one, forward, [](auto& w) { w.forward(); });
      write(other, backward, [](auto& w) { w.reversed(&PassSegments::whole, true, true); });
      merge(forward.blocks(), backward.blocks(), units[one]->contention, costs, merged);
      timesOfPair(
          merged.blocks(), [](const ir::Segment&) { return true; }, costs, pairTimes);
    }
    return llvm::makeArrayRef(pairTimes).slice(index * each, each);
  });
}

void Estimator::addMemory(const Divided& divided, const Shape& shape, Estimate& out) {
  const ir::Plan& plan = tables.plan;
  const MemoryModel model(plan, divided.buffers);
  const std::uint64_t chunks = plan.placement.chunks;
  std::optional<ir::RankMemory> tightest;
  for (std::uint64_t rank = 0; rank < plan.placement.ranks; ++rank) {
    const ir::RankMemory memory =
        model.of(rank, llvm::ArrayRef<HeldChunk>(held).slice(rank * chunks, chunks),
                 [&](const ChunkBytes& bytes) { return shape.peaks[rank].of(bytes); });
    out.share = std::max(out.share, ir::real(memory.peak()) / ir::real(memory.usable));
    out.held = std::max(out.held, memory.inFlight);
    if (!tightest || memory.headroom() < tightest->headroom())
      tightest = memory;
  }
  out.peak = tightest->peak(), out.usable = tightest->usable;
}

Estimate Estimator::exact(const Point& point) {
  Estimate out;
  Placed* placed = tables.isLegal(point) ? tables.find(point) : nullptr;
  if (!placed)
    return out;
  tables.enter(*placed, point);
  Divided& divided = tables.divided(*placed, point);
  addChunks(*placed, point, divided);
  tables.executed += countedPasses(tables.plan, 1);
  const auto [shape, ran] = shapes->find(tables.plan, pieces);
  if (!shape.runs)
    return out;
  out.runs = out.executed = true;
  const std::uint64_t microBatches = tables.plan.mesh.microBatches;
  const auto devices = divided.estimate.devices();
  out.step =
      ran ? executedStep(tables.plan, microBatches, shape.order->ranks(), steady, pieces, devices)
          : sweptStep(tables.plan, microBatches, *shape.order, steady, pieces, devices);
  addMemory(divided, shape, out);
  return out;
}
