//===- QuickEstimate.cpp - Step time and memory of a candidate by closed forms ----------------===//
//
// The time of an action is its time without collectives plus the time that state collectives add,
// computed for one layer and multiplied. The step follows from the closed form of the schedule.
// Where that form is known to be inaccurate, the schedule is executed instead.
#include "cost/memory/OutsideTensors.h"
#include "ir/Arithmetic.h"
#include "planner/Estimator.h"
#include <algorithm>
#include <limits>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;
using ir::real;

namespace {
/// Times in ps of the actions of a chunk with its state collectives.
class ChunkActions {
public:
  double forward = 0, backward = 0;
  double alone = 0;                         ///< forward and backward pass, without collectives
  double first = 0;                         ///< extra time of the first forward pass
  double gathered = 0;                      ///< end of the first forward pass, with prefetched
                                            ///< parameters
  double after = 0;                         ///< time of prefetches after the pass
  double last = 0;                          ///< extra time of the last backward pass
  double begins = 0, reduces = 0, ends = 0; ///< in the last backward pass: time until the gradients
                                            ///< of the first layer exist, time of their reduction,
                                            ///< and time until the end
  double streaming = 0;                     ///< work on the data stream in every action

  ChunkActions(const ChunkActionTimes& chunk, const LayerCollectiveTimes& collectives)
      : chunk(chunk), collectives(collectives), lose(chunk.contention), slowed(1 / (1 - lose)) {
    double layersForward = 0, layersBackward = 0;
    for (const RepeatedLayer& l : chunk.layers) {
      n += l.count;
      layersForward += l.count * l.each.forward, layersBackward += l.count * l.each.backward;
    }
    forward = chunk.before.forward + layersForward + chunk.after.forward;
    backward = chunk.before.backward + layersBackward + chunk.after.backward;
    alone = forward + backward;
    begins = chunk.after.backward;
    if (collectives.blocks) {
      forward += n * collectives.gather,
          backward += n * (collectives.gatherBackward + collectives.reduce);
      first = n * collectives.gatherFirst, ends = backward;
    } else if (!chunk.layers.empty()) {
      gathers();
      reductions();
    } else {
      ends = backward;
    }
  }

private:
  double overlapped(double layer, double call) const {
    return lose * std::min(layer * slowed, call);
  }

  /// The time that overlapped collectives add to all layers except one.
  double added(double ActionTotals::*pass, double call, const RepeatedLayer& without) const {
    const auto to = [&](const RepeatedLayer& l) {
      const double layer = l.each.*pass;
      return std::max(overlapped(layer, call), call - layer);
    };
    double sum = -to(without);
    for (const RepeatedLayer& l : chunk.layers)
      sum += l.count * to(l);
    return sum;
  }

  void gathers() {
    const RepeatedLayer& lastLayer = chunk.layers.back();
    if (collectives.gather > 0)
      forward += collectives.gather + added(&ActionTotals::forward, collectives.gather, lastLayer);
    const double g = collectives.gatherFirst;
    if (g > 0 && !collectives.prefetch)
      first = g + added(&ActionTotals::forward, g, lastLayer);
    if (g == 0 || !collectives.prefetch)
      return;
    // Each layer begins when its parameters have arrived; those of the first layer arrive before
    // all others.
    double came = g;
    gathered = g + chunk.before.forward;
    for (const RepeatedLayer& l : chunk.layers) {
      const double layer = l.each.forward;
      gathered = std::max(
          {gathered + l.count * layer, came + l.count * layer, came + (l.count - 1) * g + layer});
      came += l.count * g, after += l.count * overlapped(layer, g);
    }
    gathered += chunk.after.forward, after -= overlapped(lastLayer.each.forward, g);
  }

