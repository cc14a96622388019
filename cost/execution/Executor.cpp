//===- Executor.cpp - Runs the schedules of all pipeline ranks together -----------------------===//
#include "cost/execution/Executor.h"
#include "cost/execution/Waiting.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void ActionDurations::assign(llvm::ArrayRef<ChunkTime> times, llvm::ArrayRef<ChunkClocks> clocks) {
  durations.clear();
  const std::size_t pieces = std::max(times.size(), clocks.size());
  durations.reserve(Routes::kinds * pieces);
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t kind = 0; kind < Routes::kinds; ++kind) {
      const auto op = static_cast<ActionKind>(kind);
      const ChunkTime& time = times[piece * times.size() / pieces];
      const ActionTime* body = clocks.empty() ? nullptr : &clocks[piece].of(op);
      const std::uint64_t alone =
          pieces > times.size() ? body->middle.durationAlone() : durationOf(op, time);
      durations.push_back({body && !body->middle.isComputeOnly() ? byClocks : alone,
                           isForward(op) ? time.sendForward : time.sendBackward, body,
                           body && clocks[piece].merges(op)});
    }
}

void Executor::begin(const Placement& placement, std::uint64_t count) {
  assert(schedules.size() == placement.ranks);
  routes.assign(placement, count);
  durations.assign(times, clocks);
  actionRoutes.clear();
  actionRoutes.reserve(routes.actions().size());
  for (const Route& route : routes.actions()) {
    const auto kind = static_cast<ActionKind>(actionRoutes.size() % Routes::kinds);
    const std::size_t piece = route.stageReplica * (unequal ? unequal->kinds() : 1);
    actionRoutes.push_back({durations[ActionDurations::indexOf(piece, kind)], route.input,
                            route.output, route.toRank, route.stageReplica, route.inputChannel,
                            route.outputChannel});
    if (unequal) // runProgram has the time; this entry has the message
      actionRoutes.back().duration.time = ActionDurations::byClocks;
  }
  if (!clocks.empty())
    firstLastActions.assign(schedules, placement.chunks);
  firstActionTimes.clear();
  std::size_t operations = 0;
  for (const auto& schedule : schedules)
    firstActionTimes.push_back(operations), operations += schedule.size();
  actionTimes.resize_for_overwrite(operations);
  arrival.resize_for_overwrite(routes.messages());
  ranks.assign(schedules.size(), {});
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    ExecutedRank& of = ranks[rank];
    of.next = schedules[rank].begin(), of.end = schedules[rank].end();
    of.actionRoutes = actionRoutes.data() + rank * routes.chunks() * Routes::kinds;
    of.times = actionTimes.data() + firstActionTimes[rank];
    if (!clocks.empty())
      of.firstLast = firstLastActions.of(rank),
      of.special = actionTimes.data() + of.firstLast->action;
  }
}

const Execution& Executor::run(const Placement& placement, std::uint64_t count,
                               PerRankScheduleRefs all, llvm::ArrayRef<ChunkTime> chunks,
                               bool sendsOverlap, llvm::ArrayRef<ChunkClocks> withData,
                               llvm::ArrayRef<ActionRun> order, const MicroBatchCosts& costs,
                               bool looksAtTurns) {
  assert(costs.equal() || withData.size() == chunks.size() * costs.kinds());
  result = {};
  unequal = costs.equal() ? nullptr : &costs;
  schedules = all, times = chunks, clocks = withData, overlapped = sendsOverlap;
  begin(placement, count);
  sendOrderKept = looksAtTurns;
  if (clocks.empty())
    runAll<false>(order);
  else
    runAll<true>(order);
  return finish();
}

template <bool withData> void Executor::runAll(llvm::ArrayRef<ActionRun> order) {
  if (!order.empty()) {
    for (const ActionRun& stretch : order) {
      ExecutedRank& rank = ranks[stretch.rank];
      advance<withData, OrderSearch::Given>(rank, rank.next + stretch.actions);
    }
    actionRuns.assign(order.begin(), order.end());
    return;
  }
  std::fill(arrival.begin(), arrival.end(), never);
  if (sendOrderKept) {
    positionOnChannel.resize_for_overwrite(arrival.size());
    lookFor<withData, OrderSearch::InSendOrder>();
  } else {
    lookFor<withData, OrderSearch::Any>();
  }
}

