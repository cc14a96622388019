//===- Executor.cpp - Runs the lists of all pipeline ranks against one another ----------------===//
#include "cost/execution/Executor.h"
#include "cost/execution/Waiting.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void PassDurations::assign(llvm::ArrayRef<PieceTime> times, llvm::ArrayRef<PieceClocks> clocks) {
  taken.clear();
  const std::size_t pieces = std::max(times.size(), clocks.size());
  taken.reserve(Routes::kinds * pieces);
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t kind = 0; kind < Routes::kinds; ++kind) {
      const auto op = static_cast<OperationKind>(kind);
      const PieceTime& time = times[piece * times.size() / pieces];
      const PassTime* body = clocks.empty() ? nullptr : &clocks[piece].of(op);
      const std::uint64_t alone =
          pieces > times.size() ? body->every.alone() : durationOf(op, time);
      taken.push_back({body && !body->every.plain() ? byClocks : alone,
                       isForward(op) ? time.sendForward : time.sendBackward, body,
                       body && clocks[piece].merges(op)});
    }
}

void Executor::begin(const Placement& placement, std::uint64_t count) {
  assert(lists.size() == placement.ranks);
  routes.assign(placement, count);
  durations.assign(times, clocks);
  passes.clear();
  passes.reserve(routes.passes().size());
  for (const Route& route : routes.passes()) {
    const auto kind = static_cast<OperationKind>(passes.size() % Routes::kinds);
    const std::size_t piece = route.copy * (unequal ? unequal->kinds() : 1);
    passes.push_back({durations[PassDurations::indexOf(piece, kind)], route.input, route.output,
                      route.toRank, route.copy, route.inputChannel, route.outputChannel});
    if (unequal) // what they take has runBody, here is what is sent
      passes.back().takes.time = PassDurations::byClocks;
  }
  if (!clocks.empty())
    turns.assign(lists, placement.chunks);
  firstSpan.clear();
  std::size_t operations = 0;
  for (const auto& list : lists)
    firstSpan.push_back(operations), operations += list.size();
  spans.resize_for_overwrite(operations);
  arrival.resize_for_overwrite(routes.messages());
  ranks.assign(lists.size(), {});
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    OfRank& of = ranks[rank];
    of.next = lists[rank].begin(), of.end = lists[rank].end();
    of.passes = passes.data() + rank * routes.chunks() * Routes::kinds;
    of.span = spans.data() + firstSpan[rank];
    if (!clocks.empty())
      of.turn = turns.of(rank), of.special = spans.data() + of.turn->pass;
  }
}

const Execution& Executor::run(const Placement& placement, std::uint64_t count, Lists all,
                               llvm::ArrayRef<PieceTime> pieces, bool sendsOverlap,
                               llvm::ArrayRef<PieceClocks> withData, llvm::ArrayRef<Stretch> order,
                               const MicroBatchCosts& costs, bool looksAtTurns) {
  assert(costs.equal() || withData.size() == pieces.size() * costs.kinds());
  result = {};
  unequal = costs.equal() ? nullptr : &costs;
  lists = all, times = pieces, clocks = withData, overlapped = sendsOverlap;
  begin(placement, count);
  turnsKept = looksAtTurns;
  if (clocks.empty())
    runAll<false>(order);
  else
    runAll<true>(order);
  return finish();
}

template <bool withData> void Executor::runAll(llvm::ArrayRef<Stretch> order) {
  if (!order.empty()) {
    for (const Stretch& stretch : order) {
      OfRank& rank = ranks[stretch.rank];
      advance<withData, Order::Given>(rank, rank.next + stretch.passes);
    }
    stretches.assign(order.begin(), order.end());
    return;
  }
  std::fill(arrival.begin(), arrival.end(), never);
  if (turnsKept) {
    turnOnChannel.resize_for_overwrite(arrival.size());
    lookFor<withData, Order::InTurn>();
  } else {
    lookFor<withData, Order::Any>();
  }
}

