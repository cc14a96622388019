//===- Executor.cpp - Runs the lists of all pipeline ranks against one another ----------------===//
#include "cost/schedules/Executor.h"
#include "cost/schedules/Waiting.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void PassDurations::assign(llvm::ArrayRef<PieceTime> times, llvm::ArrayRef<PieceClocks> clocks) {
  all.clear();
  for (std::size_t copy = 0; copy < times.size(); ++copy)
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const auto op = static_cast<OperationKind>(kind);
      const bool moves = !clocks.empty() && !clocks[copy].of(op).every.plain();
      all.push_back(moves ? byClocks : durationOf(op, times[copy]));
    }
}

void Executor::begin(const Placement& placement, std::uint64_t count, Lists all) {
  assert(all.size() == placement.ranks);
  microBatches = count, lists = all;
  routes.assign(placement);
  firstStart.resize(placement.ranks);
  std::uint64_t operations = 0;
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank) {
    firstStart[rank] = operations;
    operations += all[rank].size();
  }
  arrival.assign(2 * placement.copies() * microBatches, never);
  starts.assign(inGroups ? 0 : operations, never);
  ends.assign(inGroups ? 0 : operations, never);
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
  inGroups = false;
  result = {};
  begin(placement, count, all);
  times = pieces, clocks = withData, overlapped = sendsOverlap;
  runs = count / placement.directions();
  ran.assign(clocks.empty() ? 0 : kinds * placement.copies(), 0);
  durations.assign(times, clocks);
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
  const std::size_t pass = kinds * copy + static_cast<std::size_t>(op.kind);
  const Turn turn{ran[pass] == 0, ran[pass] + 1 == runs};
  ++ran[pass];
  const std::uint64_t duration = durations.of(copy, op.kind);
  if (duration != PassDurations::byClocks && !turn.first && !turn.last)
    return now += duration;
  Clocks at{now, dataClock[rank]};
  const std::uint64_t left = clocks[copy].of(op.kind).of(turn).advance(at);
  now = at.computation, dataClock[rank] = at.data;
  return left;
}

template <bool withData> void Executor::advance(std::uint64_t rank) {
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  const Routes::OfRank routeOf = routes.ofRank(rank);
  std::uint64_t now = clock[rank];
  std::size_t i = next[rank];
  for (; i < list.size(); ++i) {
    const ScheduledOperation op = list[i];
    const Route& route = routeOf(op);
    const bool weight = op.kind == OperationKind::BackwardWeight;
    // Of the first stage forward and of the last backward the input is there.
    if (route.from != Route::none && !weight) {
      const std::uint64_t at = arrival[keyOf(route.copy, op)];
      if (at == never) {
        waits[rank] = true;
        break;
      }
      now = std::max(now, at);
    }
    starts[firstStart[rank] + i] = now;
    std::uint64_t left = 0;
    if constexpr (withData)
      left = runBody(rank, op, route.copy, now);
    else
      left = now += durations.of(route.copy, op.kind);
    ends[firstStart[rank] + i] = left;
    if (route.to == Route::none || weight)
      continue;
    std::uint64_t there = left;
    if (route.sends()) {
      const PieceTime& time = times[route.copy];
      std::uint64_t& free = link[route.link];
      there = free = std::max(free, left) + (op.forward() ? time.sendForward : time.sendBackward);
      if (!overlapped && there > now)
        sendingTime[rank] += there - now, now = there;
    }
    arrive(route, op, there);
  }
  next[rank] = i;
  clock[rank] = now;
}

const Execution& Executor::run(const Placement& placement, std::uint64_t count, Lists all,
                               llvm::ArrayRef<PieceTime> pieces, Exchanges& exchanges) {
  inGroups = true;
  begin(placement, count, all);
  times = pieces;
  groups.resize(placement.ranks);
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank) {
    groups[rank].clear();
    exchanges(routes, rank, all[rank], groups[rank]);
  }
  nextGroup.assign(placement.ranks, 0);
  posted.assign(placement.ranks, false);
  firstEnd.assign(arrival.size(), never);
  firstTurn.resize(arrival.size());
  turns.assign(8 * placement.ranks, 0);
  result = {};
  while (!ready.empty()) {
    const std::uint64_t rank = ready.back();
    ready.pop_back();
    advanceInGroups(rank);
  }
  return finish();
}

