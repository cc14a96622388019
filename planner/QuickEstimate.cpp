//===- QuickEstimate.cpp - Step and memory of a point by closed forms -------------------------===//
//
// Passes take what they take alone, and what the calls of the state add at the pace of one layer.
// The step follows from the schedule's closed form. Where that is known to be rough the schedule is
// executed instead.
#include "ir/Arithmetic.h"
#include "planner/Estimator.h"
#include <algorithm>
#include <limits>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;
using ir::real;

namespace {
/// ps of the data calls of one layer, and whether computation waits for them at once.
struct LayerCalls {
  double gather = 0, gatherFirst = 0, gatherAgain = 0, reduce = 0, reduceLast = 0;
  bool blocks = false, prefetch = false;

  explicit LayerCalls(const StateTimes& state) {
    const auto add = [&](const std::optional<StateCalls::At>& at, double& every, double& once) {
      if (!at)
        return;
      (at->when == ir::When::Every ? every : once) += real(at->time());
      blocks = blocks || at->blocks, prefetch = prefetch || at->prefetch;
    };
    double never = 0;
    for (const StateCalls& calls : state.calls) {
      add(calls.gather, gather, gatherFirst);
      add(calls.gatherAgain, gatherAgain, never);
      add(calls.reduce, reduce, reduceLast);
      add(calls.reduceReplicas, reduce, reduceLast);
    }
  }
};

/// The passes of a chunk with the calls of its state, ps.
struct ChunkPasses {
  double forward = 0, backward = 0;
  double alone = 0; ///< of both, without the calls
  double first = 0; ///< more in the first forward pass
  double gathered =
      0;           ///< when the last of the prefetched parameters has come and its layer has run
  double last = 0; ///< more in the last backward pass
  double begins = 0, reduces = 0, ends = 0; ///< of that pass: until the first layer's gradients are
                                            ///< there, what they then take, and until its end

  ChunkPasses(const ChunkUnits& chunk, const StateTimes& state, std::uint64_t layers) {
    const LayerCalls calls(state);
    const double n = std::max<double>(1, real(layers)), lose = chunk.contention;
    const double f = chunk.layers.forward / n, b = chunk.layers.backward / n;
    forward = chunk.before.forward + chunk.layers.forward + chunk.after.forward;
    backward = chunk.before.backward + chunk.layers.backward + chunk.after.backward;
    alone = forward + backward;
    const double whole = forward - chunk.layers.forward; // what is no layer
    const auto beside = [&](double layer, double call) { return lose * std::min(layer, call); };
    double slower = b;
    if (calls.blocks) {
      forward += n * calls.gather, backward += n * (calls.gatherAgain + calls.reduce);
      first = n * calls.gatherFirst;
    } else {
      if (calls.gather > 0)
        forward +=
            calls.gather + (n - 1) * (std::max(f + beside(f, calls.gather), calls.gather) - f);
      const double data = calls.gatherAgain + calls.reduce;
      if (calls.gatherAgain > 0) {
        slower = std::max(b + beside(b, data), data);
        backward += (n - 1) * (slower - b) + beside(b, calls.reduce);
      } else {
        slower = b + beside(b, calls.reduce);
        backward += n * (slower - b);
      }
      // The data stream may have more to do than the computation.
      backward += std::max(0.0, n * (calls.gather + data) - forward - backward);
      if (calls.prefetch)
        gathered = calls.gatherFirst > 0
                       ? whole + std::max(calls.gatherFirst + chunk.layers.forward,
                                          n * calls.gatherFirst + f)
                       : 0;
      else if (calls.gatherFirst > 0)
        first = calls.gatherFirst +
                (n - 1) * (std::max(f + beside(f, calls.gatherFirst), calls.gatherFirst) - f);
      last = n * beside(b, calls.reduceLast);
    }
    const double reduce = calls.blocks ? 0 : calls.reduce + calls.reduceLast;
    const double layer = slower + last / n;
    ends = backward + last;
    begins = chunk.after.backward;
    reduces = reduce > 0 ? std::max(layer + n * reduce, n * layer + reduce) : 0;
  }
};

/// The step of a plan, rank run by rank run, ps.
class QuickStep {
public:
  QuickStep(const ir::Plan& plan, const PipelineShape& shape, Placed& placed,
            llvm::ArrayRef<const ChunkUnits*> units, llvm::ArrayRef<const StateTimes*> states,
            const MessageTimes& messages)
      : plan(plan), shape(shape), placed(placed), states(states), messages(messages) {
    for (std::size_t i = 0; i < units.size(); ++i)
      passes.emplace_back(*units[i], *states[i], plan.chunks[placed.distinct[i].first].layers);
    times.reserve(placed.runs.size() * shape.chunks);
    for (PlacedRun& run : placed.runs)
      add(run);
    for (std::size_t i = 0; i < placed.runs.size(); ++i)
      runs.push_back({placed.runs[i].ranks,
                      llvm::ArrayRef<PieceTime>(times).slice(i * shape.chunks, shape.chunks)});
    const Makespan known =
        scheduleInfo(shape.kind).closedForm(shape, runs, plan.layout.overlap.pipeline);
    flushed = real(known.time) + longest - plain;
    barrier = flushed;
    for (const End& end : ends) {
      barrier = std::max(barrier, flushed - end.home + end.left);
      behind = std::max(behind, end.behind);
    }
  }

