//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/schedules/StoredOrder.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

StoredOrder::StoredOrder(const Placement& placement, std::uint64_t microBatches,
                         Executor::Lists lists) {
  const Routes routes(placement, microBatches);
  arrival.assign(routes.messages(), 0);
  links.resize(2 * placement.ranks);
  swept.resize(placement.ranks);
  firstOf.resize(placement.ranks);
  std::size_t all = 0;
  for (const llvm::ArrayRef<ScheduledOperation> list : lists)
    all += list.size();
  passes.reserve(all);
  TurnCounter turnOf;
  turnOf.assign(placement.copies(), microBatches / placement.directions());
  std::vector<std::size_t> next(placement.ranks, 0);
  ReadyRanks ready;
  for (ready.assign(placement.ranks); !ready.empty();) {
    const std::uint64_t rank = ready.take();
    const Routes::OfRank routeOf = routes.ofRank(rank);
    const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
    std::size_t i = next[rank];
    const auto begins = [&](const ScheduledOperation& op) {
      const Route& route = routeOf(op);
      return route.input == Route::none || arrival[route.input + op.microBatch] != 0;
    };
    for (; i < list.size(); ++i) {
      const ScheduledOperation op = list[i];
      // Both passes of a pair stand together, of which each needs the inputs of both.
      if (!begins(op) || (op.kind == OperationKind::PairedForward && !begins(list[i + 1]))) {
        ready.wait(rank);
        break;
      }
      const Route& route = routeOf(op);
      Pass pass;
      if (route.input != Route::none)
        pass.input = route.input + op.microBatch;
      if (route.output != Route::none) {
        pass.output = route.output + op.microBatch;
        pass.link = route.outputLink;
        arrival[pass.output] = 1;
        ready.wake(route.toRank);
      }
      pass.copy = route.copy, pass.rank = static_cast<std::uint32_t>(rank), pass.kind = op.kind;
      const Turn turn = turnOf.next(pass.copy, op.kind);
      pass.first = turn.first, pass.last = turn.last;
      if (i == 0)
        firstOf[rank] = static_cast<std::uint32_t>(passes.size());
      passes.push_back(pass);
    }
    next[rank] = i;
  }
  assert(passes.size() == all && "lists that hang have no order");
}

void StoredOrder::sweep(llvm::ArrayRef<PieceTime> pieces, bool overlapped,
                        llvm::ArrayRef<PieceClocks> withClocks) {
  times = pieces, clocks = withClocks;
  std::fill(links.begin(), links.end(), 0);
  std::fill(swept.begin(), swept.end(), SweptRank{});
  durations.assign(times, clocks);
  if (clocks.empty())
    sweep<false>(overlapped);
  else
    sweep<true>(overlapped);
}

template <bool withData> void StoredOrder::sweep(bool overlapped) {
  bool behindFirst = false; // the pass is the second of a pair
  for (const Pass& pass : passes) {
    SweptRank& rank = swept[pass.rank];
    std::uint64_t now = std::max(rank.end, ready(pass));
    const bool paired = pass.kind == OperationKind::PairedForward;
    if (paired)
      now = std::max(now, ready((&pass)[1]));
    std::uint64_t left = 0;
    const std::uint64_t duration = durations.of(pass.copy, pass.kind);
    if (withData && (pass.first || pass.last || duration == PassDurations::byClocks)) {
      Clocks at{now, rank.dataEnd};
      left = clocks[pass.copy].of(pass.kind).of({pass.first, pass.last}).advance(at);
      now = at.computation, rank.dataEnd = at.data;
    } else {
      left = now += duration;
    }
    // What the first of a pair makes leaves with what the second makes.
    const auto leaves = [&](const Pass& of) {
      if (of.output == none)
        return;
      std::uint64_t there = left;
      if (of.link != none) {
        std::uint64_t& free = links[of.link];
        const PieceTime& time = times[of.copy];
        there = free =
            std::max(free, left) + (isForward(of.kind) ? time.sendForward : time.sendBackward);
        if (!overlapped && there > now)
          rank.sending += there - now, now = there;
      }
      arrival[of.output] = there;
    };
    if (behindFirst)
      leaves((&pass)[-1]);
    if (!paired)
      leaves(pass);
    behindFirst = paired;
    rank.end = now;
  }
  for (std::size_t r = 0; r < swept.size(); ++r) {
    const Pass& first = passes[firstOf[r]];
    const bool paired = first.kind == OperationKind::PairedForward;
    swept[r].begin = std::max(ready(first), paired ? ready((&first)[1]) : 0);
  }
}
