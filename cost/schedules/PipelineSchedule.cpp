//===- PipelineSchedule.cpp - Operation lists of a pipeline and their execution ---------------===//
#include "cost/schedules/PipelineSchedule.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// A forward or backward with the messages before and after it.
void push(std::vector<ScheduledOperation>& list, const PipelineShape& shape, std::uint64_t rank,
          bool forward, std::uint64_t chunk, std::uint64_t microBatch) {
  const std::uint64_t p = shape.ranks, piece = chunk * p + rank;
  const auto message = [&](OperationKind kind, std::uint64_t otherPiece) {
    if (otherPiece % p == rank)
      return; // one rank holds both pieces: nothing to send
    ScheduledOperation op;
    op.kind = kind;
    op.microBatch = microBatch;
    op.chunk = kind == OperationKind::Send ? chunk : otherPiece / p;
    op.forward = forward;
    op.peer = otherPiece % p;
    list.push_back(op);
  };
  const bool hasBefore = piece > 0, hasAfter = piece + 1 < shape.pieces();
  if (forward ? hasBefore : hasAfter)
    message(OperationKind::Receive, forward ? piece - 1 : piece + 1);
  ScheduledOperation op;
  op.kind = forward ? OperationKind::Forward : OperationKind::Backward;
  op.microBatch = microBatch;
  op.chunk = chunk;
  op.forward = forward;
  list.push_back(op);
  if (forward ? hasAfter : hasBefore)
    message(OperationKind::Send, forward ? piece + 1 : piece - 1);
}

/// Chunk and micro-batch of the k-th forward of an interleaved rank: micro-batches go in groups of
/// p through all chunks (Megatron-Core's schedule table). Backwards take the chunks in reverse.
std::pair<std::uint64_t, std::uint64_t> tableEntry(const PipelineShape& shape, std::uint64_t k) {
  const std::uint64_t whole = shape.ranks * shape.chunks, group = k / whole;
  const std::uint64_t first = group * shape.ranks;
  const std::uint64_t size = std::min(shape.ranks, shape.microBatches - first);
  const std::uint64_t inside = k - group * whole;
  return {inside / size, first + inside % size};
}
} // namespace

std::uint64_t dpl::cost::warmupForwards(const PipelineShape& shape, std::uint64_t rank) {
  const std::uint64_t total = shape.microBatches * shape.chunks, behind = shape.ranks - rank - 1;
  switch (shape.kind) {
  case ScheduleKind::GPipe:
    return total;
  case ScheduleKind::OneForwardOneBackward:
    return std::min(total, behind);
  case ScheduleKind::Interleaved:
    return std::min(total, behind * 2 + (shape.chunks - 1) * shape.ranks);
  }
  return total;
}

std::vector<ScheduledOperation> dpl::cost::operationsOf(const PipelineShape& shape,
                                                        std::uint64_t rank) {
  const std::uint64_t total = shape.microBatches * shape.chunks;
  const std::uint64_t warmup = warmupForwards(shape, rank);
  std::vector<ScheduledOperation> list;
  list.reserve(6 * total);
  const auto add = [&](bool forward, std::uint64_t k) {
    const auto [chunk, microBatch] = tableEntry(shape, k);
    push(list, shape, rank, forward, forward ? chunk : shape.chunks - 1 - chunk, microBatch);
  };
  for (std::uint64_t k = 0; k < warmup; ++k)
    add(true, k);
  for (std::uint64_t k = warmup; k < total; ++k)
    add(true, k), add(false, k - warmup);
  for (std::uint64_t k = total - warmup; k < total; ++k)
    add(false, k);
  return list;
}

namespace {
constexpr std::uint64_t never = UINT64_MAX;

/// The state of one execution. Messages are indexed by direction, sending piece and micro-batch.
class Executor {
public:
  Executor(const PipelineShape& shape, const std::vector<PieceTime>& times, bool overlapped,
           std::vector<RankSchedule>& schedule)
      : shape(shape), times(times), overlapped(overlapped), schedule(schedule),
        arrival(2 * shape.pieces() * shape.microBatches, never), next(schedule.size(), 0),
        clock(schedule.size(), 0), link(2 * schedule.size(), 0) {}