  double step() const { return barrier + behind; }

  /// Whether what the closed form leaves out may be more than it says: first and last passes, the
  /// barrier and data calls of every pass where they weigh; messages; and with several chunks a
  /// rank chunks that differ, of which a warm-up meets more than one.
  /// tests/property/EstimateTest.cpp has what is left.
  bool isRough() const {
    constexpr double most = 0.03;
    if (plan.layout.postValidation)
      return true; // which rank takes longest says no closed form
    if (!plan.layout.microBatchCosts.empty())
      return true; // closed forms have one time a pass
    if (longest - plain > most * flushed || barrier - flushed > most * flushed || inflation > most)
      return true;
    if (shape.chunks == 1)
      return sending > 0.1;
    const double apart = slowest / fastest - 1;
    return sending > 0.05 || apart > 0.3 ||
           apart * real(shape.ranks) > 0.05 * real(shape.microBatches);
  }

private:
  /// What is behind the passes of a run's first rank.
  struct End {
    double home = 0;   ///< of a gradient to the first rank
    double left = 0;   ///< until its gradients are reduced
    double behind = 0; ///< the update and what comes after
  };
  std::size_t indexOf(const PlacedRun& run, std::uint64_t chunk) const {
    return plan.placement.indexOf(run.first, chunk);
  }
  const ChunkPasses& passesOf(const PlacedRun& run, std::uint64_t chunk) const {
    return passes[placed.distinctOf[indexOf(run, chunk)]];
  }

  void add(PlacedRun& run) {
    const double m = real(shape.microBatches);
    const std::size_t begin = times.size();
    double work = 0, more = 0, updated = 0, sends = 0, alone = 0;
    End end;
    for (std::uint64_t c = 0; c < shape.chunks; ++c) {
      const ChunkPasses& pass = passesOf(run, c);
      const PlacedMessages& message = placed.messages[indexOf(run, c)];
      const StateTimes& state = *states[placed.distinctOf[indexOf(run, c)]];
      times.push_back({static_cast<std::uint64_t>(pass.forward),
                       static_cast<std::uint64_t>(pass.backward), messages.on(message.forward),
                       messages.on(message.backward), 0});
      const PieceTime& time = times.back();
      const double both = pass.forward + pass.backward;
      slowest = std::max(slowest, both), fastest = std::min(fastest, both);
      work += both, alone += pass.alone;
      sends += real(time.sendForward + time.sendBackward);
      more += pass.last + (c > 0 ? pass.first : 0);
      updated += state.updated;
      end.left += real(state.reductions), end.behind += real(state.gathers);
    }
    sending = std::max(sending, sends / work), inflation = std::max(inflation, work / alone - 1);
    work = m * (work + (plan.layout.overlap.pipeline ? 0 : sends));
    end.left += reductionsLeft(run);
    if (!run.update)
      run.update = updateTime(plan, updated, placed.held[plan.mesh.heldIndex(run.first)]);
    end.behind += real(*run.update);
    end.home = home;
    ends.push_back(end);

    const PieceTime& first = times[begin];
    const ChunkPasses& pass = passesOf(run, 0);
    const double onward = pass.forward + real(first.sendForward);
    const double gradient = pass.backward + real(first.sendBackward);
    const double before = real(run.ranks - 1);
    const double arrives = run.first == 0 ? 0 : real(first.sendBackward);
    // What is prefetched comes while the first micro-batch is on its way.
    reached = std::max(reached, pass.gathered - pass.forward) + before * (onward + pass.first);
    there += before * onward;
    back += before * gradient + arrives;
    home += before * (gradient + pass.last) + arrives;
    plain = std::max(plain, there + work + back);
    longest = std::max(longest, reached + pass.first + work + more + home);
    there += onward, reached += onward + pass.first;
    back += pass.backward, home += pass.backward + pass.last;
  }

