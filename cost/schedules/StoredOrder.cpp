//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/schedules/StoredOrder.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

StoredOrder::StoredOrder(const Placement& placement, std::uint64_t microBatches,
                         Executor::Lists lists, llvm::ArrayRef<Stretch> order,
                         const MicroBatchCosts& costs) {
  const Routes routes(placement, microBatches);
  links.resize(2 * placement.ranks);
  swept.resize(placement.ranks);
  firstOf.resize(placement.ranks);
  std::size_t all = 0;
  for (const llvm::ArrayRef<ScheduledOperation> list : lists)
    all += list.size();
  passes.resize(all);
  const bool equal = costs.equal();
  TurnCounter turnOf;
  turnOf.assign(placement.copies(), microBatches / placement.directions());
  // A slot holds another message when one was taken, so that all stay near: but for those of a
  // rank's first passes, which say when it begins.
  std::vector<std::uint32_t> slotOf(routes.messages()), freeSlots(routes.messages());
  std::uint32_t slots = 0, *free = freeSlots.data(); // behind those that are free
  // What passes of a kind of a copy have in common; of messages those of micro-batch 0.
  std::vector<Pass> alike(routes.passes().size());
  for (std::size_t i = 0; i < alike.size(); ++i) {
    const Route& route = routes.passes()[i];
    const auto kind = static_cast<OperationKind>(i % Routes::kinds);
    Pass& pass = alike[i];
    pass.input = route.input, pass.output = route.output;
    pass.kind =
        static_cast<std::uint32_t>(PassDurations::indexOf(route.copy * costs.kinds(), kind));
    pass.rank = static_cast<std::uint32_t>(i / (Routes::kinds * placement.chunks));
    pass.crosses = route.sends(), pass.back = route.sends() && route.outputLink % 2 == 1;
    pass.pairs = kind == OperationKind::PairedForward;
  }
  std::vector<std::size_t> next(placement.ranks, 0);
  Pass* to = passes.data();
  for (const Stretch& stretch : order) {
    const std::size_t firstAlike = stretch.rank * placement.chunks * Routes::kinds;
    std::size_t done = next[stretch.rank];
    if (done == 0)
      firstOf[stretch.rank] = static_cast<std::uint32_t>(to - passes.data());
    for (const ScheduledOperation op : lists[stretch.rank].slice(done, stretch.passes)) {
      const std::size_t kind = Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind);
      Pass& pass = *to++;
      pass = alike[firstAlike + kind];
      if (pass.input != none) {
        pass.input = slotOf[pass.input + op.microBatch];
        if (done > 1) // of a pair are two
          *free++ = pass.input;
      }
      if (pass.output != none)
        pass.output = slotOf[pass.output + op.microBatch] =
            free == freeSlots.data() ? slots++ : *--free;
      if (!equal)
        pass.kind += static_cast<std::uint32_t>(Routes::kinds * costs.kindOf(op.microBatch));
      const Turn turn = turnOf.next(routes.passes()[firstAlike + kind].copy, op.kind);
      if (turn.first)
        pass.first = true;
      if (turn.last)
        pass.last = true;
      ++done;
    }
    next[stretch.rank] = done;
  }
  arrival.resize(slots);
  assert(to == passes.data() + all && "lists that hang have no order");
}

void StoredOrder::sweep(llvm::ArrayRef<PieceTime> pieces, bool overlapped,
                        llvm::ArrayRef<PieceClocks> withClocks) {
  clocks = withClocks;
  std::fill(links.begin(), links.end(), 0);
  std::fill(swept.begin(), swept.end(), SweptRank{});
  durations.assign(pieces, clocks);
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
    if (pass.pairs)
      now = std::max(now, ready((&pass)[1]));
    std::uint64_t left = 0;
    const std::uint64_t duration = durations[pass.kind].time;
    if (withData && (pass.first || pass.last || duration == PassDurations::byClocks)) {
      Clocks at{now, rank.dataEnd};
      left = clocks[PassDurations::pieceOf(pass.kind)]
                 .of(PassDurations::kindOf(pass.kind))
                 .of({pass.first != 0, pass.last != 0})
                 .advance(at);
      now = at.computation, rank.dataEnd = at.data;
    } else {
      left = now += duration;
    }
    // What the first of a pair makes leaves with what the second makes.
    const auto leaves = [&](const Pass& of) {
      if (of.output == none)
        return;
      std::uint64_t there = left;
      if (of.crosses) {
        std::uint64_t& free = links[2 * of.rank + of.back];
        there = free = std::max(free, left) + durations[of.kind].sending;
        if (!overlapped && there > now)
          rank.sending += there - now, now = there;
      }
      arrival[of.output] = there;
    };
    if (behindFirst)
      leaves((&pass)[-1]);
    if (!pass.pairs)
      leaves(pass);
    behindFirst = pass.pairs;
    rank.end = now;
  }
  for (std::size_t r = 0; r < swept.size(); ++r) {
    const Pass& first = passes[firstOf[r]];
    swept[r].begin = std::max(ready(first), first.pairs ? ready((&first)[1]) : 0);
  }
}
