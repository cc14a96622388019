//===- Timeline.cpp - Activity and memory of a rank over the step -----------------------------===//
#include "cost/step/Timeline.h"
#include "cost/compute/ChunkEstimate.h"
#include "cost/execution/Executor.h"
#include "cost/memory/RankMemory.h"
#include "cost/programs/ProgramWalk.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The stage programs that an action runs: the one of its kind. A whole backward pass without one
/// runs those of the input gradient and of the weight gradient.
llvm::SmallVector<const StageProgram*, 2>
programsOf(const Plan& plan, const ChunkPrograms& programs, ActionKind kind) {
  using enum ActionKind;
  llvm::SmallVector<const StageProgram*, 2> out;
  const auto add = [&](ActionKind of) {
    if (const auto body = stageProgramOf(plan, programs, of))
      out.push_back(&plan.stagePrograms[*body]);
  };
  add(isForward(kind) ? Forward : kind);
  if (kind == Backward && out.empty())
    add(BackwardInput), add(BackwardWeight);
  return out;
}

/// An action of a schedule, or two that run merged.
struct RunAction {
  std::size_t first = 0, last = 0;    ///< indices into the schedule
  const ChunkPrograms& chunkPrograms; ///< programs of the first action
  llvm::SmallVector<const StageProgram*, 2> programs;
  cost::FirstLast firstLast;
};

template <class Visit> void visitActions(const Plan& plan, const RankSchedule& rank, Visit visit) {
  cost::FirstLastActions turns;
  turns.assign(llvm::ArrayRef<ScheduledAction>(rank.actions), plan.placement.chunks);
  const cost::FirstLastActions::FirstLastAction* special = turns.of(0);
  for (std::size_t i = 0; i < rank.actions.size(); ++i) {
    const ScheduledAction& op = rank.actions[i];
    if (!isChunkAction(op.kind))
      continue;
    RunAction action{i,
                     i,
                     plan.chunkPrograms[plan.placement.indexOf(rank.rank, op.chunk)],
                     {},
                     cost::FirstLastActions::next(special, i)};
    if (const StageProgram* merged = mergedProgram(plan, rank.rank, op)) {
      action.programs = {merged};
      action.last = ++i;
      action.firstLast.last = cost::FirstLastActions::next(special, i).last;
    } else {
      action.programs = programsOf(plan, action.chunkPrograms, op.kind);
    }
    visit(action);
  }
}
} // namespace

void cost::visitSegments(const Plan& plan, std::uint64_t rank,
                         llvm::function_ref<void(const ExecutedSegment&)> visit) {
  const RankSchedule& schedule = plan.schedule[rank];
  const MicroBatchCosts costs(plan.layout.microBatchCosts);
  cost::Clocks clocks;
  std::vector<ExecutedSegment> segments; // segments of an action
  visitActions(plan, schedule, [&](const RunAction& action) {
    clocks.computation = schedule.start[action.first];
    std::uint64_t leaves = schedule.start[action.first];
    segments.clear();
    const auto costOf = [&](std::size_t i) { return costs.of(schedule.actions[i].microBatch); };
    for (const StageProgram* program : action.programs)
      leaves = cost::walk(
          *program, action.firstLast, {costOf(action.first), costOf(action.last)}, clocks,
          [&](const cost::WalkedSegment& s) {
            const Collective* what =
                s.segment.asCollective()
                    ? &plan.collectives[collectiveOf(plan, action.chunkPrograms, s.segment)]
                    : nullptr;
            segments.push_back({ActionId(s.segment.backward ? action.last : action.first),
                                &s.segment, what, s.begin, s.end});
          });
    if (leaves == schedule.endOf(action.last))
      for (const ExecutedSegment& s : segments)
        visit(s);
  });
}

namespace {
/// ps by which overlapped collectives delay one run of a stage program, by the micro-batches in
/// which they run.
struct ProgramDelay {
  explicit ProgramDelay(const StageProgram& of) : program(&of) {
    for (const SegmentLoop& loop : of.loops)
      for (const Segment& s : loop.segments)
        in[static_cast<std::size_t>(s.selection)] += real(s.slowdown()) * real(loop.count);
  }
  double of(cost::FirstLast run) const {
    return in[0] + (run.first ? in[1] : 0) + (run.last ? in[2] : 0);
  }
  const StageProgram* program;
  std::array<double, 3> in{}; ///< by MicroBatchSelection
};
} // namespace

