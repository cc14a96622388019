//===- Executor.cpp - Runs the lists of all pipeline ranks against one another ----------------===//
#include "cost/schedules/Executor.h"
#include "cost/schedules/Waiting.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void Executor::begin(const Placement& placement, std::uint64_t count, Lists all) {
  assert(all.size() == placement.ranks);
  chunks = placement.chunks, microBatches = count, lists = all;
  ways.assign(2 * placement.copies(), {});
  copies.resize(placement.copies());
  linkOf.resize(2 * placement.copies());
  firstStart.resize(placement.ranks);
  std::uint64_t operations = 0;
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank) {
    firstStart[rank] = operations;
    operations += all[rank].size();
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
      const Placement::Place at{rank, chunk};
      const auto copy = [&](Placement::Place p) {
        return static_cast<std::uint32_t>(placement.indexOf(p.rank, p.chunk));
      };
      copies[rank * chunks + chunk] = copy(at);
      const auto after = placement.next(at), before = placement.previous(at);
      for (const bool forward : {true, false}) {
        Way& way = ways[2 * (rank * chunks + chunk) + (forward ? 0 : 1)];
        if (const auto& to = forward ? after : before)
          way.to = copy(*to), way.rank = static_cast<std::uint32_t>(to->rank);
        if (const auto& from = forward ? before : after)
          way.from = copy(*from), way.fromRank = static_cast<std::uint32_t>(from->rank);
        way.link = linkFrom(placement, rank, chunk, forward);
        linkOf[2 * copy(at) + (forward ? 0 : 1)] = way.link;
      }
    }
  }
  arrival.assign(2 * placement.copies() * microBatches, never);
  starts.assign(operations, never);
  ends.assign(operations, never);
  clock.assign(placement.ranks, 0);
  dataClock.assign(placement.ranks, 0);
  link.assign(2 * placement.ranks, 0);
  sendingTime.assign(placement.ranks, 0);
  next.assign(placement.ranks, 0);
  waits.assign(placement.ranks, false);
  ready.clear();
  for (std::uint64_t rank = placement.ranks; rank-- > 0;)
    ready.push_back(rank);
}

const Execution& Executor::run(const Placement& placement, std::uint64_t count, Lists all,
                               llvm::ArrayRef<PieceTime> pieces, bool sendsOverlap,
                               llvm::ArrayRef<PieceClocks> withData) {
  begin(placement, count, all);
  times = pieces, clocks = withData, overlapped = sendsOverlap, inGroups = false;
  runs = count / placement.directions();
  ran.assign(clocks.empty() ? 0 : kinds * placement.copies(), 0);
  while (!ready.empty()) {
    const std::uint64_t rank = ready.back();
    ready.pop_back();
    if (clocks.empty())
      advance<false>(rank);
    else
      advance<true>(rank);
  }
  return finish();
}

std::uint64_t Executor::runBody(std::uint64_t rank, const ScheduledOperation& op,
                                std::uint32_t copy, std::uint64_t& now) {
  std::uint32_t& before = ran[kinds * copy + static_cast<std::size_t>(op.kind)];
  const Turn turn{before == 0, before + 1 == runs};
  ++before;
  Clocks at{now, dataClock[rank]};
  const std::uint64_t left = clocks[copy].of(op.kind).of(turn).advance(at);
  now = at.computation, dataClock[rank] = at.data;
  return left;
}

template <bool withData> void Executor::advance(std::uint64_t rank) {
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  std::uint64_t now = clock[rank];
  std::size_t i = next[rank];
  for (; i < list.size(); ++i) {
    const ScheduledOperation op = list[i];
    const std::uint32_t copy = copyOf(rank, op.chunk);
    const bool forward = op.forward(), weight = op.kind == OperationKind::BackwardWeight;
    const Way& way = wayOf(rank, op.chunk, forward);
    if (way.from != none && !weight) {
      const std::uint64_t at = arrivalAt(copy, forward, op.microBatch);
      if (at == never) {
        waits[rank] = true;
        break;
      }
      now = std::max(now, at);
    }
    starts[firstStart[rank] + i] = now;
    std::uint64_t left = 0;
    if constexpr (withData)
      left = runBody(rank, op, copy, now);
    else
      left = now += durationOf(op.kind, times[copy]);
    ends[firstStart[rank] + i] = left;
    if (way.to == none || weight)
      continue;
    std::uint64_t there = left;
    if (way.rank != rank) {
      std::uint64_t& free = link[way.link];
      there = free =
          std::max(free, left) + (forward ? times[copy].sendForward : times[copy].sendBackward);
      if (!overlapped && there > now)
        sendingTime[rank] += there - now, now = there;
    }
    arrive(way.to, way.rank, forward, op.microBatch, there);
  }
  next[rank] = i;
  clock[rank] = now;
}

