//===- Schedules.cpp - The table of schedules and their shared parts --------------------------===//
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

const ScheduleInfo& dpl::cost::scheduleInfo(ScheduleKind kind) {
  static constexpr const ScheduleInfo* rows[] = {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) &KIND##Schedule,
#include "ir/Schedules.def"
  };
  return *rows[static_cast<std::size_t>(kind)];
}

bool dpl::cost::holdsRestored(ScheduleKind kind, const Recompute& recompute) {
  return recompute.kind != RecomputeKind::None &&
         (recompute.inAdvance || scheduleInfo(kind).backward != BackwardSplit::Whole);
}

bool dpl::cost::restoresBothWays(ScheduleKind kind, const Recompute& recompute) {
  return recompute.kind != RecomputeKind::None && !recompute.inAdvance &&
         scheduleInfo(kind).backward == BackwardSplit::Mixed;
}

Placement PipelineShape::placement() const {
  return {customSchedule ? customSchedule->placement : placementOf(kind), ranks, chunks};
}

std::uint64_t dpl::cost::durationOf(ActionKind kind, const ChunkTime& time) {
  switch (kind) {
  case ActionKind::Forward:
  case ActionKind::PairedForward:
    return time.forward;
  case ActionKind::Backward:
    return time.unsplitBackward > 0 ? time.unsplitBackward : time.backward;
  case ActionKind::BackwardInput:
    return time.backward - time.weight;
  case ActionKind::BackwardWeight:
    return time.weight;
  case ActionKind::Recomputation:
    return time.recompute;
  case ActionKind::Collective:
  case ActionKind::Wait:
  case ActionKind::Optimizer:
    break;
  }
  return 0;
}

PipelineShape dpl::cost::pipelineOf(const Plan& plan) {
  return pipelineOf(plan.layout, plan.placement.ranks, plan.mesh.microBatches);
}

PipelineShape dpl::cost::pipelineOf(const Layout& layout, std::uint64_t ranks,
                                    std::uint64_t microBatches) {
  return {layout.schedule,
          ranks,
          layout.chunks,
          microBatches,
          layout.inFlight,
          layout.group,
          layout.customScheduleOrNull(),
          layout.recompute.inAdvance};
}

std::uint64_t dpl::cost::weightVersions(const PipelineShape& shape, std::uint64_t rank) {
  const ScheduleInfo& info = scheduleInfo(shape.kind);
  return info.flushed() ? 1 : info.weightVersions(shape, rank);
}

PipelineShape dpl::cost::inFlightShape(const PipelineShape& shape) {
  PipelineShape held = shape;
  if (!scheduleInfo(shape.kind).flushed())
    held.microBatches = std::max(held.microBatches, held.ranks);
  return held;
}

void dpl::cost::recomputeInAdvance(ActionList& schedule) {
  const auto recomputes = [](const ScheduledAction& op) {
    return op.kind == ActionKind::Recomputation;
  };
  if (llvm::any_of(schedule, recomputes))
    return;
  ActionList with;
  with.reserve(schedule.size() * 2);
  for (const ScheduledAction& op : schedule) {
    if (op.kind == ActionKind::Backward || op.kind == ActionKind::BackwardInput) {
      const bool paired = !with.empty() && with.back().kind == ActionKind::PairedForward;
      with.insert(with.end() - (paired ? 1 : 0),
                  {ActionKind::Recomputation, op.chunk, op.microBatch});
    }
    with.push_back(op);
  }
  schedule = std::move(with);
}

PerRankSchedules dpl::cost::generateLists(const PipelineShape& shape,
                                          llvm::ArrayRef<ChunkTime> times, MakespanOf makespanOf) {
  const ScheduleInfo& info = scheduleInfo(shape.kind);
  const std::size_t passes = info.backward == BackwardSplit::Whole ? 2 : 3;
  PerRankSchedules schedules(shape.ranks);
  for (ActionList& schedule : schedules)
    schedule.reserve(passes * shape.microBatches * shape.chunks / shape.placement().directions());
  if (info.generateAll) {
    info.generateAll(shape, times, makespanOf, schedules);
  } else {
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank)
      info.generate(shape, rank, schedules[rank]);
  }
  if (shape.inAdvance)
    for (ActionList& schedule : schedules)
      recomputeInAdvance(schedule);
  return schedules;
}