template <bool withData, Executor::Order order> void Executor::lookFor() {
  stretches.clear();
  stretches.reserve(spans.size() / 2);
  for (ready.assign(ranks.size()); !ready.empty();) {
    const std::uint32_t rank = ready.take();
    OfRank& at = ranks[rank];
    const ScheduledOperation* const before = at.next;
    advance<withData, order>(at, at.end);
    if (at.next > before)
      stretches.push_back({rank, static_cast<std::uint32_t>(at.next - before)});
    if (at.next < at.end)
      ready.wait(rank);
  }
}

std::uint64_t Executor::advance(OfRank& rank, const BodyTime& body) {
  Clocks at{rank.now, rank.dataEnd};
  const std::uint64_t left = body.advance(at);
  rank.now = at.computation, rank.dataEnd = at.data;
  return left;
}

Turn Executor::takeTurn(OfRank& rank, const Span* span) {
  const Turn turn = Turns::take(rank.turn, static_cast<std::size_t>(span - spans.data()));
  rank.special = spans.data() + rank.turn->pass;
  return turn;
}

std::uint64_t Executor::runBody(OfRank& rank, const ScheduledOperation* op, const Passes& of,
                                const Span* span) {
  const bool special = span == rank.special;
  const Turn turn = takeTurn(rank, span);
  const PassDurations::Taken* takes = &of.takes;
  if (unequal)
    takes = &durations[PassDurations::indexOf(
        of.copy * unequal->kinds() + unequal->kindOf(op->microBatch), op->kind)];
  if (takes->time != PassDurations::byClocks && !special)
    return rank.now += takes->time;
  return advance(rank, takes->clocks->of(turn));
}

std::uint64_t Executor::runPair(OfRank& rank, const ScheduledOperation* pair, const Passes& of,
                                const Span* span) {
  const bool first = takeTurn(rank, span).first, last = takeTurn(rank, span + 1).last;
  const PassTime* takes = of.takes.clocks;
  if (unequal)
    takes = durations[PassDurations::indexOf(of.copy * unequal->kinds() +
                                                 unequal->kindOf(pair[0].microBatch),
                                             OperationKind::PairedForward)]
                .clocks +
            unequal->kindOf(pair[1].microBatch);
  return advance(rank, takes->of({first, last}));
}

namespace {
/// ps of a merged pair that its forward is said to take: the share that its body has of both alone.
std::uint64_t forwardOf(std::uint64_t pair, std::uint64_t forward, std::uint64_t backward) {
  using Wide = Rational::Int;
  return forward + backward == 0
             ? 0
             : static_cast<std::uint64_t>(Wide(pair) * Wide(forward) / Wide(forward + backward));
}
} // namespace