  void reductions() {
    const RepeatedLayer& firstLayer = chunk.layers.front();
    const double every = collectives.gatherBackward + collectives.reduce,
                 reduce = collectives.reduce + collectives.reduceLast;
    if (collectives.gatherBackward > 0)
      backward += added(&ActionTotals::backward, every, firstLayer) +
                  overlapped(firstLayer.each.backward, collectives.reduce);
    else
      for (const RepeatedLayer& l : chunk.layers)
        backward += l.count * overlapped(l.each.backward, collectives.reduce);
    streaming = n * (collectives.gather + every);
    // The data stream may need longer than the computation.
    backward += std::max(0.0, streaming - forward - backward);
    // Gradients are reduced at the end of their layer, those of the first layer with the
    // embedding's.
    double at = 0;
    for (std::size_t i = chunk.layers.size(); i-- > 0;) {
      const RepeatedLayer& l = chunk.layers[i];
      const double more = overlapped(l.each.backward, collectives.reduceLast);
      double layer = l.each.backward + overlapped(l.each.backward, collectives.reduce) + more;
      if (collectives.gatherBackward > 0)
        layer = std::max(layer, every);
      const double end = at + l.count * layer + (i == 0 ? chunk.before.backward : 0);
      reduces = std::max({reduces + l.count * reduce, at + layer + l.count * reduce, end + reduce});
      at = end, last += l.count * more;
    }
    if (reduce == 0)
      reduces = 0;
    ends = backward + last;
  }

  const ChunkActionTimes& chunk;
  const LayerCollectiveTimes& collectives;
  double n = 0;  ///< number of layers
  double lose;   ///< share of the compute rate that an overlapped collective takes
  double slowed; ///< time of fully overlapped computation, divided by its time alone
};

/// The step time of a plan in ps, by groups of equal ranks.
class QuickStep {
public:
  QuickStep(EstimateTables& tables, const PipelineShape& shape, PlacedMesh& placed,
            DivisionEstimate& divided, llvm::ArrayRef<const ChunkActionTimes*> units,
            llvm::ArrayRef<const StateTimes*> states)
      : tables(tables), layout(tables.plan.layout), shape(shape), divided(divided), states(states) {
    for (std::size_t i = 0; i < units.size(); ++i)
      chunkActions.emplace_back(*units[i], states[i]->layer);
    times.reserve(placed.runs.size() * shape.chunks);
    for (PlacedRun& run : placed.runs)
      add(run);
    for (std::size_t i = 0; i < placed.runs.size(); ++i)
      runs.push_back({placed.runs[i].ranks,
                      llvm::ArrayRef<ChunkTime>(times).slice(i * shape.chunks, shape.chunks)});
    const Makespan known =
        scheduleInfo(shape.kind).closedForm(shape, runs, layout.overlap.pipeline);
    flushed = real(known.time) + longest - plain;
    barrier = flushed;
    for (const RunEnd& end : ends) {
      barrier = std::max(barrier, flushed - end.gradientReturn + end.untilReduced);
      if (end.untilReduced > end.gradientReturn)
        unsure = std::max(unsure, end.overlapped - end.gradientReturn);
      afterActions = std::max(afterActions, end.update);
    }
  }

  double step() const { return barrier + afterActions; }

  /// Whether the closed form may be inaccurate: with data collectives in every action; if first and
  /// last actions, reductions after the last action, or messages matter; and with several different
  /// chunks per rank of which the warm-up runs more than one. tests/property/EstimateTest.cpp
  /// checks the remaining errors.
  bool isRough() const {
    if (layout.postValidation)
      return true; // no closed form for the slowest rank
    if (!layout.compression.empty() ||
        llvm::any_of(states, [](const StateTimes* state) { return state->layer.joined; }))
      return true; // compression and buckets of several layers have no closed form
    if (!layout.microBatchCosts.empty())
      return true; // closed forms have one time per action
    if (inflation > 0.015)
      return true;
    if (streaming > 0.5)
      return true; // backward passes alone may be faster, and earlier reductions are delayed
    if (shape.chunks == 1)
      return longest - plain > 0.07 * flushed || unsure > 0.12 * flushed || sending > 0.13;
    const double apart = slowest / fastest - 1;
    return longest - plain > 0.03 * flushed || unsure > 0.03 * flushed || sending > 0.05 ||
           apart > 0.3 || apart * real(shape.ranks) > 0.05 * real(shape.microBatches);
  }

private:
  /// Times in ps after the last action of the first rank of a group.
  struct RunEnd {
    double gradientReturn = 0; ///< until its last gradient reaches the first pipeline rank
    double untilReduced = 0;   ///< until the parameters' gradients are reduced
    double overlapped = 0;     ///< part of untilReduced: rest of the overlapped reductions
    double update = 0;         ///< time of the optimizer step and of what follows it
  };
  const ChunkActions& chunkActionsOf(const PlacedRun& run, std::uint64_t chunk) const {
    return chunkActions[run.chunks[chunk].distinct];
  }