std::uint64_t dpl::cost::rankWork(const PipelineShape& shape, const ChunkTime& each) {
  return shape.microBatches / shape.placement().directions() * shape.chunks *
         (each.forward + each.recompute + each.backward);
}

bool dpl::cost::actionsEquallyLong(const ChunkTime& each) {
  return each.forward == each.weight && each.backward == 2 * each.weight;
}

namespace {
std::uint64_t gradient(const ChunkTime& t) { return t.backward - t.weight; }

/// Lower bounds for the ranks of a flushed schedule, run by run, in ps.
class FlushedRanks {
public:
  FlushedRanks(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs, bool overlapped)
      : shape(shape), runs(runs), overlapped(overlapped) {
    std::uint64_t behind = 0; // ranks before the run
    for (const RankRun& run : runs) {
      const bool last = behind + run.ranks == shape.ranks;
      for (std::size_t c = 0; c < run.chunks.size(); ++c) {
        const ChunkTime& t = run.chunks[c];
        const bool ends = last && c + 1 == run.chunks.size(), begins = behind == 0 && c == 0;
        forward += run.ranks * t.forward + (run.ranks - (ends ? 1 : 0)) * t.sendForward;
        backward += run.ranks * gradient(t) + (run.ranks - (begins ? 1 : 0)) * t.sendBackward;
      }
      const ChunkTime& t = run.chunks.back();
      onward += run.ranks * t.forward + (run.ranks - (last ? 1 : 0)) * t.sendForward;
      back += run.ranks * gradient(t) + (run.ranks - (behind == 0 ? 1 : 0)) * t.sendBackward;
      behind += run.ranks;
    }
  }

  std::uint64_t longest() {
    std::uint64_t most = 0;
    for (const RankRun& run : runs) {
      most = std::max(most, through(run, 0));
      if (run.ranks > 1)
        most = std::max(most, through(run, run.ranks - 1));
      const ChunkTime &first = run.chunks.front(), &last = run.chunks.back();
      const std::uint64_t sendsBack = run.ranks - (rank == 0 ? 1 : 0);
      there += run.ranks * (first.forward + first.sendForward);
      home += run.ranks * gradient(first) + sendsBack * first.sendBackward;
      onwardBefore += run.ranks * (last.forward + last.sendForward);
      backBefore += run.ranks * gradient(last) + sendsBack * last.sendBackward;
      rank += run.ranks;
    }
    return most;
  }

private:
  /// The bound for rank k of a run.
  std::uint64_t through(const RankRun& run, std::uint64_t k) const {
    const ChunkTime &first = run.chunks.front(), &last = run.chunks.back();
    const std::uint64_t m = shape.microBatches, at = rank + k;
    const std::uint64_t arrivals = k + (rank == 0 ? 0 : 1);
    const std::uint64_t reached = there + k * (first.forward + first.sendForward);
    const std::uint64_t leaves = home + k * gradient(first) + arrivals * first.sendBackward;
    std::uint64_t work = 0, weights = 0, sends = 0, liveForward = 0, liveBackward = 0, live = 0;
    for (std::size_t c = 0; c < run.chunks.size(); ++c) {
      const ChunkTime& t = run.chunks[c];
      const std::uint64_t held = inFlightAfterWarmup(shape, at, c);
      work += m * (t.forward + t.backward), weights += m * t.weight;
      sends += t.sendForward + t.sendBackward;
      live += held, liveForward += held * t.forward, liveBackward += held * t.backward;
    }
    if (!overlapped) {
      // The model begins on the first rank and ends on the last; the last gradient is still on its
      // way.
      sends -= (at == 0 ? first.sendBackward : 0) + (at + 1 == shape.ranks ? last.sendForward : 0);
      work += m * sends - (at == 0 ? 0 : first.sendBackward);
    }
    // A rank may end with weight gradients, for which no rank waits.
    const std::uint64_t busy = std::max(reached + work, reached + work - weights + leaves);
    if (weights > 0 || live == m * shape.chunks)
      return busy;
    // The first micro-batch has to reach the end of the model and return before the rank's first
    // backward pass; so does the last one after its last forward pass.
    const std::uint64_t after =
        onward - onwardBefore - k * (last.forward + last.sendForward) - last.forward;
    const std::uint64_t returns =
        back - backBefore - (k + 1) * gradient(last) - arrivals * last.sendBackward;
    const std::uint64_t begins = std::max(reached + liveForward, forward + returns);
    const std::uint64_t ends = std::max(liveBackward + leaves, after + backward);
    return std::max(busy, begins + m * actions(run) - liveForward - liveBackward + ends);
  }
  static std::uint64_t actions(const RankRun& run) {
    std::uint64_t sum = 0;
    for (const ChunkTime& t : run.chunks)
      sum += t.forward + t.backward;
    return sum;
  }

