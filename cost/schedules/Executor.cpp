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
  turnOf.assign(clocks.empty() ? 0 : placement.copies(), count / placement.directions());
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
  const Turn turn = turnOf.next(copy, op.kind);
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
  // Whether the input is there; of the first stage forward and of the last backward it is.
  const auto begins = [&](const ScheduledOperation& op, const Route& route) {
    if (route.from == Route::none || op.kind == OperationKind::BackwardWeight)
      return true;
    const std::uint64_t at = arrival[keyOf(route.copy, op)];
    if (at != never)
      now = std::max(now, at);
    return at != never;
  };
  // When the outputs of pass i leave.
  const auto runs = [&](const ScheduledOperation& op, const Route& route) {
    starts[firstStart[rank] + i] = now;
    std::uint64_t left = 0;
    if constexpr (withData)
      left = runBody(rank, op, route.copy, now);
    else
      left = now += durations.of(route.copy, op.kind);
    return ends[firstStart[rank] + i] = left;
  };
  const auto leaves = [&](const ScheduledOperation& op, const Route& route, std::uint64_t at) {
    if (route.to == Route::none || op.kind == OperationKind::BackwardWeight)
      return;
    if (route.sends()) {
      const PieceTime& time = times[route.copy];
      std::uint64_t& free = link[route.link];
      at = free = std::max(free, at) + (op.forward() ? time.sendForward : time.sendBackward);
      if (!overlapped && at > now)
        sendingTime[rank] += at - now, now = at;
    }
    arrive(route, op, at);
  };
  for (; i < list.size(); ++i) {
    const ScheduledOperation op = list[i];
    const Route& route = routeOf(op);
    if (!begins(op, route)) {
      waits[rank] = true;
      break;
    }
    if (op.kind != OperationKind::PairedForward) {
      leaves(op, route, runs(op, route));
      continue;
    }
    // Both begin when the inputs of both are there, and both outputs leave at the end.
    const ScheduledOperation with = list[i + 1];
    const Route& home = routeOf(with);
    if (!begins(with, home)) {
      waits[rank] = true;
      break;
    }
    runs(op, route);
    ++i;
    const std::uint64_t end = runs(with, home);
    leaves(op, route, end), leaves(with, home, end);
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
    while (group < own.size() && own[group].after == i) {
      bool done = true;
      std::size_t end = group; // of the entries that are one group
      do {
        const Exchange& g = own[end++];
        if (g.sends != Exchange::none) {
          const ScheduledOperation& op = list[g.sends];
          const Route& route = routeOf(op);
          if (!isPosted)
            post(op, true, route.to, route.copy, route.link, route.toRank);
          done = (!g.waits || moved(op, route.to)) && done;
        }
        if (g.receives != Exchange::none) {
          const ScheduledOperation& op = list[g.receives];
          const Route& route = routeOf(op);
          if (!isPosted)
            post(op, false, route.copy, route.from, route.fromLink, route.fromRank);
          done = (!g.waits || moved(op, route.copy)) && done;
        }
      } while (end < own.size() && own[end].joins);
      isPosted = true;
      if (!done)
        return false;
      group = end, isPosted = false;
    }
    return true;
  };
  // Whether what the pass needs is there.
  const auto begins = [&](const ScheduledOperation& op) {
    const Route& route = routeOf(op);
    return route.from == Route::none || op.kind == OperationKind::BackwardWeight ||
           moved(op, route.copy);
  };
  const auto runPasses = [&] { // whether the rank waits
    for (;; ++i) {
      if (!postGroups())
        return true;
      if (i == list.size())
        return false;
      const ScheduledOperation op = list[i];
      const Route& route = routeOf(op);
      // The second of a pair has begun with the first.
      if (i == 0 || list[i - 1].kind != OperationKind::PairedForward) {
        const bool paired = op.kind == OperationKind::PairedForward;
        if (!begins(op) || (paired && !begins(list[i + 1])))
          return true;
        now += durationOf(op.kind, times[route.copy]);
        if (paired)
          now += durationOf(list[i + 1].kind, times[routeOf(list[i + 1]).copy]);
      }
      if (route.to != Route::none && !route.sends() && op.kind != OperationKind::BackwardWeight)
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
    const std::uint32_t taker = receives ? route.copy : route.to;
    if ((receives ? route.from : route.to) != Route::none && arrival[keyOf(taker, op)] == never)
      out.push_back({rank, op, receives ? route.fromRank : route.toRank, op.forward(), receives});
  };
  if (inGroups && nextGroup[rank] < groups[rank].size() &&
      groups[rank][nextGroup[rank]].after == next[rank]) {
    std::size_t member = nextGroup[rank];
    do {
      const Exchange& group = groups[rank][member++];
      if (group.sends != Exchange::none)
        wait(group.sends, false);
      if (group.receives != Exchange::none)
        wait(group.receives, true);
    } while (member < groups[rank].size() && groups[rank][member].joins);
    return;
  }
  const auto at = static_cast<std::uint32_t>(next[rank]);
  if (at < list.size())
    wait(at, true);
  if (at + 1 < list.size() && list[at].kind == OperationKind::PairedForward)
    wait(at + 1, true);
}

void Executor::explain() {
  std::vector<std::vector<Waiting>> edges(lists.size());
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    waitingOf(rank, edges[rank]);
  result.waiting = shortestCircle(edges);
}
