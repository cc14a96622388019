//===- Proof.cpp - That a schedule cannot hang ------------------------------------------------===//
#include "cost/schedules/Proof.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::string outOfTurn(const PipelineMessage& sent, std::uint64_t rank,
                      const PipelineMessage& wanted) {
  return fmt::format("rank {} sends micro-batch {} of chunk {} where rank {} receives micro-batch "
                     "{} of chunk {}",
                     sent.from.rank, sent.microBatch, sent.from.chunk, rank, wanted.microBatch,
                     wanted.from.chunk);
}

/// The first message of a link that its receiver wants out of turn, where one does. A link carries
/// two orders, activations and gradients.
std::string linkOrder(const Placement& placement, std::uint64_t microBatches,
                      Executor::Lists lists) {
  const Routes routes(placement, microBatches);
  const auto orderOf = [](std::uint32_t link, const ScheduledOperation& op) {
    return 2 * link + (op.forward() ? 0 : 1);
  };
  // Of each message how many were sent on its link before.
  std::vector<std::uint32_t> turn(routes.messages(), UINT32_MAX);
  std::vector<std::uint32_t> sent(4 * placement.ranks, 0), taken(4 * placement.ranks, 0);
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledOperation& op : lists[rank])
      if (const Route& route = routes.of(rank, op); route.sends())
        turn[route.output + op.microBatch] = sent[orderOf(route.outputLink, op)]++;
  const auto nextOn = [&](std::uint32_t order) {
    for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
      for (const ScheduledOperation& op : lists[rank])
        if (const Route& route = routes.of(rank, op);
            route.sends() && orderOf(route.outputLink, op) == order &&
            turn[route.output + op.microBatch] == taken[order])
          if (const auto message = messageFrom(placement, rank, op))
            return *message;
    return PipelineMessage{};
  };
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledOperation& op : lists[rank]) {
      const Route& route = routes.of(rank, op);
      if (!route.receives())
        continue;
      const std::uint32_t order = orderOf(route.inputLink, op);
      if (turn[route.input + op.microBatch] != taken[order])
        return outOfTurn(nextOn(order), rank, *messageInto(placement, rank, op));
      ++taken[order];
    }
  return {};
}

/// Begins with a forward, and backward with a pass that passes a gradient on: who posts receives
/// behind passes of their direction relies on it.
bool beginsInOrder(llvm::ArrayRef<ScheduledOperation> list) {
  bool ran = false; // a forward
  for (const ScheduledOperation& op : list) {
    if (op.kind == OperationKind::Recomputation)
      continue;
    if (!op.forward())
      return ran && passesOn(op.kind);
    ran = true;
  }
  return true;
}
} // namespace

std::vector<llvm::ArrayRef<ScheduledOperation>> dpl::cost::passesOf(const Plan& plan) {
  std::vector<llvm::ArrayRef<ScheduledOperation>> lists;
  for (const RankSchedule& rank : plan.schedule) {
    std::size_t passes = 0;
    while (passes < rank.operations.size() && isPass(rank.operations[passes].kind))
      ++passes;
    lists.emplace_back(rank.operations.data(), passes);
  }
  return lists;
}

std::string Proof::whatBreaks(ScheduleKind kind, const Placement& placement,
                              std::uint64_t microBatches, Executor::Lists lists) {
  Exchanges& exchanges = *scheduleInfo(kind).exchanges;
  // In groups that nobody waits for as such a pass runs when it does with buffered sends.
  if (waitsInPassesAlone(exchanges) && llvm::all_of(lists, beginsInOrder) &&
      buffered.run(placement, microBatches, lists) && buffered.inTurn()) {
    found = buffered.order();
    return {};
  }
  // What ends in groups ends with buffered sends too.
  if (groups.run(placement, microBatches, lists, exchanges)) {
    found = groups.order();
    return {};
  }
  const std::vector<PieceTime> noTimes(placement.copies());
  Executor passes;
  const Execution& run = passes.run(placement, microBatches, lists, noTimes, true);
  if (!run.completed)
    return describe(run.waiting);
  // What is out of turn may hang before it is met.
  if (std::string order = linkOrder(placement, microBatches, lists); !order.empty())
    return order;
  return describe(groups.waiting()) + ", in the groups in which the schedule sends";
}

std::string dpl::cost::whatBreaks(const Plan& plan, Proof& proof) {
  return proof.whatBreaks(plan.layout.schedule, plan.placement, plan.mesh.microBatches,
                          passesOf(plan));
}

std::string dpl::cost::whatBreaks(const Plan& plan) {
  Proof proof;
  return whatBreaks(plan, proof);
}

std::string dpl::cost::serialWait(const Plan& plan) {
  GroupedRun serial;
  return serial.run(plan.placement, plan.mesh.microBatches, passesOf(plan), serialBlocking)
             ? ""
             : describe(serial.waiting());
}
