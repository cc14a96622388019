//===- Timeline.cpp - What a rank does and holds at which time of the step --------------------===//
#include "figures/Timeline.h"
#include "cost/bodies/BodyWalk.h"
#include "cost/memory/LivePeak.h"
#include "cost/schedules/Executor.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::figures;
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

template <class Visit> void visitPasses(const Plan& plan, const RankSchedule& rank, Visit visit) {
  cost::TurnCounter turns;
  turns.assign(plan.placement.chunks, plan.microBatchesOfChunk());
  for (std::size_t i = 0; i < rank.operations.size(); ++i) {
    const ScheduledOperation& op = rank.operations[i];
    if (!isPass(op.kind))
      continue;
    const ChunkProgram& program = plan.programs[plan.placement.indexOf(rank.rank, op.chunk)];
    visit(i, program, bodiesOf(plan, program, op.kind), turns.next(op.chunk, op.kind));
  }
}
} // namespace

void figures::visitSegments(const Plan& plan, std::uint64_t rank,
                            llvm::function_ref<void(const ExecutedSegment&)> visit) {
  const RankSchedule& schedule = plan.schedule[rank];
  cost::Clocks clocks;
  std::vector<ExecutedSegment> segments; // of a pass
  visitPasses(plan, schedule,
              [&](std::size_t i, const ChunkProgram& program, llvm::ArrayRef<const Body*> bodies,
                  cost::Turn turn) {
                clocks.computation = schedule.start[i];
                std::uint64_t leaves = schedule.start[i];
                segments.clear();
                for (const Body* body : bodies)
                  leaves = cost::walk(*body, turn, clocks, [&](const cost::WalkedSegment& s) {
                    const bool call = s.segment.kind == SegmentKind::Call;
                    const Collective* what =
                        call ? &plan.collectives[program.firstCollective + s.segment.call]
                             : nullptr;
                    segments.push_back({i, &s.segment, what, s.begin, s.end});
                  });
                if (leaves == schedule.endOf(i))
                  for (const ExecutedSegment& s : segments)
                    visit(s);
              });
}

std::uint64_t figures::countSegments(const Plan& plan) {
  std::uint64_t all = 0;
  for (const RankSchedule& rank : plan.schedule)
    visitPasses(
        plan, rank,
        [&](std::size_t, const ChunkProgram&, llvm::ArrayRef<const Body*> bodies, cost::Turn turn) {
          for (const Body* body : bodies)
            for (const Block& block : body->blocks)
              for (const Segment& s : block.segments)
                if (s.kind != SegmentKind::Wait &&
                    (s.when == When::Every || (s.when == When::First ? turn.first : turn.last)))
                  all += block.count;
        });
  return all;
}

std::vector<HeldFrom> figures::memoryOverStep(const Plan& plan, std::uint64_t rank) {
  const RankSchedule& schedule = plan.schedule[rank];
  llvm::SmallVector<std::uint64_t, 8> bytes, working;
  for (std::uint64_t chunk = 0; chunk < plan.placement.chunks; ++chunk) {
    const ChunkCost& cost = plan.costs[plan.placement.indexOf(rank, chunk)];
    bytes.push_back(cost.activationBytes), working.push_back(cost.workingBytes);
  }
  const RankMemory& memory = plan.memory[rank];
  const std::uint64_t always = memory.standing() + memory.activations + memory.transient -
                               cost::livePeak(schedule.operations, bytes, working).bytes;
  std::vector<HeldFrom> curve{{0, always}};
  const auto from = [&](std::uint64_t time, std::uint64_t held) {
    if (curve.back().time == time && curve.size() > 1)
      curve.pop_back();
    if (curve.back().time == time)
      curve.back().bytes = held;
    else if (curve.back().bytes != held)
      curve.push_back({time, held});
  };
  cost::visitLive(schedule.operations, bytes, working, [&](const cost::LiveBytes& now) {
    from(schedule.start[now.pass], always + now.during);
    from(schedule.endOf(now.pass), always + now.after);
  });
  if (memory.update > 0) // the optimizer steps behind the last pass
    curve.back().bytes = memory.standing() + memory.update;
  return curve;
}
