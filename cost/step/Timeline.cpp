//===- Timeline.cpp - What a rank does and holds at which time of the step --------------------===//
#include "cost/step/Timeline.h"
#include "cost/compute/ChunkEstimate.h"
#include "cost/execution/Executor.h"
#include "cost/memory/RankMemory.h"
#include "cost/programs/BodyWalk.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// What a pass runs: the body of its kind; of a whole backward both parts where they are apart.
llvm::SmallVector<const Body*, 2> bodiesOf(const Plan& plan, const ChunkProgram& program,
                                           OperationKind kind) {
  using enum OperationKind;
  llvm::SmallVector<const Body*, 2> out;
  const auto add = [&](OperationKind of) {
    if (const auto body = bodyOf(plan, program, of))
      out.push_back(&plan.bodies[*body]);
  };
  add(isForward(kind) ? Forward : kind);
  if (kind == Backward && out.empty())
    add(BackwardInput), add(BackwardWeight);
  return out;
}

/// A pass of a list, or two that run merged.
struct RunPass {
  std::size_t first = 0, last = 0; ///< indices into the list
  const ChunkProgram& program;     ///< of the first
  llvm::SmallVector<const Body*, 2> bodies;
  cost::Turn turn;
};

template <class Visit> void visitPasses(const Plan& plan, const RankSchedule& rank, Visit visit) {
  cost::Turns turns;
  turns.assign(llvm::makeArrayRef(rank.operations), plan.placement.chunks);
  const cost::Turns::Special* special = turns.of(0);
  for (std::size_t i = 0; i < rank.operations.size(); ++i) {
    const ScheduledOperation& op = rank.operations[i];
    if (!isPass(op.kind))
      continue;
    RunPass pass{i,
                 i,
                 plan.programs[plan.placement.indexOf(rank.rank, op.chunk)],
                 {},
                 cost::Turns::take(special, i)};
    if (const Body* merged = mergedBody(plan, rank.rank, op)) {
      pass.bodies = {merged};
      pass.last = ++i;
      pass.turn.last = cost::Turns::take(special, i).last;
    } else {
      pass.bodies = bodiesOf(plan, pass.program, op.kind);
    }
    visit(pass);
  }
}
} // namespace

void cost::visitSegments(const Plan& plan, std::uint64_t rank,
                         llvm::function_ref<void(const ExecutedSegment&)> visit) {
  const RankSchedule& schedule = plan.schedule[rank];
  const MicroBatchCosts costs(plan.layout.microBatchCosts);
  cost::Clocks clocks;
  std::vector<ExecutedSegment> segments; // of a pass
  visitPasses(plan, schedule, [&](const RunPass& pass) {
    clocks.computation = schedule.start[pass.first];
    std::uint64_t leaves = schedule.start[pass.first];
    segments.clear();
    const auto costOf = [&](std::size_t i) { return costs.of(schedule.operations[i].microBatch); };
    for (const Body* body : pass.bodies)
      leaves = cost::walk(*body, pass.turn, {costOf(pass.first), costOf(pass.last)}, clocks,
                          [&](const cost::WalkedSegment& s) {
                            const Collective* what =
                                s.segment.kind == SegmentKind::Call
                                    ? &plan.collectives[collectiveOf(plan, pass.program, s.segment)]
                                    : nullptr;
                            segments.push_back({s.segment.backward ? pass.last : pass.first,
                                                &s.segment, what, s.begin, s.end});
                          });
    if (leaves == schedule.endOf(pass.last))
      for (const ExecutedSegment& s : segments)
        visit(s);
  });
}

std::uint64_t cost::countSegments(const Plan& plan) {
  std::uint64_t all = 0;
  for (const RankSchedule& rank : plan.schedule)
    visitPasses(plan, rank, [&](const RunPass& pass) {
      for (const Body* body : pass.bodies)
        for (const Block& block : body->blocks)
          for (const Segment& s : block.segments)
            if (s.kind != SegmentKind::Wait &&
                (s.when == When::Every ||
                 (s.when == When::First ? pass.turn.first : pass.turn.last)))
              all += block.count;
    });
  return all;
}

namespace {
std::uint64_t endOf(const Plan& plan) {
  std::uint64_t end = 0;
  for (const RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.operations.size(); ++i)
      end = std::max(end, rank.endOf(i));
  return end;
}

/// The list of a rank in the steps around one, in the order in which they run. Times are of the
/// first of them, which begins `before` ps ahead of that one.
struct Around {
  RankSchedule list;
  std::vector<bool> own; ///< is of that one
  std::uint64_t before = 0;

  Around(const Plan& plan, std::uint64_t rank) {
    const RankSchedule& step = plan.schedule[rank];
    if (plan.steady.empty()) {
      list = step, own.assign(step.operations.size(), true);
      return;
    }
    const std::uint64_t period = plan.steady.front().period;
    const std::uint64_t steps = endOf(plan) / period + 1; // on either side that may reach into it
    before = steps * period;
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    const std::size_t count = step.operations.size();
    for (std::uint64_t of = 0; of <= 2 * steps; ++of)
      for (std::size_t i = 0; i < count; ++i)
        order.emplace_back(of * period + step.start[i], of * count + i);
    std::sort(order.begin(), order.end());
    for (const auto& [start, at] : order) {
      list.operations.push_back(step.operations[at % count]);
      list.start.push_back(start), list.duration.push_back(step.duration[at % count]);
      own.push_back(at / count == steps);
    }
  }
};
} // namespace