  void add(PlacedRun& run) {
    const double m = real(shape.microBatches);
    const std::size_t begin = times.size();
    double work = 0, data = 0, more = 0, sends = 0, alone = 0;
    UpdatedState updated;
    RunEnd end;
    for (std::uint64_t c = 0; c < shape.chunks; ++c) {
      const ChunkActions& pass = chunkActionsOf(run, c);
      const PlacedMessages& message = run.chunks[c].messages;
      const StateTimes& state = *states[run.chunks[c].distinct];
      times.push_back({static_cast<std::uint64_t>(pass.forward),
                       static_cast<std::uint64_t>(pass.backward),
                       tables.messageOn(divided, message.forward),
                       tables.messageOn(divided, message.backward), 0});
      const ChunkTime& time = times.back();
      const double both = pass.forward + pass.backward;
      slowest = std::max(slowest, both), fastest = std::min(fastest, both);
      work += both, alone += pass.alone;
      sends += real(time.sendForward + time.sendBackward);
      data += pass.streaming;
      more += pass.last + (c > 0 ? pass.first : 0);
      if (run.first + run.ranks == shape.ranks && c + 1 == shape.chunks)
        more += pass.after;
      updated += state.updated;
      end.untilReduced += real(state.reductions), end.update += real(state.gathers);
    }
    streaming = std::max(streaming, data / work);
    sending = std::max(sending, sends / work), inflation = std::max(inflation, work / alone - 1);
    work = m * (work + (layout.overlap.pipeline ? 0 : sends));
    end.overlapped = remainingReductions(run), end.untilReduced += end.overlapped;
    if (!run.update)
      run.update = updateTime(tables.plan, updated, divided.estimate.devices()[run.rankNodeTypes]);
    end.update += real(*run.update);
    end.gradientReturn = home;
    ends.push_back(end);

    const ChunkTime& first = times[begin];
    const ChunkActions& pass = chunkActionsOf(run, 0);
    const double onward = pass.forward + real(first.sendForward);
    const double gradient = pass.backward + real(first.sendBackward);
    const double before = real(run.ranks - 1);
    const double arrives = run.first == 0 ? 0 : real(first.sendBackward);
    // Prefetches overlap with the first micro-batch while it is on its way to the rank.
    reached = std::max(reached, pass.gathered - pass.forward) + before * (onward + pass.first);
    there += before * onward;
    back += before * gradient + arrives;
    home += before * (gradient + pass.last) + arrives;
    plain = std::max(plain, there + work + back);
    longest = std::max(longest, reached + pass.first + work + more + home);
    there += onward, reached += onward + pass.first;
    back += pass.backward, home += pass.backward + pass.last;
  }

  /// The time of the reductions that remain when a rank's actions end. The last action is one of
  /// the first chunk; reductions of other chunks overlap with its actions.
  double remainingReductions(const PlacedRun& run) const {
    const double turn = real(std::min(shape.microBatches, shape.ranks));
    double data = 0, now = 0;
    for (std::uint64_t c = shape.chunks; c-- > 0;) {
      const ChunkActions& pass = chunkActionsOf(run, c);
      if (c + 1 < shape.chunks)
        now += (turn - 1) * pass.backward;
      if (pass.reduces > 0)
        data = std::max(data, now + pass.begins) + pass.reduces;
      now += pass.ends;
    }
    return std::max(0.0, data - now);
  }

  EstimateTables& tables;
  const ir::Layout& layout;
  const PipelineShape& shape;
  DivisionEstimate& divided;
  llvm::ArrayRef<const StateTimes*> states;
  llvm::SmallVector<ChunkActions, 8> chunkActions; ///< actions of the distinct chunks
  llvm::SmallVector<ChunkTime, 32> times;          ///< by run and chunk
  llvm::SmallVector<RankRun, 16> runs;
  llvm::SmallVector<RunEnd, 16> ends;
  // Times in ps to a rank and back, and the longest path through the ranks so far, without and with
  // the extra time of first and last actions.
  double there = 0, back = 0, plain = 0, reached = 0, home = 0, longest = 0;
  double flushed = 0, barrier = 0,
         afterActions = 0; ///< times of the last action, of all gradients, and of what follows
  double unsure = 0;       ///< part of the barrier: time of overlapped reductions after the last
                           ///< action
  double streaming = 0;    ///< largest share of a rank's work that data collectives of every action
                           ///< take
  double inflation = 0, sending = 0, slowest = 0, fastest = std::numeric_limits<double>::max();
};
} // namespace