const Execution& Executor::run(const Placement& placement, std::uint64_t count, Lists all,
                               llvm::ArrayRef<PieceTime> pieces, Exchanges& exchanges) {
  begin(placement, count, all);
  times = pieces, inGroups = true;
  groups.resize(placement.ranks);
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank) {
    groups[rank].clear();
    exchanges(placement, rank, all[rank], groups[rank]);
  }
  nextGroup.assign(placement.ranks, 0);
  posted.assign(placement.ranks, false);
  sendPosted.assign(arrival.size(), never);
  receivePosted.assign(arrival.size(), never);
  while (!ready.empty()) {
    const std::uint64_t rank = ready.back();
    ready.pop_back();
    advanceInGroups(rank);
  }
  return finish();
}

/// Posts the groups of the rank that stand before its next pass; false while it waits in one.
bool Executor::postGroups(std::uint64_t rank) {
  const ExchangeList& own = groups[rank];
  for (; nextGroup[rank] < own.groups.size(); ++nextGroup[rank], posted[rank] = false) {
    const Exchange& group = own.groups[nextGroup[rank]];
    if (group.after != next[rank])
      return true;
    const llvm::ArrayRef<PostedMessage> members(own.messages.data() + group.first, group.size);
    if (!posted[rank])
      for (const PostedMessage& m : members) {
        const Way& way = wayOf(rank, m.chunk, m.forward);
        const std::uint64_t key = keyOf(rank, m);
        (m.send ? sendPosted : receivePosted)[key] = clock[rank];
        if (sendPosted[key] == never || receivePosted[key] == never)
          continue;
        const PieceTime& time = times[m.send ? copyOf(rank, m.chunk) : way.from];
        std::uint64_t& free = link[m.send ? way.link : linkOf[2 * way.from + (m.forward ? 0 : 1)]];
        free = std::max({free, sendPosted[key], receivePosted[key]}) +
               (m.forward ? time.sendForward : time.sendBackward);
        arrival[key] = free;
        wake(m.send ? way.rank : way.fromRank);
      }
    posted[rank] = true;
    if (!group.waits)
      continue;
    std::uint64_t done = clock[rank];
    for (const PostedMessage& m : members) {
      const std::uint64_t at = arrival[keyOf(rank, m)];
      if (at == never)
        return false;
      done = std::max(done, at);
    }
    clock[rank] = done;
  }
  return true;
}

void Executor::advanceInGroups(std::uint64_t rank) {
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  for (;; ++next[rank]) {
    if (!postGroups(rank)) {
      waits[rank] = true;
      return;
    }
    if (next[rank] == list.size())
      return;
    const ScheduledOperation op = list[next[rank]];
    const std::uint32_t copy = copyOf(rank, op.chunk);
    const bool forward = op.forward(), weight = op.kind == OperationKind::BackwardWeight;
    const Way& way = wayOf(rank, op.chunk, forward);
    if (way.from != none && !weight) {
      const std::uint64_t at = arrivalAt(copy, forward, op.microBatch);
      if (at == never) {
        waits[rank] = true;
        return;
      }
      clock[rank] = std::max(clock[rank], at);
    }
    starts[firstStart[rank] + next[rank]] = clock[rank];
    clock[rank] += durationOf(op.kind, times[copy]);
    ends[firstStart[rank] + next[rank]] = clock[rank];
    if (way.rank == rank && !weight)
      arrive(way.to, way.rank, forward, op.microBatch, clock[rank]);
  }
}

const Execution& Executor::finish() {
  result = {};
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    result.makespan = std::max(result.makespan, clock[rank]);
    if (next[rank] < lists[rank].size() ||
        (inGroups && nextGroup[rank] < groups[rank].groups.size()))
      result.completed = false;
  }
  if (!result.completed)
    explain();
  return result;
}

// ---- who waits for whom ------------------------------------------------------------------------

/// What a blocked rank waits for: one thing at a pass, each unfinished member of a group.
void Executor::waitingOf(std::uint64_t rank, std::vector<Waiting>& out) const {
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  if (inGroups && nextGroup[rank] < groups[rank].groups.size() &&
      groups[rank].groups[nextGroup[rank]].after == next[rank]) {
    const Exchange& group = groups[rank].groups[nextGroup[rank]];
    for (std::uint32_t i = group.first; i < group.first + group.size; ++i) {
      const PostedMessage& m = groups[rank].messages[i];
      const Way& way = wayOf(rank, m.chunk, m.forward);
      if (arrival[keyOf(rank, m)] == never)
        out.push_back(
            {rank,
             {m.forward ? OperationKind::Forward : OperationKind::Backward, m.chunk, m.microBatch},
             m.send ? way.rank : way.fromRank,
             m.forward,
             !m.send});
    }
    return;
  }
  if (next[rank] == list.size())
    return;
  const ScheduledOperation op = list[next[rank]];
  out.push_back({rank, op, wayOf(rank, op.chunk, op.forward()).fromRank, op.forward(), true});
}

void Executor::explain() {
  std::vector<std::vector<Waiting>> edges(lists.size());
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    waitingOf(rank, edges[rank]);
  result.waiting = shortestCircle(edges);
}
