//===- HostWait.cpp - What passes wait for the host's link ------------------------------------===//
#include "cost/programs/HostWait.h"
#include "cost/programs/OwnPasses.h"
#include "cost/programs/Turns.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool crosses(const Segment& s) { return s.part == ComputePart::Offload; }

} // namespace

std::uint64_t dpl::cost::hostWait(const Body& body, Turn turn) {
  Body without = body;
  bool any = false;
  for (Block& block : without.blocks) {
    any = any || llvm::any_of(block.segments, crosses);
    llvm::erase_if(block.segments, crosses);
  }
  const auto all = [](const Segment&) { return true; };
  return any ? timeOf(body, turn, all).alone() - timeOf(without, turn, all).alone() : 0;
}

namespace {
/// Of the list of a rank, which says which passes run merged and which backward passes in halves.
std::uint64_t hostWaitOfList(const Plan& plan, const RankSchedule& rank) {
  Turns turns;
  turns.assign(llvm::makeArrayRef(rank.operations), plan.placement.chunks);
  const Turns::Special* special = turns.of(0);
  std::uint64_t wait = 0;
  for (std::size_t i = 0; i < rank.operations.size(); ++i) {
    const ScheduledOperation& op = rank.operations[i];
    if (!isPass(op.kind))
      continue;
    Turn turn = Turns::take(special, i);
    if (const Body* merged = mergedBody(plan, rank.rank, op)) {
      turn.last = Turns::take(special, ++i).last;
      wait += hostWait(*merged, turn);
    } else if (const auto body =
                   bodyOf(plan, plan.programs[plan.placement.indexOf(rank.rank, op.chunk)],
                          op.forward() ? OperationKind::Forward : op.kind)) {
      wait += hostWait(plan.bodies[*body], turn);
    }
  }
  return wait;
}
} // namespace

std::uint64_t dpl::cost::hostWait(const Plan& plan, const ChunkProgram& program, Turn turn) {
  std::uint64_t wait = 0;
  visitOwnPasses(plan, program,
                 [&](std::uint64_t body) { wait += hostWait(plan.bodies[body], turn); });
  return wait;
}

std::uint64_t dpl::cost::hostWait(const Plan& plan, std::uint64_t rank) {
  if (!plan.layout.offloads())
    return 0;
  const ScheduleInfo& info = scheduleInfo(plan.layout.schedule);
  if (rank < plan.schedule.size() && (info.pairs || info.backward == BackwardPasses::Mixed))
    return hostWaitOfList(plan, plan.schedule[rank]);
  const std::uint64_t runs = plan.microBatchesOfChunk();
  std::uint64_t wait = 0;
  for (const ChunkProgram& program : plan.programs)
    if (program.rank == rank)
      wait += runs == 1 ? hostWait(plan, program, {true, true})
                        : hostWait(plan, program, {true, false}) +
                              hostWait(plan, program, {false, true}) +
                              (runs - 2) * hostWait(plan, program);
  return wait;
}