template <bool withData, Executor::OrderSearch order> void Executor::lookFor() {
  actionRuns.clear();
  actionRuns.reserve(actionTimes.size() / 2);
  for (ready.assign(ranks.size()); !ready.empty();) {
    const std::uint32_t rank = ready.pop();
    ExecutedRank& at = ranks[rank];
    const ScheduledAction* const before = at.next;
    advance<withData, order>(at, at.end);
    if (at.next > before)
      actionRuns.push_back({rank, static_cast<std::uint32_t>(at.next - before)});
    if (at.next < at.end)
      ready.wait(rank);
  }
}

std::uint64_t Executor::advance(ExecutedRank& rank, const ProgramTime& program) {
  Clocks at{rank.now, rank.dataEnd};
  const std::uint64_t left = program.advance(at);
  rank.now = at.computation, rank.dataEnd = at.data;
  return left;
}

FirstLast Executor::nextFirstLast(ExecutedRank& rank, const ActionTimes* span) {
  const FirstLast firstLast =
      FirstLastActions::next(rank.firstLast, static_cast<std::size_t>(span - actionTimes.data()));
  rank.special = actionTimes.data() + rank.firstLast->action;
  return firstLast;
}

std::uint64_t Executor::runProgram(ExecutedRank& rank, const ScheduledAction* op,
                                   const ActionRoute& of, const ActionTimes* span) {
  const bool special = span == rank.special;
  const FirstLast firstLast = nextFirstLast(rank, span);
  const ActionDurations::ActionDuration* takes = &of.duration;
  if (unequal)
    takes = &durations[ActionDurations::indexOf(
        of.stageReplica * unequal->kinds() + unequal->kindOf(op->microBatch), op->kind)];
  if (takes->time != ActionDurations::byClocks && !special)
    return rank.now += takes->time;
  return advance(rank, takes->clocks->of(firstLast));
}

std::uint64_t Executor::runPair(ExecutedRank& rank, const ScheduledAction* pair,
                                const ActionRoute& of, const ActionTimes* span) {
  const bool first = nextFirstLast(rank, span).first, last = nextFirstLast(rank, span + 1).last;
  const ActionTime* takes = of.duration.clocks;
  if (unequal)
    takes = durations[ActionDurations::indexOf(of.stageReplica * unequal->kinds() +
                                                   unequal->kindOf(pair[0].microBatch),
                                               ActionKind::PairedForward)]
                .clocks +
            unequal->kindOf(pair[1].microBatch);
  return advance(rank, takes->of({first, last}));
}

namespace {
/// The index of an action's message in arrays by message; `first` is that of micro-batch 0.
std::size_t messageOf(std::uint32_t first, const ScheduledAction& op) {
  return std::size_t{first} + op.microBatch;
}

/// The part of a merged pair's ps that counts as its forward pass: its share of the two actions'
/// separate times.
std::uint64_t forwardOf(std::uint64_t pair, std::uint64_t forward, std::uint64_t backward) {
  using Wide = Rational::Int;
  return forward + backward == 0
             ? 0
             : static_cast<std::uint64_t>(Wide(pair) * Wide(forward) / Wide(forward + backward));
}
} // namespace

std::uint64_t Executor::runMerged(ExecutedRank& rank, const ScheduledAction* pair,
                                  const ActionRoute& forward, const ActionRoute& backward,
                                  ActionTimes* span) {
  const std::uint64_t begin = rank.now, left = runPair(rank, pair, forward, span);
  const std::uint64_t half =
      begin + forwardOf(left - begin, durationOf(pair[0].kind, times[forward.stageReplica]),
                        durationOf(pair[1].kind, times[backward.stageReplica]));
  span[0] = {begin, half}, span[1] = {half, left};
  return left;
}

