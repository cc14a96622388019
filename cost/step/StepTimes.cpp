//===- StepTimes.cpp - The times of a step by cause -------------------------------------------===//
#include "cost/step/StepTimes.h"
#include "cost/execution/JitteredStep.h"
#include "cost/execution/OrderStatistics.h"
#include "cost/execution/StepSweep.h"
#include "cost/programs/Compression.h"
#include "cost/programs/HostWait.h"
#include "cost/schedules/Schedule.h"
#include "cost/step/ChunkRuns.h"
#include "cost/step/Loading.h"
#include "ir/Arithmetic.h"
#include "ir/MergedProgram.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The times of one rank's schedule, ps.
struct RankTime {
  std::uint64_t pipelineBusy = 0, pipelineBegin = UINT64_MAX, pipelineEnd = 0, sends = 0,
                optimizer = 0, end = 0;
};

RankTime timesOf(const RankSchedule& rank) {
  RankTime t;
  t.sends = rank.sending;
  for (std::size_t i = 0; i < rank.actions.size(); ++i) {
    const std::uint64_t end = rank.endOf(i);
    t.end = std::max(t.end, end);
    switch (rank.actions[i].kind) {
    case ActionKind::Forward:
    case ActionKind::Backward:
    case ActionKind::BackwardInput:
    case ActionKind::BackwardWeight:
    case ActionKind::Recomputation:
    case ActionKind::PairedForward:
      t.pipelineBusy += rank.duration[i];
      t.pipelineBegin = std::min(t.pipelineBegin, rank.start[i]);
      t.pipelineEnd = std::max(t.pipelineEnd, end);
      break;
    case ActionKind::Optimizer:
      t.optimizer += rank.duration[i];
      break;
    case ActionKind::Collective:
    case ActionKind::Wait:
      break;
    }
  }
  return t;
}
} // namespace

ActionWaits cost::actionWaits(const Plan& plan, ChunkId chunk) {
  const ChunkCost& c = plan.costs[chunk];
  const ChunkPrograms& p = plan.chunkPrograms[chunk];
  return {p.forward - c.forward, p.backward - c.backwardInput - c.backwardWeight - c.recompute};
}

namespace {
const StageProgram& programOfKind(const Plan& plan, const ChunkPrograms& programs,
                                  ActionKind kind) {
  return plan.stagePrograms[*stageProgramOf(plan, programs, kind)];
}

/// The part of `actionWaits` in which actions wait for collectives or are slowed down by them.
ActionWaits exposedAlone(const Plan& plan, ChunkId chunk) {
  const ChunkPrograms& p = plan.chunkPrograms[chunk];
  const ActionWaits all = actionWaits(plan, chunk);
  const std::uint64_t host = hostWait(programOfKind(plan, p, ActionKind::Forward));
  return {all.forward - host,
          all.backward - computeKindTime(plan, p, ComputeKind::Coding, MicroBatchSelection::Every) -
              (hostWait(plan, p) - host)};
}

/// The waits of exposedAlone for a forward pass of the chunk and the backward pass with which it
/// runs merged. Each of the two passes hides collectives of the other.
ActionWaits exposedInPair(const Plan& plan, ChunkId chunk) {
  const ChunkPrograms& p = plan.chunkPrograms[chunk];
  const ChunkPrograms& with = pairedWith(plan, p);
  const auto timeOf = [&](const ChunkPrograms& of, ActionKind kind) {
    const StageProgram& body = programOfKind(plan, of, kind);
    return cost::timeOf(body, {}, [](const Segment&) { return true; }).durationAlone() -
           hostWait(body);
  };
  ActionWaits out{exposedAlone(plan, chunk).forward,
                  exposedAlone(plan, plan.placement.indexOf(with.rank, with.chunk)).backward};
  const double apart = real(out.forward + out.backward);
  const double hides = real(timeOf(p, ActionKind::Forward) + timeOf(with, ActionKind::Backward)) -
                       real(timeOf(p, ActionKind::PairedForward));
  for (std::uint64_t* of : {&out.forward, &out.backward})
    *of = apart > 0 ? whole(real(*of) * std::max(0.0, 1 - hides / apart)) : 0;
  return out;
}
} // namespace