template <bool withData, Executor::Order order>
LLVM_ATTRIBUTE_ALWAYS_INLINE void Executor::advance(OfRank& rank, const ScheduledOperation* stop) {
  const ScheduledOperation* next = rank.next;
  std::uint64_t now = rank.now;
  Span* span = rank.span;
  // No store below can change where they are.
  std::uint64_t* const arrivals = arrival.data();
  std::uint32_t* const turnOf = turnOnChannel.data();
  const auto passesOf = [of = rank.passes](const ScheduledOperation& op) -> const Passes& {
    return of[Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind)];
  };
  const auto messageOf = [](std::uint32_t first, const ScheduledOperation& op) {
    return std::size_t{first} + op.microBatch;
  };
  // Whether the input is there; of the first stage forward and of the last backward it is.
  const auto begins = [&](const ScheduledOperation& op, const Passes& of) {
    if (of.input == Route::none)
      return true;
    const std::uint64_t at = arrivals[messageOf(of.input, op)];
    if (order != Order::Given && at == never)
      return false;
    now = std::max(now, at);
    return true;
  };
  const auto takesInput = [&](const ScheduledOperation& op, const Passes& of) {
    if (order == Order::InTurn && of.from != Route::noChannel)
      rank.outOfTurn |= ++rank.taken[of.from] ^ turnOf[messageOf(of.input, op)];
  };
  // When the outputs of the pass leave.
  const auto runs = [&](const ScheduledOperation* op, const Passes& of) {
    const std::uint64_t begin = now;
    std::uint64_t left = 0;
    if (withData && (of.takes.time == PassDurations::byClocks || span == rank.special)) {
      rank.now = now, left = runBody(rank, op, of, span), now = rank.now;
    } else {
      left = now += of.takes.time;
    }
    *span++ = {begin, left};
    return left;
  };
  const auto leaves = [&](const ScheduledOperation& op, const Passes& of, std::uint64_t at) {
    if (of.output == Route::none)
      return;
    const std::size_t message = messageOf(of.output, op);
    if (of.to != Route::noChannel) {
      std::uint64_t& free = rank.link[of.to / 2];
      at = free = std::max(free, at) + of.takes.sending;
      if (!overlapped && at > now)
        rank.sending += at - now, now = at;
      if constexpr (order == Order::InTurn)
        turnOf[message] = ++rank.sent[of.to];
    }
    arrivals[message] = at;
    if constexpr (order != Order::Given)
      ready.wake(of.toRank);
  };
  while (next < stop) {
    const ScheduledOperation op = *next;
    const Passes& of = passesOf(op);
    if (!begins(op, of))
      break;
    if (LLVM_LIKELY(op.kind != OperationKind::PairedForward || next + 1 == rank.end)) {
      takesInput(op, of);
      leaves(op, of, runs(next, of));
      ++next;
      continue;
    }
    // Both begin when the inputs of both are there, and both outputs leave at the end.
    const ScheduledOperation with = next[1];
    const Passes& home = passesOf(with);
    if (!begins(with, home))
      break;
    takesInput(op, of), takesInput(with, home);
    const auto merged = [&] {
      const std::uint64_t begin = rank.now = now, left = runPair(rank, next, of, span);
      now = rank.now;
      const std::uint64_t half =
          begin + forwardOf(left - begin, durationOf(op.kind, times[of.copy]),
                            durationOf(with.kind, times[home.copy]));
      *span++ = {begin, half}, *span++ = {half, left};
      return left;
    };
    const auto apart = [&] {
      runs(next, of);
      return runs(next + 1, home);
    };
    const std::uint64_t end = withData && of.takes.merged ? merged() : apart();
    leaves(op, of, end), leaves(with, home, end);
    next += 2;
  }
  rank.next = next, rank.now = now, rank.span = span;
}

const Execution& Executor::finish() {
  for (const OfRank& rank : ranks) {
    result.makespan = std::max(result.makespan, rank.now);
    result.completed = result.completed && rank.next == rank.end;
  }
  turnsKept = turnsKept && tookInTurn();
  if (!result.completed)
    explain();
  return result;
}

bool Executor::tookInTurn() const {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const OfRank &before = ranks[(rank > 0 ? rank : ranks.size()) - 1], &at = ranks[rank],
                 &after = ranks[rank + 1 < ranks.size() ? rank + 1 : 0];
    const std::array<std::uint32_t, 4>& taken = at.taken;
    if (at.outOfTurn != 0 || taken[0] != before.sent[0] || taken[1] != before.sent[1] ||
        taken[2] != after.sent[2] || taken[3] != after.sent[3])
      return false;
  }
  return true;
}

void Executor::explain() {
  std::vector<std::vector<Waiting>> edges(lists.size());
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledOperation* op = ranks[rank].next; op < ranks[rank].end; ++op) {
      const Route& route = routes.of(rank, *op);
      if (route.input != Route::none && arrival[route.input + op->microBatch] == never)
        edges[rank].push_back({rank, *op, route.fromRank, true});
      if (op->kind != OperationKind::PairedForward)
        break;
    }
  result.waiting = shortestCircle(edges);
}
