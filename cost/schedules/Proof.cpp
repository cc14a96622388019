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

ScheduleProof dpl::cost::prove(const Plan& plan, Executor& executor) {
  const Placement& placement = plan.placement;
  const std::uint64_t microBatches = plan.mesh.microBatches;
  const std::vector<llvm::ArrayRef<ScheduledOperation>> lists = passesOf(plan);
  // Whether it comes to the end does not depend on the times.
  const std::vector<PieceTime> times(placement.copies(), PieceTime{1, 2, 0, 0, 1});
  ScheduleProof proof;
  if (const Execution& e = executor.run(placement, microBatches, lists, times, true); !e.completed)
    proof.broken = describe(e.waiting);
  if (proof.broken.empty())
    proof.broken = linkOrder(placement, lists);
  if (!proof.broken.empty())
    return proof;
  Exchanges& own = *scheduleInfo(plan.layout.schedule).exchanges;
  if (const Execution& e = executor.run(placement, microBatches, lists, times, own); !e.completed)
    proof.broken = describe(e.waiting) + ", in the groups in which the schedule sends";
  if (const Execution& e = executor.run(placement, microBatches, lists, times, serialBlocking);
      !e.completed)
    proof.serial = describe(e.waiting);
  return proof;
}