std::uint64_t cost::exposedInActions(const Plan& plan, ChunkId chunk) {
  if (!plan.chunkPrograms.has(chunk))
    return 0;
  const ChunkPrograms& p = plan.chunkPrograms[chunk];
  if (stageProgramOf(plan, p, ActionKind::PairedForward)) {
    const ChunkPrograms& with = pairedWith(plan, p);
    return exposedInPair(plan, chunk).forward +
           exposedInPair(plan, plan.placement.indexOf(with.rank, with.chunk)).backward;
  }
  const ActionWaits alone = exposedAlone(plan, chunk);
  return alone.forward + alone.backward;
}

bool cost::endsWithFlush(const Layout& layout) { return scheduleInfo(layout.schedule).flushed(); }

std::uint64_t cost::mostWeightVersions(const Plan& plan) {
  // The first rank has the most in-flight micro-batches.
  return cost::weightVersions(pipelineOf(plan), 0);
}

std::optional<EqualStages> cost::equalStages(const Plan& plan) {
  const auto& form = scheduleInfo(plan.layout.schedule).equalStages;
  if (!form || !plan.layout.microBatchCosts.empty() || plan.layout.recompute.inAdvance)
    return std::nullopt;
  struct Passes {
    std::uint64_t time = 0, count = 0;
    std::uint64_t mean() const { return count == 0 ? 0 : (time + count / 2) / count; }
  } forward, input, weight, whole;
  for (const RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.actions.size(); ++i) {
      const ActionKind kind = rank.actions[i].kind;
      if (!isChunkAction(kind))
        continue;
      Passes& of = isForward(kind)                      ? forward
                   : kind == ActionKind::BackwardInput  ? input
                   : kind == ActionKind::BackwardWeight ? weight
                                                        : whole;
      of.time += rank.duration[i], ++of.count;
    }
  if (forward.count == 0)
    return std::nullopt;
  ChunkTime each;
  each.forward = forward.mean(), each.weight = weight.mean(), each.unsplitBackward = whole.mean();
  each.backward = input.count > 0 ? input.mean() + weight.mean() : whole.mean();
  const PipelineShape shape = pipelineOf(plan);
  const auto flush = form(shape, each);
  return flush ? std::optional(EqualStages{rankWork(shape, each), *flush}) : std::nullopt;
}

StepResult cost::stepTimes(const Plan& plan) {
  StepResult out;
  std::vector<RankTime> ranks;
  std::uint64_t end = 0, flush = 0, busy = 0, busiest = 0, span = 0;
  for (const RankSchedule& rank : plan.schedule) {
    ranks.push_back(::timesOf(rank));
    const RankTime& t = ranks.back();
    end = std::max(end, t.end);
    flush = std::max(flush, t.pipelineEnd);
    busy += t.pipelineBusy;
    if (t.pipelineEnd > 0)
      span = std::max(span, t.pipelineEnd - t.pipelineBegin);
    if (t.pipelineBusy > busiest) {
      busiest = t.pipelineBusy;
      out.rank = rank.rank;
    }
  }
  if (!plan.steady.empty())
    flush = span = plan.steady.front().period;
  const double p = static_cast<double>(ranks.size());
  if (flush > 0)
    out.bubbleFraction = 1 - toSeconds(busy) / (p * toSeconds(flush));
  if (busy > 0)
    out.imbalance = toSeconds(busiest) * p / toSeconds(busy);

  out.busy = toSeconds(busy), out.busiest = toSeconds(busiest), out.makespan = toSeconds(flush);
  out.longestRankSpan = toSeconds(span), out.end = toSeconds(end);

  for (const ChunkCost& c : plan.costs)
    if (c.rank == out.rank) {
      const double runs = runsOf(plan, c);
      out.compute += runs * toSeconds(c.forward + c.backwardInput + c.backwardWeight);
      out.recompute += runs * toSeconds(c.recompute);
    }
  out.sends = toSeconds(ranks.empty() ? 0 : ranks[out.rank].sends);
  out.optimizer = toSeconds(ranks.empty() ? 0 : ranks[out.rank].optimizer);
  const double steady = toSeconds(endOfSchedule(plan));
  out.waits = steady - out.compute - out.recompute - out.optimizer -
              toSeconds(cost::computeKindTime(plan, out.rank, ComputeKind::Coding) +
                        cost::hostWait(plan, out.rank));
  out.schedule = steady;
  out.amplification =
      barrierAmplification(plan.cluster.jitter, static_cast<double>(plan.cluster.devices()),
                           static_cast<double>(plan.cluster.gpusPerNode));
  out.jitter = jitterOf(plan) * picosecond;
  out.loading = std::max(0.0, loadingOf(plan).step() - steady - out.jitter);
  out.step = steady + out.jitter + out.loading;
  return out;
}
