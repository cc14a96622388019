//===- VerifySchedule.cpp - A schedule is complete and cannot hang ----------------------------===//
#include "ir/Names.h"
#include "ir/Verify.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

using namespace dpl;
using namespace dpl::ir;

namespace {

/// A message is known by its ends and by (chunk, micro-batch, direction).
using Message = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, bool>;
Message messageOf(std::uint64_t rank, const ScheduledOperation& op) {
  const bool send = op.kind == OperationKind::Send;
  return {send ? rank : op.peer, send ? op.peer : rank, op.chunk, op.microBatch, op.forward};
}

/// How often one chunk ran one micro-batch.
struct Count {
  unsigned forward = 0, backward = 0, input = 0, weight = 0;
};

void verifyRank(const Plan& plan, const RankSchedule& rank, std::vector<std::string>& broken) {
  const std::uint64_t chunks = plan.layout.chunks, microBatches = plan.mesh.microBatches;
  std::vector<Count> counts(chunks * microBatches);
  std::uint64_t end = 0;
  for (const ScheduledOperation& op : rank.operations) {
    const bool compute = op.kind <= OperationKind::BackwardWeight;
    if (compute && (op.chunk >= chunks || op.microBatch >= microBatches)) {
      broken.push_back(fmt::format("rank {} runs micro-batch {} of chunk {}, which does not exist",
                                   rank.rank, op.microBatch, op.chunk));
      return;
    }
    if (!compute)
      continue;
    if (op.start < end) {
      broken.push_back(fmt::format("rank {} computes twice at {} ps", rank.rank, op.start));
      return;
    }
    end = op.start + op.duration;
    Count& count = counts[op.chunk * microBatches + op.microBatch];
    const bool begun = count.forward == 1;
    const char* early = nullptr;
    switch (op.kind) {
    case OperationKind::Forward:
      ++count.forward;
      break;
    case OperationKind::Backward:
      ++count.backward;
      early = begun ? nullptr : "backward";
      break;
    case OperationKind::BackwardInput:
      ++count.input;
      early = begun ? nullptr : "backward_input";
      break;
    default:
      ++count.weight;
      early = count.input == 1 ? nullptr : "backward_weight";
      break;
    }
    if (early)
      broken.push_back(fmt::format("rank {} runs {} of micro-batch {}, chunk {} too early",
                                   rank.rank, early, op.microBatch, op.chunk));
  }
  for (std::uint64_t i = 0; i < counts.size(); ++i) {
    const Count& c = counts[i];
    const bool split = c.backward == 0 && c.input == 1 && c.weight == 1;
    const bool whole = c.backward == 1 && c.input == 0 && c.weight == 0;
    if (c.forward != 1 || !(split || whole)) {
      broken.push_back(fmt::format(
          "rank {} runs micro-batch {} of chunk {} {} times forward and {} backward", rank.rank,
          i % microBatches, i / microBatches, c.forward, c.backward + c.input));
      return;
    }
  }
}

bool isBackward(OperationKind kind) {
  return kind == OperationKind::Backward || kind == OperationKind::BackwardInput;
}

/// What is computed has its input, and what is sent has been computed.
void verifyInputs(const Plan& plan, const RankSchedule& rank, std::vector<std::string>& broken) {
  const std::uint64_t p = plan.mesh.size(Axis::Pipeline), pieces = p * plan.layout.chunks;
  using Pass = std::tuple<bool, std::uint64_t, std::uint64_t>; // direction, chunk, micro-batch
  std::set<Pass> computed, received;
  for (const ScheduledOperation& op : rank.operations) {
    const bool backward = isBackward(op.kind), forward = op.kind == OperationKind::Forward;
    const std::uint64_t piece = op.chunk * p + rank.rank;
    bool early = false;
    if (forward ? piece > 0 : backward && piece + 1 < pieces) {
      const Pass input{forward, (forward ? piece - 1 : piece + 1) / p, op.microBatch};
      early = (p > 1 ? received : computed).count(input) == 0;
    }
    if (op.kind == OperationKind::Send)
      early = computed.count({op.forward, op.chunk, op.microBatch}) == 0;
    if (early)
      broken.push_back(
          fmt::format("rank {} runs {} of micro-batch {}, chunk {} before what it needs", rank.rank,
                      name(op.kind), op.microBatch, op.chunk));
    if (forward || backward)
      computed.insert({forward, op.chunk, op.microBatch});
    if (op.kind == OperationKind::Receive)
      received.insert({op.forward, op.chunk, op.microBatch});
  }
}

/// Messages from one rank to another in one direction are received in the order in which they are
/// sent: what carries them has no names for them.
void verifyLinks(const Plan& plan, std::vector<std::string>& broken) {
  using Link = std::tuple<std::uint64_t, std::uint64_t, bool>; // from, to, direction
  std::map<Link, std::vector<const ScheduledOperation*>> sent, received;
  for (std::uint64_t r = 0; r < plan.schedule.size(); ++r)
    for (const ScheduledOperation& op : plan.schedule[r].operations) {
      if (op.kind == OperationKind::Send)
        sent[{r, op.peer, op.forward}].push_back(&op);
      if (op.kind == OperationKind::Receive)
        received[{op.peer, r, op.forward}].push_back(&op);
    }
  for (const auto& [link, messages] : sent) {
    const std::vector<const ScheduledOperation*>& others = received[link];
    for (std::size_t i = 0; i < std::min(messages.size(), others.size()); ++i) {
      const ScheduledOperation &a = *messages[i], &b = *others[i];
      if (a.chunk == b.chunk && a.microBatch == b.microBatch)
        continue;
      broken.push_back(fmt::format("rank {} sends micro-batch {} of chunk {} where rank {} "
                                   "receives micro-batch {} of chunk {}",
                                   std::get<0>(link), a.microBatch, a.chunk, std::get<1>(link),
                                   b.microBatch, b.chunk));
      break;
    }
  }
}

/// Runs the lists in order; a receive waits for its send. Whoever is left waits for ever.
void verifyProgress(const Plan& plan, std::vector<std::string>& broken) {
  std::map<Message, unsigned> sent;
  std::vector<std::size_t> next(plan.schedule.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
      const std::vector<ScheduledOperation>& operations = plan.schedule[r].operations;
      for (; next[r] < operations.size(); ++next[r], moved = true) {
        const ScheduledOperation& op = operations[next[r]];
        if (op.kind == OperationKind::Send) {
          ++sent[messageOf(r, op)];
        } else if (op.kind == OperationKind::Receive) {
          const auto message = sent.find(messageOf(r, op));
          if (message == sent.end())
            break;
          if (--message->second == 0)
            sent.erase(message);
        }
      }
    }
  }
  for (std::size_t r = 0; r < plan.schedule.size(); ++r)
    if (next[r] < plan.schedule[r].operations.size()) {
      const ScheduledOperation& op = plan.schedule[r].operations[next[r]];
      broken.push_back(
          fmt::format("rank {} waits for ever for micro-batch {} of chunk {} from rank {}", r,
                      op.microBatch, op.chunk, op.peer));
    }
  if (!sent.empty()) {
    const auto& [from, to, chunk, microBatch, forward] = sent.begin()->first;
    broken.push_back(
        fmt::format("micro-batch {} of chunk {} from rank {} to rank {} is never received",
                    microBatch, chunk, from, to));
  }
}

} // namespace

void ir::verifySchedule(const Plan& plan, std::vector<std::string>& broken) {
  const std::uint64_t stages = plan.mesh.size(Axis::Pipeline);
  if (plan.schedule.size() != stages) {
    broken.push_back(fmt::format("schedules of {} ranks, needed {}", plan.schedule.size(), stages));
    return;
  }
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    if (plan.schedule[r].rank != r)
      broken.push_back(fmt::format("schedule {} belongs to rank {}", r, plan.schedule[r].rank));
    verifyRank(plan, plan.schedule[r], broken);
    for (const ScheduledOperation& op : plan.schedule[r].operations) {
      const bool message = op.kind == OperationKind::Send || op.kind == OperationKind::Receive;
      if ((message && op.peer >= stages) ||
          (op.kind == OperationKind::Collective && op.collective >= plan.collectives.size())) {
        broken.push_back(fmt::format("rank {} names a peer or collective that does not exist", r));
        return;
      }
    }
  }
  if (!broken.empty())
    return;
  for (const RankSchedule& rank : plan.schedule)
    verifyInputs(plan, rank, broken);
  verifyProgress(plan, broken);
  if (broken.empty())
    verifyLinks(plan, broken);
}