  /// Of the gradients that a rank has when its passes end. Chunks end with the first, and the
  /// others' are reduced meanwhile.
  double reductionsLeft(const PlacedRun& run) const {
    const double turn = real(std::min(shape.microBatches, shape.ranks));
    double data = 0, now = 0;
    for (std::uint64_t c = shape.chunks; c-- > 0;) {
      const ChunkPasses& pass = passesOf(run, c);
      if (c + 1 < shape.chunks)
        now += (turn - 1) * pass.backward;
      if (pass.reduces > 0)
        data = std::max(data, now + pass.begins) + pass.reduces;
      now += pass.ends;
    }
    return std::max(0.0, data - now);
  }

  const ir::Plan& plan;
  const PipelineShape& shape;
  Placed& placed;
  llvm::ArrayRef<const StateTimes*> states;
  const MessageTimes& messages;
  llvm::SmallVector<ChunkPasses, 8> passes; ///< of the distinct chunks
  llvm::SmallVector<PieceTime, 32> times;   ///< by run and chunk
  llvm::SmallVector<RankRun, 16> runs;
  llvm::SmallVector<End, 16> ends;
  // To a rank and home from it, and the longest way through the ranks so far: without and with what
  // first and last passes add.
  double there = 0, back = 0, plain = 0, reached = 0, home = 0, longest = 0;
  double flushed = 0, barrier = 0, behind = 0; ///< the last pass, all gradients, and what follows
  double inflation = 0, sending = 0, slowest = 0, fastest = std::numeric_limits<double>::max();
};
} // namespace

Estimate Estimator::quick(const Point& point) {
  Placed* placed = tables.place(point);
  if (!placed)
    return {};
  const PipelineShape shape = pipelineOf(tables.plan);
  // No closed form is known, nor of when summed gradients are there, nor of recomputations that run
  // while a gradient is on its way.
  if (!scheduleInfo(shape.kind).warmup || sumsWhole(tables.plan) || shape.inAdvance)
    return exact(point);
  Divided& divided = tables.divided(point);
  units.clear();
  llvm::SmallVector<const StateTimes*, 8> states;
  for (PlacedChunk& chunk : placed->distinct) {
    units.push_back(&tables.unitsOf(divided, chunk));
    states.push_back(&tables.stateOf(*placed, chunk, units.back()->cost));
  }
  const MessageTimes messages(*placed, divided);
  const QuickStep step(tables.plan, shape, *placed, units, states, messages);
  if (step.isRough())
    return exact(point);
  Estimate out;
  out.runs = true;
  out.step = ir::whole(step.step());
  addQuickMemory(*placed, divided, shape, out);
  return out;
}

/// The first rank of a run has the most live micro-batches.
void Estimator::addQuickMemory(Placed& placed, const Divided& divided, const PipelineShape& shape,
                               Estimate& out) const {
  const ir::Plan& plan = tables.plan;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (PlacedRun& run : placed.runs) {
    llvm::SmallVector<HeldChunk, 16> chunks;
    double live = 0, working = 0;
    for (std::uint64_t c = 0; c < shape.chunks; ++c) {
      const std::uint64_t index = plan.placement.indexOf(run.first, c);
      const ir::ChunkCost& cost = units[placed.distinctOf[index]]->cost;
      chunks.push_back({&cost, &plan.chunks[index]});
      live += real(liveForwards(shape, run.first, c)) * real(cost.activationBytes);
      working = std::max(working, real(cost.workingBytes));
    }
    if (!run.idle)
      run.idle = MemoryModel(plan, cost::BufferBytes()).idle(run.first, chunks);
    ir::RankMemory memory = *run.idle;
    memory.buffers += ir::whole(divided.buffers.gathered);
    memory.transient += ir::whole(live + working + divided.buffers.messages());
    out.share = std::max(out.share, real(memory.peak()) / real(memory.usable));
    if (memory.headroom() < least)
      least = memory.headroom(), out.peak = memory.peak(), out.usable = memory.usable;
  }
}
