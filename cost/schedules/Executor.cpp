//===- Executor.cpp - Runs the lists of all pipeline ranks against one another ----------------===//
#include "cost/schedules/Executor.h"
#include "cost/schedules/Waiting.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void PassDurations::assign(llvm::ArrayRef<PieceTime> times, llvm::ArrayRef<PieceClocks> clocks) {
  all.clear();
  const std::size_t pieces = std::max(times.size(), clocks.size());
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t kind = 0; kind < Routes::kinds; ++kind) {
      const auto op = static_cast<OperationKind>(kind);
      const PieceTime& time = times[piece * times.size() / pieces];
      const PassTime* body = clocks.empty() ? nullptr : &clocks[piece].of(op);
      const std::uint64_t alone =
          pieces > times.size() ? body->every.alone() : durationOf(op, time);
      all.push_back({body && !body->every.plain() ? byClocks : alone,
                     isForward(op) ? time.sendForward : time.sendBackward, body,
                     body && clocks[piece].merges(op)});
    }
}

void Executor::begin(const Placement& placement, std::uint64_t count) {
  assert(lists.size() == placement.ranks);
  routes.assign(placement, count);
  durations.assign(times, clocks);
  passes.clear();
  for (const Route& route : routes.passes()) {
    const auto kind = static_cast<OperationKind>(passes.size() % Routes::kinds);
    const std::size_t piece = route.copy * (unequal ? unequal->kinds() : 1);
    passes.push_back({durations[PassDurations::indexOf(piece, kind)], route.input, route.output,
                      route.outputLink, route.toRank, route.copy});
    if (route.receives())
      passes.back().from = 4 * route.fromRank + route.inputChannel;
    if (route.sends()) // to a neighbour on its link, two a rank
      passes.back().to = 4 * (route.outputLink / 2) + route.outputChannel;
    if (unequal) // what they take has runBody, here is what is sent
      passes.back().takes.time = PassDurations::byClocks;
  }
  if (!clocks.empty())
    turns.assign(lists, placement.chunks);
  ranks.clear(), firstStart.clear();
  std::size_t operations = 0;
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    OfRank& of = ranks.emplace_back();
    of.next = lists[rank].begin(), of.end = lists[rank].end(), of.index = operations;
    of.passes = passes.data() + rank * routes.chunks() * Routes::kinds;
    of.turn = clocks.empty() ? nullptr : turns.of(rank);
    firstStart.push_back(operations);
    operations += lists[rank].size();
  }
  arrival.resize_for_overwrite(routes.messages());
  starts.resize_for_overwrite(operations), ends.resize_for_overwrite(operations);
  link.assign(2 * placement.ranks, 0);
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
    sent.assign(4 * ranks.size(), 0), taken.assign(4 * ranks.size(), 0);
    lookFor<withData, Order::InTurn>();
  } else {
    lookFor<withData, Order::Any>();
  }
}

