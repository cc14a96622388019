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
  lists = all;
  routes.assign(placement, count);
  firstStart.resize(placement.ranks);
  std::uint64_t operations = 0;
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank) {
    firstStart[rank] = operations;
    operations += all[rank].size();
  }
  arrival.assign(routes.messages(), never);
  starts.resize(operations), ends.resize(operations);
  clock.assign(placement.ranks, 0);
  dataClock.assign(placement.ranks, 0);
  link.assign(2 * placement.ranks, 0);
  sendingTime.assign(placement.ranks, 0);
  next.assign(placement.ranks, 0);
  ready.assign(placement.ranks);
}

const Execution& Executor::run(const Placement& placement, std::uint64_t count, Lists all,
                               llvm::ArrayRef<PieceTime> pieces, bool sendsOverlap,
                               llvm::ArrayRef<PieceClocks> withData) {
  result = {};
  begin(placement, count, all);
  times = pieces, clocks = withData, overlapped = sendsOverlap;
  turnOf.assign(clocks.empty() ? 0 : placement.copies(), count / placement.directions());
  durations.assign(times, clocks);
  while (!ready.empty()) {
    const std::uint64_t rank = ready.take();
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
  std::uint64_t *const begun = &starts[firstStart[rank]], *const ended = &ends[firstStart[rank]];
  std::uint64_t now = clock[rank];
  std::size_t i = next[rank];
  // Whether the input is there; of the first stage forward and of the last backward it is.
  const auto begins = [&](const ScheduledOperation& op, const Route& route) {
    if (route.input == Route::none)
      return true;
    const std::uint64_t at = arrival[route.input + op.microBatch];
    if (at != never)
      now = std::max(now, at);
    return at != never;
  };
  // When the outputs of pass i leave.
  const auto runs = [&](const ScheduledOperation& op, const Route& route) {
    begun[i] = now;
    std::uint64_t left = 0;
    if constexpr (withData)
      left = runBody(rank, op, route.copy, now);
    else
      left = now += durations.of(route.copy, op.kind);
    return ended[i] = left;
  };
  const auto leaves = [&](const ScheduledOperation& op, const Route& route, std::uint64_t at) {
    if (route.output == Route::none)
      return;
    if (route.sends()) {
      const PieceTime& time = times[route.copy];
      std::uint64_t& free = link[route.outputLink];
      at = free = std::max(free, at) + (op.forward() ? time.sendForward : time.sendBackward);
      if (!overlapped && at > now)
        sendingTime[rank] += at - now, now = at;
    }
    arrival[route.output + op.microBatch] = at;
    ready.wake(route.toRank);
  };
  for (; i < list.size(); ++i) {
    const ScheduledOperation op = list[i];
    const Route& route = routeOf(op);
    if (!begins(op, route)) {
      ready.wait(rank);
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
      ready.wait(rank);
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

const Execution& Executor::finish() {
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    result.makespan = std::max(result.makespan, clock[rank]);
    if (next[rank] < lists[rank].size())
      result.completed = false;
  }
  if (!result.completed)
    explain();
  return result;
}

void Executor::explain() {
  std::vector<std::vector<Waiting>> edges(lists.size());
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (std::size_t i = next[rank]; i < lists[rank].size(); ++i) {
      const ScheduledOperation op = lists[rank][i];
      const Route& route = routes.of(rank, op);
      if (route.input != Route::none && arrival[route.input + op.microBatch] == never)
        edges[rank].push_back({rank, op, route.fromRank, op.forward(), true});
      if (op.kind != OperationKind::PairedForward)
        break;
    }
  result.waiting = shortestCircle(edges);
}
