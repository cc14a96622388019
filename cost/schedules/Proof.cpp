//===- Proof.cpp - That a schedule cannot hang ------------------------------------------------===//
#include "cost/schedules/Proof.h"
#include "cost/schedules/Waiting.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Messages of one copy in one direction: the link, and its first message's number.
struct Way {
  std::uint32_t link = UINT32_MAX, message = 0;
  bool crosses() const { return link != UINT32_MAX; }
};
struct Ways {
  std::vector<Way> out, in; ///< by copy and direction
  static std::size_t index(const Placement& placement, std::uint64_t rank,
                           const ScheduledOperation& op) {
    return 2 * placement.indexOf(rank, op.chunk) + (op.forward() ? 0 : 1);
  }
};

/// A rank sends to at most two others in each direction: towards the next and the previous rank.
Ways waysOf(const Placement& placement, std::uint64_t microBatches) {
  Ways ways{std::vector<Way>(2 * placement.copies()), std::vector<Way>(2 * placement.copies())};
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
      for (const OperationKind kind : {OperationKind::Forward, OperationKind::Backward}) {
        const ScheduledOperation op{kind, static_cast<std::uint16_t>(chunk), 0};
        const auto message = messageFrom(placement, rank, op);
        if (!message)
          continue;
        const bool onward = message->to.rank == (rank + 1) % placement.ranks;
        const std::size_t from = Ways::index(placement, rank, op);
        const std::size_t to =
            2 * placement.indexOf(message->to.rank, message->to.chunk) + from % 2;
        ways.out[from] =
            ways.in[to] = {static_cast<std::uint32_t>(4 * rank + 2 * (from % 2) + (onward ? 0 : 1)),
                           static_cast<std::uint32_t>(from * microBatches)};
      }
  return ways;
}

std::string outOfTurn(const PipelineMessage& sent, std::uint64_t rank,
                      const PipelineMessage& wanted) {
  return fmt::format("rank {} sends micro-batch {} of chunk {} where rank {} receives micro-batch "
                     "{} of chunk {}",
                     sent.from.rank, sent.microBatch, sent.from.chunk, rank, wanted.microBatch,
                     wanted.from.chunk);
}

/// The message of a link with that number.
PipelineMessage messageOf(const Placement& placement, std::uint64_t microBatches,
                          Executor::Lists lists, std::uint32_t number) {
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledOperation& op : lists[rank])
      if (const auto message = messageFrom(placement, rank, op);
          message && Ways::index(placement, rank, op) * microBatches + op.microBatch == number)
        return *message;
  return {};
}

/// The first message of a link that its receiver wants out of turn.
std::string linkOrder(const Placement& placement, std::uint64_t microBatches,
                      Executor::Lists lists) {
  const Ways ways = waysOf(placement, microBatches);
  // By link: what is sent, in order, and how much of it was taken.
  std::vector<std::vector<std::uint32_t>> sent(4 * placement.ranks);
  std::vector<std::size_t> taken(4 * placement.ranks, 0);
  const auto each = [&](const std::vector<Way>& all, auto&& visit) {
    llvm::SmallVector<std::uint64_t, 16> copies(placement.chunks);
    for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
      for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
        copies[chunk] = placement.indexOf(rank, chunk);
      for (const ScheduledOperation& op : lists[rank]) {
        const Way& way = all[2 * copies[op.chunk] + (op.forward() ? 0 : 1)];
        if (way.crosses() && op.kind != OperationKind::BackwardWeight &&
            !visit(way.link, way.message + op.microBatch, rank, op))
          return;
      }
    }
  };
  for (std::vector<std::uint32_t>& messages : sent)
    messages.reserve(microBatches * placement.chunks);
  each(ways.out, [&](std::uint32_t link, std::uint32_t message, auto...) {
    sent[link].push_back(message);
    return true;
  });
  std::string wrong;
  each(ways.in, [&](std::uint32_t link, std::uint32_t message, std::uint64_t rank,
                    const ScheduledOperation& op) {
    if (taken[link] == sent[link].size())
      return true; // never sent, which the executor has said
    const std::uint32_t next = sent[link][taken[link]++];
    if (next != message)
      wrong = outOfTurn(messageOf(placement, microBatches, lists, next), rank,
                        *messageInto(placement, rank, op));
    return next == message;
  });
  return wrong;
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
  if (std::string order = linkOrder(placement, microBatches, lists); !order.empty())
    return order;
  Exchanges& own = *scheduleInfo(kind).exchanges;
  if (const Execution& e = executor.run(placement, microBatches, lists, times, own); !e.completed)
    return describe(e.waiting) + ", in the groups in which the schedule sends";
  return {};
}

std::string dpl::cost::whatBreaks(const Plan& plan, Executor& executor) {
  return whatBreaks(plan.layout.schedule, plan.placement, plan.mesh.microBatches, passesOf(plan),
                    executor);
}

std::string dpl::cost::serialWait(const Plan& plan) {
  Executor executor;
  const Execution& e = executor.run(plan.placement, plan.mesh.microBatches, passesOf(plan),
                                    anyTimes(plan.placement), serialBlocking);
  return e.completed ? "" : describe(e.waiting);
}
