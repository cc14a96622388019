//===- Proof.cpp - That a schedule cannot hang ------------------------------------------------===//
#include "cost/schedules/Proof.h"
#include "cost/schedules/Waiting.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The first message of a link that its receiver wants out of turn.
std::string linkOrder(const Placement& placement, Executor::Lists lists) {
  // By sending rank and direction: what it sends, in order, and how much of it was taken.
  struct Link {
    std::vector<PipelineMessage> sent;
    std::size_t taken = 0;
  };
  // A rank sends to at most two others in each direction: towards the next and the previous rank.
  std::vector<Link> links(4 * placement.ranks);
  const auto linkOf = [&](const PipelineMessage& m) -> Link& {
    const bool onward = m.to.rank == (m.from.rank + 1) % placement.ranks;
    return links[4 * m.from.rank + (m.forward ? 0 : 2) + (onward ? 0 : 1)];
  };
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledOperation& op : lists[rank])
      if (const auto message = messageFrom(placement, rank, op))
        linkOf(*message).sent.push_back(*message);
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledOperation& op : lists[rank]) {
      const auto message = messageInto(placement, rank, op);
      if (!message)
        continue;
      Link& link = linkOf(*message);
      if (link.taken == link.sent.size())
        continue; // never sent, which the executor has said
      const PipelineMessage& sent = link.sent[link.taken++];
      if (sent.from.chunk != message->from.chunk || sent.microBatch != message->microBatch)
        return fmt::format("rank {} sends micro-batch {} of chunk {} where rank {} receives "
                           "micro-batch {} of chunk {}",
                           sent.from.rank, sent.microBatch, sent.from.chunk, rank,
                           message->microBatch, message->from.chunk);
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

namespace {
/// Whether lists come to their end does not depend on the times.
std::vector<PieceTime> anyTimes(const Placement& placement) {
  return std::vector<PieceTime>(placement.copies(), PieceTime{1, 2, 0, 0, 1});
}
} // namespace

std::string dpl::cost::whatBreaks(ScheduleKind kind, const Placement& placement,
                                  std::uint64_t microBatches, Executor::Lists lists,
                                  Executor& executor) {
  const std::vector<PieceTime> times = anyTimes(placement);
  if (const Execution& e = executor.run(placement, microBatches, lists, times, true); !e.completed)
    return describe(e.waiting);
  if (std::string order = linkOrder(placement, lists); !order.empty())
    return order;
  Exchanges& own = *scheduleInfo(kind).exchanges;
  if (const Execution& e = executor.run(placement, microBatches, lists, times, own); !e.completed)
    return describe(e.waiting) + ", in the groups in which the schedule sends";
  return {};
}

ScheduleProof dpl::cost::prove(const Plan& plan, Executor& executor) {
  const std::vector<llvm::ArrayRef<ScheduledOperation>> lists = passesOf(plan);
  const std::uint64_t microBatches = plan.mesh.microBatches;
  ScheduleProof proof;
  proof.broken = whatBreaks(plan.layout.schedule, plan.placement, microBatches, lists, executor);
  if (!proof.broken.empty())
    return proof;
  if (const Execution& e = executor.run(plan.placement, microBatches, lists,
                                        anyTimes(plan.placement), serialBlocking);
      !e.completed)
    proof.serial = describe(e.waiting);
  return proof;
}