template <bool withData, Executor::Order order> void Executor::lookFor() {
  stretches.clear();
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

std::uint64_t Executor::runBody(OfRank& rank, const ScheduledOperation& op, const Passes& of,
                                std::size_t index, std::uint64_t& now) {
  const bool special = index == rank.turn->pass;
  const Turn turn = special ? (rank.turn++)->turn : Turn();
  const PassDurations::Taken* takes = &of.takes;
  if (unequal)
    takes = &durations[PassDurations::indexOf(
        of.copy * unequal->kinds() + unequal->kindOf(op.microBatch), op.kind)];
  if (takes->time != PassDurations::byClocks && !special)
    return now += takes->time;
  Clocks at{now, rank.dataEnd};
  const std::uint64_t left = takes->clocks->of(turn).advance(at);
  now = at.computation, rank.dataEnd = at.data;
  return left;
}

std::uint64_t Executor::runPair(OfRank& rank, const ScheduledOperation* pair, const Passes& of,
                                std::size_t index, std::uint64_t& now) {
  const bool first = Turns::take(rank.turn, index).first,
             last = Turns::take(rank.turn, index + 1).last;
  const PassTime* takes = of.takes.clocks;
  if (unequal)
    takes = durations[PassDurations::indexOf(of.copy * unequal->kinds() +
                                                 unequal->kindOf(pair[0].microBatch),
                                             OperationKind::PairedForward)]
                .clocks +
            unequal->kindOf(pair[1].microBatch);
  Clocks at{now, rank.dataEnd};
  const std::uint64_t left = takes->of({first, last}).advance(at);
  now = at.computation, rank.dataEnd = at.data;
  return left;
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
  std::size_t i = rank.index;
  // No store below can change where they are.
  std::uint64_t *const arrivals = arrival.data(), *const startOf = starts.data(),
                       *const endOf = ends.data(), *const links = link.data();
  std::uint32_t *const sends = sent.data(), *const takes = taken.data(),
                       *const turnOf = turnOnChannel.data();
  bool kept = true;
  const auto passesOf = [of = rank.passes](const ScheduledOperation& op) -> const Passes& {
    return of[Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind)];
  };
  // Whether the input is there; of the first stage forward and of the last backward it is.
  const auto begins = [&](const ScheduledOperation& op, const Passes& of) {
    if (of.input == Route::none)
      return true;
    const std::uint64_t at = arrivals[of.input + op.microBatch];
    if (order != Order::Given && at == never)
      return false;
    now = std::max(now, at);
    return true;
  };
  const auto takesInput = [&](const ScheduledOperation& op, const Passes& of) {
    if (order == Order::InTurn && of.from != Route::none)
      kept &= ++takes[of.from] == turnOf[of.input + op.microBatch];
  };
  // When the outputs of the pass leave.
  const auto runs = [&](const ScheduledOperation& op, const Passes& of) {
    startOf[i] = now;
    std::uint64_t left = 0;
    if (withData && (of.takes.time == PassDurations::byClocks || i == rank.turn->pass))
      left = runBody(rank, op, of, i, now);
    else
      left = now += of.takes.time;
    return endOf[i++] = left;
  };
  const auto leaves = [&](const ScheduledOperation& op, const Passes& of, std::uint64_t at) {
    if (of.output == Route::none)
      return;
    if (of.link != Route::none) {
      std::uint64_t& free = links[of.link];
      at = free = std::max(free, at) + of.takes.sending;
      if (!overlapped && at > now)
        rank.sending += at - now, now = at;
    }
    std::uint64_t& there = arrivals[of.output + op.microBatch];
    if constexpr (order == Order::InTurn) {
      kept &= there == never;
      if (of.to != Route::none)
        turnOf[of.output + op.microBatch] = ++sends[of.to];
    }
    there = at;
    if constexpr (order != Order::Given)
      ready.wake(of.toRank);
  };
  while (next < stop) {
    const ScheduledOperation op = *next;
    const Passes& of = passesOf(op);
    if (!begins(op, of))
      break;
    if (op.kind != OperationKind::PairedForward || next + 1 == rank.end) {
      takesInput(op, of);
      leaves(op, of, runs(op, of));
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
      const std::uint64_t begin = now, left = runPair(rank, next, of, i, now);
      startOf[i] = begin, endOf[i + 1] = left;
      endOf[i] = startOf[i + 1] =
          begin + forwardOf(left - begin, durationOf(op.kind, times[of.copy]),
                            durationOf(with.kind, times[home.copy]));
      i += 2;
      return left;
    };
    const auto apart = [&] {
      runs(op, of);
      return runs(with, home);
    };
    const std::uint64_t end = withData && of.takes.merged ? merged() : apart();
    leaves(op, of, end), leaves(with, home, end);
    next += 2;
  }
  rank.next = next, rank.now = now, rank.index = i;
  if constexpr (order == Order::InTurn)
    turnsKept = turnsKept && kept;
}

const Execution& Executor::finish() {
  for (const OfRank& rank : ranks) {
    result.makespan = std::max(result.makespan, rank.now);
    result.completed = result.completed && rank.next == rank.end;
  }
  if (!result.completed)
    explain();
  return result;
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