DrawnRank cost::drawnRank(const Plan& plan, std::uint64_t rank) {
  DrawnRank out{&plan.schedule[rank], {}};
  if (plan.steady.empty())
    return out;
  const Around around(plan, rank);
  const std::uint64_t begin = around.before, end = begin + endOf(plan);
  for (std::size_t i = 0; i < around.list.operations.size(); ++i) {
    const std::uint64_t from = std::max(begin, around.list.start[i]);
    const std::uint64_t to = std::min(end, around.list.endOf(i));
    if (around.own[i] || from >= to)
      continue;
    out.others.operations.push_back(around.list.operations[i]);
    out.others.start.push_back(from - begin), out.others.duration.push_back(to - from);
  }
  return out;
}

namespace {
/// The pass of a list that holds most; a backward pass where one does. The account counts a forward
/// pass with what its backward pass needs.
std::size_t fullestPass(llvm::ArrayRef<ScheduledOperation> operations,
                        const cost::ChunkBytes& bytes) {
  const cost::LivePeak peak = cost::livePeak(operations, bytes);
  std::size_t pass = peak.pass;
  cost::visitLive(operations, bytes, [&](const cost::LiveBytes& now) {
    if (now.during == peak.bytes && operations[pass].forward() && !operations[now.pass].forward())
      pass = now.pass;
  });
  return pass;
}

/// What of the account's bytes a forward pass of each chunk does not hold, where a backward pass is
/// the fullest.
std::vector<std::uint64_t> lessForward(const Plan& plan, std::uint64_t rank,
                                       const cost::ChunkBytes& bytes) {
  const cost::ChunkEstimate estimate(plan);
  std::vector<std::uint64_t> less;
  for (const cost::HeldChunk& chunk : cost::heldChunks(plan, rank)) {
    const std::uint64_t working = bytes.working[less.size()],
                        holds = whole(estimate.forwardBytes(*chunk.chunk));
    less.push_back(working > holds ? working - holds : 0);
  }
  return less;
}
} // namespace

std::vector<HeldFrom> cost::memoryOverStep(const Plan& plan, std::uint64_t rank) {
  const Around around(plan, rank);
  const RankSchedule& schedule = around.list;
  const cost::ChunkBytes bytes = cost::MemoryModel(plan).bytesOf(cost::heldChunks(plan, rank));
  const RankMemory& memory = plan.memory[rank];
  const std::uint64_t always = memory.standing() + memory.activations + memory.transient -
                               cost::livePeak(schedule.operations, bytes).bytes;
  const std::size_t fullest = fullestPass(schedule.operations, bytes);
  const bool backward = fullest < schedule.operations.size() &&
                        !schedule.operations[fullest].forward() && bytes.inHalves.empty();
  const std::vector<std::uint64_t> less =
      backward ? lessForward(plan, rank, bytes)
               : std::vector<std::uint64_t>(plan.placement.chunks, 0);
  std::vector<HeldFrom> curve{{0, always}};
  const std::uint64_t end = around.before + endOf(plan);
  const auto from = [&](std::uint64_t when, HeldFrom held) {
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
  cost::visitLive(schedule.operations, bytes, [&](const cost::LiveBytes& now) {
    const ScheduledOperation& op = schedule.operations[now.pass];
    const std::uint64_t beyond = op.kind == OperationKind::Forward ? less[op.chunk] : 0;
    from(schedule.start[now.pass], {0, always + now.during - beyond, now.kept, now.gradients});
    from(schedule.endOf(now.pass), {0, always + now.after, now.keptAfter, now.gradientsAfter});
  });
  if (memory.update > 0) // the optimizer steps behind the last pass
    curve.back().bytes = memory.standing() + memory.update;
  return curve;
}

PeakMoment cost::peakMoment(const Plan& plan, std::uint64_t rank) {
  const RankMemory& memory = plan.memory[rank];
  PeakMoment moment;
  moment.update = memory.update > memory.activations + memory.transient;
  if (moment.update) {
    moment.time = endOf(plan);
    return moment;
  }
  const Around around(plan, rank);
  const RankSchedule& schedule = around.list;
  const cost::ChunkBytes bytes = cost::MemoryModel(plan).bytesOf(cost::heldChunks(plan, rank));
  const std::size_t pass = fullestPass(schedule.operations, bytes);
  if (pass < schedule.operations.size()) {
    moment.running = schedule.operations[pass];
    moment.time =
        std::min(std::max(schedule.start[pass], around.before) - around.before, endOf(plan));
    const Chunk& chunk = plan.chunks[plan.placement.indexOf(rank, moment.running.chunk)];
    const cost::ChunkEstimate estimate(plan);
    const cost::ChunkEstimate::Fullest fullest = estimate.fullest(chunk);
    moment.part = estimate.nameOf(chunk, fullest);
    moment.op = fullest.atEnd ? "" : estimate.largestOperator(fullest);
  }
  return moment;
}
