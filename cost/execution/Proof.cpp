//===- Proof.cpp - That a schedule cannot hang ------------------------------------------------===//
#include "cost/execution/Proof.h"
#include "support/Text.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
OrderFlaw outOfTurn(const Placement& placement, const OrderFlaw::Pass& sender,
                    const OrderFlaw::Pass& receiver) {
  return {OrderFlaw::Kind::OutOfTurn,
          fmt::format("rank {} sends the {} where rank {} receives the {}", sender.rank,
                      messageText(placement, sender.rank, sender.operation, false), receiver.rank,
                      messageText(placement, receiver.rank, receiver.operation, true)),
          {sender, receiver}};
}

/// The first message of a link that its receiver wants out of turn, where one does. A link carries
/// two orders, activations and gradients.
OrderFlaw linkOrder(const Placement& placement, std::uint64_t microBatches, Executor::Lists lists) {
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
          return OrderFlaw::Pass{rank, op};
    return OrderFlaw::Pass{};
  };
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledOperation& op : lists[rank]) {
      const Route& route = routes.of(rank, op);
      if (!route.receives())
        continue;
      const std::uint32_t order = orderOf(route.inputLink, op);
      if (turn[route.input + op.microBatch] != taken[order])
        return outOfTurn(placement, nextOn(order), {rank, op});
      ++taken[order];
    }
  return {};
}

OrderFlaw endless(const Placement& placement, const std::vector<Waiting>& waiting,
                  const char* where) {
  OrderFlaw flaw{OrderFlaw::Kind::Endless, describe(placement, waiting) + where, {}};
  for (const Waiting& w : waiting)
    flaw.passes.push_back({w.rank, w.operation});
  return flaw;
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

OrderFlaw Proof::flawOf(ScheduleKind kind, const Placement& placement, std::uint64_t microBatches,
                        Executor::Lists lists) {
  const std::vector<PieceTime> noTimes(placement.copies());
  return flawOf(kind, placement, microBatches, lists, passes, [&](llvm::ArrayRef<Stretch> order) {
    return !order.empty() ||
           passes.run(placement, microBatches, lists, noTimes, true, {}, {}, {}, true).completed;
  });
}

OrderFlaw Proof::flawOf(ScheduleKind kind, const Placement& placement, std::uint64_t microBatches,
                        Executor::Lists lists, const Executor& executor, Execute execute) {
  Exchanges& exchanges = *scheduleInfo(kind).exchanges;
  // In groups that nobody waits for as such a pass runs when it does with buffered sends.
  if (waitsInPassesAlone(exchanges) && llvm::all_of(lists, beginsInOrder) && execute({}) &&
      executor.inTurn()) {
    found = executor.order();
    return {};
  }
  // What ends in groups ends with buffered sends too.
  if (groups.run(placement, microBatches, lists, exchanges)) {
    found = groups.order();
    (void)execute(found);
    return {};
  }
  const std::vector<PieceTime> noTimes(placement.copies());
  const Execution& run = passes.run(placement, microBatches, lists, noTimes, true);
  if (!run.completed)
    return endless(placement, run.waiting, "");
  // What is out of turn may hang before it is met.
  if (OrderFlaw order = linkOrder(placement, microBatches, lists); !order.text.empty())
    return order;
  return endless(placement, groups.waiting(), ", in the groups in which the schedule sends");
}

/// Micro-batches are held from their forward to their last backward pass, as memory counts them.
OrderFlaw dpl::cost::aboveLimit(const Layout& layout, Executor::Lists lists) {
  for (std::uint64_t rank = 0; layout.inFlight > 0 && rank < lists.size(); ++rank) {
    std::uint64_t held = 0; // chunks
    for (const ScheduledOperation& op : lists[rank]) {
      if (op.forward() && ++held > layout.inFlight * layout.chunks)
        return {OrderFlaw::Kind::HoldsMore,
                fmt::format("rank {} holds more than {} with micro-batch {}", rank,
                            plural(layout.inFlight, "micro-batch"), op.microBatch),
                {{rank, op}}};
      if (op.kind == OperationKind::Backward || op.kind == OperationKind::BackwardWeight)
        --held;
    }
  }
  return {};
}

std::string dpl::cost::whatBreaks(const Plan& plan) {
  const std::vector<llvm::ArrayRef<ScheduledOperation>> lists = passesOf(plan);
  std::string text =
      Proof().flawOf(plan.layout.schedule, plan.placement, plan.mesh.microBatches, lists).text;
  return text.empty() ? aboveLimit(plan.layout, lists).text : text;
}

std::string dpl::cost::serialWait(const Plan& plan) {
  GroupedRun serial;
  return serial.run(plan.placement, plan.mesh.microBatches, passesOf(plan), serialBlocking)
             ? ""
             : describe(plan.placement, serial.waiting());
}