double cost::overlapDelay(const Plan& plan, std::uint64_t rank) {
  llvm::SmallVector<ProgramDelay, 8> programs; // each is read once
  double sum = 0;
  visitActions(plan, plan.schedule[rank], [&](const RunAction& action) {
    for (const StageProgram* program : action.programs) {
      auto known =
          llvm::find_if(programs, [&](const ProgramDelay& of) { return of.program == program; });
      if (known == programs.end())
        known = programs.insert(programs.end(), ProgramDelay(*program));
      sum += known->of(action.firstLast);
    }
  });
  return sum * picosecond;
}

std::uint64_t cost::countSegments(const Plan& plan) {
  std::uint64_t all = 0;
  for (const RankSchedule& rank : plan.schedule)
    visitActions(plan, rank, [&](const RunAction& action) {
      for (const StageProgram* program : action.programs)
        for (const SegmentLoop& block : program->loops)
          for (const Segment& s : block.segments)
            if (!s.asWait() && runsIn(s, action.firstLast))
              all += block.count;
    });
  return all;
}

namespace {
std::uint64_t endOf(const Plan& plan) {
  std::uint64_t end = 0;
  for (const RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      end = std::max(end, rank.endOf(i));
  return end;
}

/// The schedule of a rank in one step and in the steps before and after it, in running order. Times
/// are relative to the first of these steps, which begins `before` ps earlier.
struct SteadyContext {
  RankSchedule schedule;
  std::vector<bool> isOfStep; ///< whether each action belongs to the middle step
  std::uint64_t before = 0;

  SteadyContext(const Plan& plan, std::uint64_t rank) {
    const RankSchedule& step = plan.schedule[rank];
    if (plan.steady.empty()) {
      schedule = step, isOfStep.assign(step.actions.size(), true);
      return;
    }
    const std::uint64_t period = plan.steady.front().period;
    // Number of steps before and after the step whose actions may overlap with it.
    const std::uint64_t steps = endOf(plan) / period + 1;
    before = steps * period;
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    const std::size_t count = step.actions.size();
    for (std::uint64_t of = 0; of <= 2 * steps; ++of)
      for (std::size_t i = 0; i < count; ++i)
        order.emplace_back(of * period + step.start[i], of * count + i);
    std::sort(order.begin(), order.end());
    for (const auto& [start, at] : order) {
      schedule.actions.push_back(step.actions[at % count]);
      schedule.start.push_back(start), schedule.duration.push_back(step.duration[at % count]);
      isOfStep.push_back(at / count == steps);
    }
  }
};
} // namespace

RankStepView cost::rankStepView(const Plan& plan, std::uint64_t rank) {
  RankStepView out{&plan.schedule[rank], {}};
  if (plan.steady.empty())
    return out;
  const SteadyContext around(plan, rank);
  const std::uint64_t begin = around.before, end = begin + endOf(plan);
  for (std::size_t i = 0; i < around.schedule.actions.size(); ++i) {
    const std::uint64_t from = std::max(begin, around.schedule.start[i]);
    const std::uint64_t to = std::min(end, around.schedule.endOf(i));
    if (around.isOfStep[i] || from >= to)
      continue;
    out.neighbours.actions.push_back(around.schedule.actions[i]);
    out.neighbours.start.push_back(from - begin), out.neighbours.duration.push_back(to - from);
  }
  return out;
}

namespace {
/// The action at the peak, preferably a backward pass: the memory model counts a forward pass with
/// the needs of its backward pass.
std::size_t fullestAction(llvm::ArrayRef<ScheduledAction> actions, const cost::ChunkBytes& bytes) {
  const cost::LivePeak peak = cost::livePeak(actions, bytes);
  std::size_t pass = peak.action;
  cost::visitLive(actions, bytes, [&](const cost::LiveBytes& now) {
    if (now.during == peak.bytes && actions[pass].forward() && !actions[now.action].forward())
      pass = now.action;
  });
  return pass;
}

/// Bytes of temporary memory of each chunk that its forward pass does not use, if the peak is in a
/// backward pass.
std::vector<std::uint64_t> lessForward(const Plan& plan, std::uint64_t rank,
                                       const cost::ChunkBytes& bytes) {
  const cost::ChunkEstimate estimate(plan);
  std::vector<std::uint64_t> less;
  for (const cost::RankChunk& chunk : cost::rankChunks(plan, rank)) {
    const std::uint64_t working = bytes.temporary[less.size()],
                        holds = whole(estimate.forwardBytes(*chunk.chunk));
    less.push_back(working > holds ? working - holds : 0);
  }
  return less;
}
} // namespace

std::vector<MemorySample> cost::memoryOverStep(const Plan& plan, std::uint64_t rank) {
  const SteadyContext around(plan, rank);
  const RankSchedule& schedule = around.schedule;
  const cost::ChunkBytes bytes = cost::MemoryModel(plan).bytesOf(cost::rankChunks(plan, rank));
  const RankMemory& memory = plan.memory[rank];
  const std::uint64_t always = memory.persistent() + memory.activations + memory.temporary -
                               cost::livePeak(schedule.actions, bytes).bytes;
  const std::size_t fullest = fullestAction(schedule.actions, bytes);
  const bool backward = fullest < schedule.actions.size() && !schedule.actions[fullest].forward() &&
                        bytes.splitTemporary.empty();
  const std::vector<std::uint64_t> less =
      backward ? lessForward(plan, rank, bytes)
               : std::vector<std::uint64_t>(plan.placement.chunks, 0);
  std::vector<MemorySample> curve{{0, always}};
  const std::uint64_t end = around.before + endOf(plan);
  const auto from = [&](std::uint64_t when, MemorySample held) {
    if (when > end)
      return;
    held.time = std::max(when, around.before) - around.before;
    if (curve.back().time == held.time && curve.size() > 1)
      curve.pop_back();
    if (curve.back().time == held.time)
      curve.back() = held;
    else if (curve.back().bytes != held.bytes)
      curve.push_back(held);
  };
  cost::visitLive(schedule.actions, bytes, [&](const cost::LiveBytes& now) {
    const ScheduledAction& op = schedule.actions[now.action];
    const std::uint64_t beyond = op.kind == ActionKind::Forward ? less[op.chunk] : 0;
    from(schedule.start[now.action], {0, always + now.during - beyond, now.saved, now.gradients});
    from(schedule.endOf(now.action), {0, always + now.after, now.savedAfter, now.gradientsAfter});
  });
  if (memory.update > 0) // the optimizer steps after the last action
    curve.back().bytes = memory.persistent() + memory.update;
  return curve;
}

PeakMoment cost::peakMoment(const Plan& plan, std::uint64_t rank) {
  const RankMemory& memory = plan.memory[rank];
  PeakMoment moment;
  moment.update = memory.update > memory.activations + memory.temporary;
  if (moment.update) {
    moment.time = endOf(plan);
    return moment;
  }
  const SteadyContext around(plan, rank);
  const RankSchedule& schedule = around.schedule;
  const cost::ChunkBytes bytes = cost::MemoryModel(plan).bytesOf(cost::rankChunks(plan, rank));
  const std::size_t pass = fullestAction(schedule.actions, bytes);
  if (pass < schedule.actions.size()) {
    moment.running = schedule.actions[pass];
    moment.time =
        std::min(std::max(schedule.start[pass], around.before) - around.before, endOf(plan));
    const Chunk& chunk = plan.chunks[plan.placement.indexOf(rank, moment.running.chunk)];
    const cost::ChunkEstimate estimate(plan);
    const cost::ChunkEstimate::LargestModule fullest = estimate.largestModule(chunk);
    moment.module = estimate.nameOf(chunk, fullest);
    moment.op = fullest.atEnd ? "" : estimate.largestOperator(fullest);
  }
  return moment;
}