  Execution run() {
    // A rank that waits is looked at again when a message for it leaves.
    std::vector<std::uint64_t> ready;
    for (std::uint64_t r = schedule.size(); r-- > 0;)
      ready.push_back(r);
    while (!ready.empty()) {
      const std::uint64_t r = ready.back();
      ready.pop_back();
      advance(r, ready);
    }
    Execution result;
    for (std::uint64_t r = 0; r < schedule.size(); ++r) {
      result.makespan = std::max(result.makespan, clock[r]);
      if (next[r] < schedule[r].operations.size() && result.completed) {
        result.completed = false;
        result.blockedRank = r;
        result.blockedOperation = next[r];
      }
    }
    return result;
  }

private:
  std::uint64_t& arrivalOf(bool forward, std::uint64_t piece, std::uint64_t microBatch) {
    return arrival[((forward ? 0 : shape.pieces()) + piece) * shape.microBatches + microBatch];
  }

  void advance(std::uint64_t r, std::vector<std::uint64_t>& ready) {
    std::vector<ScheduledOperation>& list = schedule[r].operations;
    for (; next[r] < list.size(); ++next[r]) {
      ScheduledOperation& op = list[next[r]];
      const std::uint64_t piece = op.chunk * shape.ranks + r;
      op.start = clock[r];
      op.duration = 0;
      switch (op.kind) {
      case OperationKind::Forward:
        op.duration = times[piece].forward;
        break;
      case OperationKind::Backward:
        op.duration = times[piece].backward;
        break;
      case OperationKind::Receive: {
        const std::uint64_t at =
            arrivalOf(op.forward, op.chunk * shape.ranks + op.peer, op.microBatch);
        if (at == never)
          return;
        op.duration = at > clock[r] ? at - clock[r] : 0;
        break;
      }
      case OperationKind::Send: {
        const std::uint64_t time =
            op.forward ? times[piece].sendForward : times[piece].sendBackward;
        // One directed link to the next rank and one to the rank before.
        std::uint64_t& free = link[2 * r + (op.forward ? 0 : 1)];
        free = std::max(free, clock[r]) + time;
        arrivalOf(op.forward, piece, op.microBatch) = free;
        op.duration = overlapped ? 0 : free - clock[r];
        ready.push_back(op.peer);
        break;
      }
      case OperationKind::BackwardInput:
      case OperationKind::BackwardWeight:
      case OperationKind::Collective:
      case OperationKind::Optimizer:
        break;
      }
      clock[r] += op.duration;
    }
  }

  const PipelineShape& shape;
  const std::vector<PieceTime>& times;
  bool overlapped;
  std::vector<RankSchedule>& schedule;
  std::vector<std::uint64_t> arrival, next, clock, link;
};
} // namespace

Execution dpl::cost::execute(const PipelineShape& shape, const std::vector<PieceTime>& times,
                             bool overlapped, std::vector<RankSchedule>& schedule) {
  assert(times.size() == shape.pieces() && schedule.size() == shape.ranks);
  return Executor(shape, times, overlapped, schedule).run();
}

LivePeak dpl::cost::livePeak(const std::vector<ScheduledOperation>& operations,
                             const std::vector<std::uint64_t>& chunkBytes,
                             const std::vector<std::uint64_t>& working) {
  LivePeak peak;
  std::vector<std::uint64_t> live(chunkBytes.size(), 0);
  peak.live = live;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ScheduledOperation& op = operations[i];
    const bool forward = op.kind == OperationKind::Forward,
               backward = op.kind == OperationKind::Backward;
    if (!forward && !backward)
      continue;
    if (forward)
      bytes += chunkBytes[op.chunk], ++live[op.chunk];
    if (const std::uint64_t now = bytes + working[op.chunk]; now > peak.bytes) {
      peak.bytes = now;
      peak.live = live;
      peak.operation = i;
    }
    if (backward)
      bytes -= chunkBytes[op.chunk], --live[op.chunk];
  }
  return peak;
}
