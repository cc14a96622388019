//===- Proof.cpp - That a schedule cannot hang ------------------------------------------------===//
#include "cost/schedules/Proof.h"
#include "cost/schedules/Waiting.h"
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
  const Routes routes(placement);
  const auto orderOf = [](std::uint32_t link, const ScheduledOperation& op) {
    return 2 * link + (op.forward() ? 0 : 1);
  };
  const auto keyOf = [&](std::uint32_t copy, const ScheduledOperation& op) {
    return (2 * copy + (op.forward() ? 0 : 1)) * microBatches + op.microBatch;
  };
  // Of each message, by the copy that takes it, how many were sent on its link before.
  std::vector<std::uint32_t> turn(2 * placement.copies() * microBatches, UINT32_MAX);
  std::vector<std::uint32_t> sent(4 * placement.ranks, 0), taken(4 * placement.ranks, 0);
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    const Routes::OfRank routeOf = routes.ofRank(rank);
    for (const ScheduledOperation& op : lists[rank])
      if (const Route& route = routeOf(op);
          route.sends() && op.kind != OperationKind::BackwardWeight)
        turn[keyOf(route.to, op)] = sent[orderOf(route.link, op)]++;
  }
  const auto nextOn = [&](std::uint32_t order) {
    for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
      for (const ScheduledOperation& op : lists[rank])
        if (const Route& route = routes.of(rank, op); route.sends() &&
                                                      orderOf(route.link, op) == order &&
                                                      turn[keyOf(route.to, op)] == taken[order])
          if (const auto message = messageFrom(placement, rank, op))
            return *message;
    return PipelineMessage{};
  };
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    const Routes::OfRank routeOf = routes.ofRank(rank);
    for (const ScheduledOperation& op : lists[rank]) {
      const Route& route = routeOf(op);
      if (!route.receives() || op.kind == OperationKind::BackwardWeight)
        continue;
      const std::uint32_t order = orderOf(route.fromLink, op);
      if (turn[keyOf(route.copy, op)] != taken[order])
        return outOfTurn(nextOn(order), rank, *messageInto(placement, rank, op));
      ++taken[order];
    }
  }
  return {};
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

std::vector<PieceTime> dpl::cost::equalTimes(const Placement& placement) {
  return std::vector<PieceTime>(placement.copies(), PieceTime{1, 2, 0, 0, 1});
}

std::string Proof::whatBreaks(const Execution& buffered, ScheduleKind kind,
                              const Placement& placement, std::uint64_t microBatches,
                              Executor::Lists lists) {
  if (!buffered.completed)
    return describe(buffered.waiting);
  const Execution& e = groups.run(placement, microBatches, lists, equalTimes(placement),
                                  *scheduleInfo(kind).exchanges);
  if (e.completed && e.inTurn)
    return {};
  // What is out of turn may hang before it is met.
  if (std::string order = linkOrder(placement, microBatches, lists); !order.empty())
    return order;
  return describe(e.waiting) + ", in the groups in which the schedule sends";
}

std::string Proof::whatBreaks(ScheduleKind kind, const Placement& placement,
                              std::uint64_t microBatches, Executor::Lists lists) {
  return whatBreaks(passes.run(placement, microBatches, lists, equalTimes(placement), true), kind,
                    placement, microBatches, lists);
}

std::string dpl::cost::whatBreaks(const Plan& plan) {
  return Proof().whatBreaks(plan.layout.schedule, plan.placement, plan.mesh.microBatches,
                            passesOf(plan));
}

std::string dpl::cost::serialWait(const Plan& plan) {
  Executor executor;
  const Execution& e = executor.run(plan.placement, plan.mesh.microBatches, passesOf(plan),
                                    equalTimes(plan.placement), serialBlocking);
  return e.completed ? "" : describe(e.waiting);
}