/// Runs the passes of a rank and posts the groups before them until it has to wait. The state of
/// the rank is in locals while it runs.
void Executor::advanceInGroups(std::uint64_t rank) {
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  const llvm::ArrayRef<Exchange> own = groups[rank];
  std::uint64_t now = clock[rank];
  std::size_t i = next[rank], group = nextGroup[rank];
  bool isPosted = posted[rank];

  const Routes::OfRank routeOf = routes.ofRank(rank);
  // One end of a message; with its other end posted too it moves.
  const auto post = [&](const ScheduledOperation& op, bool send, std::uint32_t taker,
                        std::uint32_t maker, std::uint32_t on, std::uint32_t peer) {
    const std::uint64_t key = keyOf(taker, op);
    std::uint64_t& first = firstEnd[key];
    const std::uint32_t turn = turns[2 * (2 * on + (op.forward() ? 0 : 1)) + (send ? 0 : 1)]++;
    if (first == never) {
      first = now, firstTurn[key] = turn;
      return;
    }
    result.inTurn = result.inTurn && turn == firstTurn[key];
    std::uint64_t& free = link[on];
    free = std::max({free, first, now}) +
           (op.forward() ? times[maker].sendForward : times[maker].sendBackward);
    arrival[key] = free;
    wake(peer);
  };
  // Whether a message has moved; the rank goes on when it has.
  const auto moved = [&](const ScheduledOperation& op, std::uint32_t taker) {
    const std::uint64_t at = arrival[keyOf(taker, op)];
    if (at != never)
      now = std::max(now, at);
    return at != never;
  };
  // Posts the groups that stand before the next pass; false while the rank waits in one.
  const auto postGroups = [&] {
    for (; group < own.size() && own[group].after == i; ++group, isPosted = false) {
      const Exchange& g = own[group];
      bool done = true;
      if (g.sends != Exchange::none) {
        const ScheduledOperation& op = list[g.sends];
        const Route& route = routeOf(op);
        if (!isPosted)
          post(op, true, route.to, route.copy, route.link, route.toRank);
        done = !g.waits || moved(op, route.to);
      }
      if (g.receives != Exchange::none) {
        const ScheduledOperation& op = list[g.receives];
        const Route& route = routeOf(op);
        if (!isPosted)
          post(op, false, route.copy, route.from, route.fromLink, route.fromRank);
        done = !g.waits || (moved(op, route.copy) && done);
      }
      isPosted = true;
      if (!done)
        return false;
    }
    return true;
  };
  const auto runPasses = [&] { // whether the rank waits
    for (;; ++i) {
      if (!postGroups())
        return true;
      if (i == list.size())
        return false;
      const ScheduledOperation op = list[i];
      const Route& route = routeOf(op);
      const bool weight = op.kind == OperationKind::BackwardWeight;
      if (route.from != Route::none && !weight) {
        const std::uint64_t at = arrival[keyOf(route.copy, op)];
        if (at == never)
          return true;
        now = std::max(now, at);
      }
      now += durationOf(op.kind, times[route.copy]);
      if (route.to != Route::none && !route.sends() && !weight)
        arrive(route, op, now);
    }
  };
  waits[rank] = runPasses();
  clock[rank] = now, next[rank] = i, nextGroup[rank] = group, posted[rank] = isPosted;
}

const Execution& Executor::finish() {
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    result.makespan = std::max(result.makespan, clock[rank]);
    if (next[rank] < lists[rank].size() || (inGroups && nextGroup[rank] < groups[rank].size()))
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
  const auto wait = [&](std::uint32_t pass, bool receives) {
    const ScheduledOperation op = list[pass];
    const Route& route = routes.of(rank, op);
    if (arrival[keyOf(receives ? route.copy : route.to, op)] == never)
      out.push_back({rank, op, receives ? route.fromRank : route.toRank, op.forward(), receives});
  };
  if (inGroups && nextGroup[rank] < groups[rank].size() &&
      groups[rank][nextGroup[rank]].after == next[rank]) {
    const Exchange& group = groups[rank][nextGroup[rank]];
    if (group.sends != Exchange::none)
      wait(group.sends, false);
    if (group.receives != Exchange::none)
      wait(group.receives, true);
    return;
  }
  if (next[rank] < list.size())
    wait(static_cast<std::uint32_t>(next[rank]), true);
}

void Executor::explain() {
  std::vector<std::vector<Waiting>> edges(lists.size());
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    waitingOf(rank, edges[rank]);
  result.waiting = shortestCircle(edges);
}