namespace {
/// Prefetches into the cache data that many layouts share, because it has left the cache since the
/// last estimate.
void fetch(const void* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line)
    __builtin_prefetch(static_cast<const char*>(from) + at);
}
} // namespace

Estimate Estimator::quick(const LayoutCandidate& candidate) {
  PlacedMesh* placed = tables.find(candidate);
  if (!placed)
    return {};
  const PipelineShape shape =
      pipelineOf(tables.plan.layout, candidate.pipeline, tables.microBatches(candidate));
  // No closed form is known for unsharded gradients, recomputation in advance, and offloading.
  const cost::ScheduleInfo& row = scheduleInfo(shape.kind);
  if (!row.warmup || !row.closedForm || sumsWhole(tables.plan) || shape.inAdvance ||
      tables.plan.layout.offloads())
    return exact(candidate);
  fetch(placed->distinct.data(), 2 * sizeof(DistinctChunk));
  fetch(placed->runs.data(), 2 * sizeof(PlacedRun));
  DivisionEstimate& divided = tables.divided(*placed, candidate);
  fetch(&divided, sizeof(divided.chunks));
  chunkActionTimes.clear(), states.clear();
  for (DistinctChunk& chunk : placed->distinct) {
    chunkActionTimes.push_back(&tables.chunkActionTimesOf(*placed, candidate, divided, chunk));
    states.push_back(
        &tables.stateOf(*placed, candidate, chunk, chunkActionTimes.back()->modules->cost));
  }
  const QuickStep step(tables, shape, *placed, divided, chunkActionTimes, states);
  if (step.isRough())
    return exact(candidate);
  Estimate out;
  out.runs = true;
  out.step = ir::whole(step.step());
  addQuickMemory(*placed, candidate, divided, shape, out);
  return out;
}

/// Computed for the first rank of a group, which has the most in-flight micro-batches.
void Estimator::addQuickMemory(PlacedMesh& placed, const LayoutCandidate& candidate,
                               const DivisionEstimate& divided, const PipelineShape& shape,
                               Estimate& out) {
  std::optional<std::int64_t> least;
  if (!placed.runs.front().idle)
    findIdle(placed, candidate);
  for (PlacedRun& run : placed.runs) {
    double live = 0, working = 0;
    for (std::uint64_t c = 0; c < shape.chunks; ++c) {
      const ChunkActionTimes& chunk = *chunkActionTimes[run.chunks[c].distinct];
      live += real(inFlightAfterWarmup(shape, run.first, c)) * chunk.saved;
      working = std::max(working, chunk.temporary);
    }
    ir::RankMemory memory = *run.idle;
    memory.buffers += ir::whole(divided.buffers.gathered);
    memory.temporary += ir::whole(live + working + divided.buffers.messages());
    out.share = std::max(out.share, real(memory.peak()) / real(memory.usable));
    if (const std::int64_t headroom = memory.headroom(); !least || headroom < *least)
      least = headroom, out.peak = memory.peak(), out.usable = memory.usable;
  }
}

void Estimator::findIdle(PlacedMesh& placed, const LayoutCandidate& candidate) {
  tables.enter(placed, candidate);
  const ir::Plan& plan = tables.plan;
  const MemoryModel model(plan, cost::BufferBytes());
  llvm::SmallVector<RankChunk, 16> chunks;
  for (PlacedRun& run : placed.runs) {
    chunks.clear();
    for (std::uint64_t c = 0; c < run.chunks.size(); ++c)
      chunks.push_back({&chunkActionTimes[run.chunks[c].distinct]->modules->cost,
                        &plan.chunks[plan.placement.indexOf(run.first, c)]});
    run.idle = model.idle(run.first, chunks);
  }
}