template <bool withData, Executor::OrderSearch order>
LLVM_ATTRIBUTE_ALWAYS_INLINE void Executor::advance(ExecutedRank& rank,
                                                    const ScheduledAction* stop) {
  const ScheduledAction* next = rank.next;
  std::uint64_t now = rank.now;
  ActionTimes* span = rank.times;
  // The stores below do not move these arrays.
  std::uint64_t* const arrivals = arrival.data();
  std::uint32_t* const turnOf = positionOnChannel.data();
  const auto routeOf = [of = rank.actionRoutes](const ScheduledAction& op) -> const ActionRoute& {
    return of[Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind)];
  };
  // Whether the input has arrived. The first stage's forward and the last stage's backward pass
  // need none.
  const auto begins = [&](const ScheduledAction& op, const ActionRoute& of) {
    if (of.input == Route::none)
      return true;
    const std::uint64_t at = arrivals[messageOf(of.input, op)];
    if (order != OrderSearch::Given && at == never)
      return false;
    now = std::max(now, at);
    return true;
  };
  const auto takesInput = [&](const ScheduledAction& op, const ActionRoute& of) {
    if (order == OrderSearch::InSendOrder && of.from != Route::noChannel)
      rank.outOfSendOrder |= ++rank.received[of.from] ^ turnOf[messageOf(of.input, op)];
  };
  // Runs an action and returns when its outputs leave.
  const auto runs = [&](const ScheduledAction* op, const ActionRoute& of) {
    const std::uint64_t begin = now;
    std::uint64_t left = now + of.duration.time;
    if (withData && (of.duration.time == ActionDurations::byClocks || span == rank.special))
      rank.now = now, left = runProgram(rank, op, of, span), now = rank.now;
    else
      now = left;
    *span++ = {begin, left};
    return left;
  };
  const auto leaves = [&](const ScheduledAction& op, const ActionRoute& of, std::uint64_t at) {
    if (of.output == Route::none)
      return;
    const std::size_t message = messageOf(of.output, op);
    if (of.to != Route::noChannel) {
      std::uint64_t& free = rank.link[of.to / 2];
      at = free = std::max(free, at) + of.duration.sending;
      if (!overlapped && at > now)
        rank.sending += at - now, now = at;
      if constexpr (order == OrderSearch::InSendOrder)
        turnOf[message] = ++rank.sent[of.to];
    }
    arrivals[message] = at;
    if constexpr (order != OrderSearch::Given)
      ready.wake(of.toRank);
  };
  while (next < stop) {
    const ScheduledAction op = *next;
    const ActionRoute& of = routeOf(op);
    if (!begins(op, of))
      break;
    if (LLVM_LIKELY(op.kind != ActionKind::PairedForward || next + 1 == rank.end)) {
      takesInput(op, of);
      leaves(op, of, runs(next, of)), ++next;
      continue;
    }
    // Both actions begin when the inputs of both have arrived, and both outputs leave at the end.
    const ScheduledAction with = next[1];
    const ActionRoute& home = routeOf(with);
    if (!begins(with, home))
      break;
    takesInput(op, of), takesInput(with, home);
    std::uint64_t end = 0;
    if (withData && of.duration.merged) {
      rank.now = now, end = runMerged(rank, next, of, home, span), now = rank.now, span += 2;
    } else {
      runs(next, of), end = runs(next + 1, home);
    }
    leaves(op, of, end), leaves(with, home, end), next += 2;
  }
  rank.next = next, rank.now = now, rank.times = span;
}

const Execution& Executor::finish() {
  for (const ExecutedRank& rank : ranks) {
    result.makespan = std::max(result.makespan, rank.now);
    result.completed = result.completed && rank.next == rank.end;
  }
  sendOrderKept = sendOrderKept && receivedInSendOrder();
  if (!result.completed)
    explain();
  return result;
}

bool Executor::receivedInSendOrder() const {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const ExecutedRank &before = ranks[(rank > 0 ? rank : ranks.size()) - 1], &at = ranks[rank],
                       &after = ranks[rank + 1 < ranks.size() ? rank + 1 : 0];
    const std::array<std::uint32_t, 4>& taken = at.received;
    if (at.outOfSendOrder != 0 || taken[0] != before.sent[0] || taken[1] != before.sent[1] ||
        taken[2] != after.sent[2] || taken[3] != after.sent[3])
      return false;
  }
  return true;
}

void Executor::explain() {
  std::vector<std::vector<Waiting>> edges(schedules.size());
  for (std::uint64_t rank = 0; rank < schedules.size(); ++rank)
    for (const ScheduledAction* op = ranks[rank].next; op < ranks[rank].end; ++op) {
      const Route& route = routes.of(rank, *op);
      if (route.input != Route::none && arrival[route.input + op->microBatch] == never)
        edges[rank].push_back({rank, *op, route.fromRank, true});
      if (op->kind != ActionKind::PairedForward)
        break;
    }
  result.waiting = shortestCircle(edges);
}