  const PipelineShape& shape;
  llvm::ArrayRef<RankRun> runs;
  bool overlapped;
  std::uint64_t forward = 0, backward = 0; ///< ps through all stages
  std::uint64_t onward = 0, back = 0;      ///< ps through the last chunk of all ranks
  // The number of ranks before the run, and ps through their first and last chunks.
  std::uint64_t rank = 0, there = 0, home = 0, onwardBefore = 0, backBefore = 0;
};
} // namespace

std::uint64_t dpl::cost::busiestRank(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs,
                                     bool overlapped) {
  return FlushedRanks(shape, runs, overlapped).longest();
}

std::uint64_t dpl::cost::inFlightAfterWarmup(const PipelineShape& shape, std::uint64_t rank,
                                             std::uint64_t chunk) {
  const std::uint64_t all = shape.microBatches * shape.chunks, each = shape.microBatchGroupSize();
  const auto warmup = scheduleInfo(shape.kind).warmup;
  if (!warmup)
    return 1;
  const std::uint64_t live = std::min(all, warmup(shape, rank) + 1);
  if (shape.chunks == 1)
    return live;
  const std::uint64_t turn = live % (each * shape.chunks), earlier = chunk * each;
  return live / (each * shape.chunks) * each +
         std::min(each, turn > earlier ? turn - earlier : std::uint64_t{0});
}

namespace {
/// Actions of one direction in order.
class DirectionActions {
public:
  DirectionActions(const PipelineShape& shape, ActionKind kind, std::uint64_t turn)
      : kind(kind), chunks(shape.chunks), microBatches(shape.microBatches), groupSize(turn),
        end(std::min(turn, microBatches)) {}

  /// Number of next actions that belong to one chunk with consecutive micro-batches.
  std::uint64_t alike() const { return end - microBatch; }
  /// Returns the first of the next `count` actions, at most `alike()`, and skips all of them.
  ScheduledAction next(std::uint64_t count) {
    const std::uint64_t at = kind == ActionKind::Forward ? chunk : chunks - 1 - chunk;
    const ScheduledAction op{kind, static_cast<std::uint16_t>(at),
                             static_cast<std::uint32_t>(microBatch)};
    if (microBatch += count; microBatch == end) {
      if (++chunk == chunks)
        chunk = 0, first = end, end = std::min(end + groupSize, microBatches);
      microBatch = first;
    }
    return op;
  }

private:
  ActionKind kind;
  std::uint64_t chunks, microBatches, groupSize;
  std::uint64_t chunk = 0, microBatch = 0;
  std::uint64_t first = 0, end; ///< micro-batches of the current group
};
} // namespace

void dpl::cost::generateInGroups(const PipelineShape& shape, std::uint64_t warmup,
                                 std::uint64_t turn, ActionList& out) {
  const std::uint64_t total = shape.microBatches * shape.chunks;
  DirectionActions forward(shape, ActionKind::Forward, turn),
      backward(shape, ActionKind::Backward, turn);
  out.resize(out.size() + 2 * total);
  ScheduledAction* to = out.data() + out.size() - 2 * total;
  const auto add = [&](DirectionActions& passes, std::uint64_t count) {
    for (std::uint64_t left = count; left > 0;) {
      const std::uint64_t some = std::min(left, passes.alike());
      ScheduledAction op = passes.next(some);
      for (std::uint64_t k = 0; k < some; ++k, ++op.microBatch)
        *to++ = op;
      left -= some;
    }
  };
  add(forward, warmup);
  for (std::uint64_t left = total - warmup; left > 0;) {
    const std::uint64_t some = std::min({left, forward.alike(), backward.alike()});
    ScheduledAction one = forward.next(some), other = backward.next(some);
    for (std::uint64_t k = 0; k < some; ++k, ++one.microBatch, ++other.microBatch)
      *to++ = one, *to++ = other;
    left -= some;
  }
  add(backward, warmup);
}
