//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/schedules/StoredOrder.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

StoredOrder::StoredOrder(const Placement& where, std::uint64_t count, OperationLists of,
                         const Executor& ran, MicroBatchCosts each)
    : placement(where), microBatches(count), lists(std::move(of)),
      order(ran.order().begin(), ran.order().end()), costs(std::move(each)) {
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    swept.push_back({ran.start(rank, 0), ran.end(rank), ran.dataEnd(rank), ran.sending(rank)});
    all += lists[rank].size();
  }
}

void StoredOrder::sweep(llvm::ArrayRef<PieceTime> times, bool overlapped,
                        llvm::ArrayRef<PieceClocks> clocks) {
  if (passes.empty())
    store();
  std::fill(links.begin(), links.end(), 0);
  std::fill(swept.begin(), swept.end(), SweptRank{});
  durations.assign(times, clocks);
  if (clocks.empty())
    sweep<false>(overlapped);
  else
    sweep<true>(overlapped);
}

void StoredOrder::store() {
  const Routes routes(placement, microBatches);
  links.resize(2 * placement.ranks);
  firstOf.resize(placement.ranks);
  passes.resize(all);
  const bool equal = costs.equal();
  Turns turns;
  turns.assign(std::vector<llvm::ArrayRef<ScheduledOperation>>(lists.begin(), lists.end()),
               placement.chunks);
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
  /// How far a rank is in its list, and in which of its turns.
  struct OfRank {
    std::size_t done = 0, first = 0;
    const Turns::Special* turn = nullptr;
  };
  std::vector<OfRank> next;
  for (std::size_t rank = 0, first = 0; rank < placement.ranks; first += lists[rank++].size())
    next.push_back({0, first, turns.of(rank)});
  Pass* to = passes.data();
  for (const Stretch& stretch : order) {
    const std::size_t firstAlike = stretch.rank * placement.chunks * Routes::kinds;
    OfRank& of = next[stretch.rank];
    std::size_t done = of.done;
    if (done == 0)
      firstOf[stretch.rank] = static_cast<std::uint32_t>(to - passes.data());
    for (const ScheduledOperation op :
         llvm::makeArrayRef(lists[stretch.rank]).slice(done, stretch.passes)) {
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
      if (of.first + done == of.turn->pass) {
        pass.first = of.turn->turn.first, pass.last = of.turn->turn.last;
        ++of.turn;
      }
      ++done;
    }
    of.done = done;
  }
  arrival.resize(slots);
  assert(to == passes.data() + all && "lists that hang have no order");
  lists.clear(), lists.shrink_to_fit(), order.clear(), order.shrink_to_fit();
}

template <bool withData> void StoredOrder::sweep(bool overlapped) {
  bool behindFirst = false;   // the pass is the second of a pair
  std::uint64_t pairLeft = 0; // when the outputs of a merged pair leave
  for (const Pass& pass : passes) {
    SweptRank& rank = swept[pass.rank];
    std::uint64_t now = std::max(rank.end, ready(pass));
    if (pass.pairs)
      now = std::max(now, ready((&pass)[1]));
    std::uint64_t left = 0;
    const PassDurations::Taken& takes = durations[pass.kind];
    if (withData && takes.merged) {
      const Pass& with = (&pass)[1];
      Clocks at{now, rank.dataEnd};
      const PassTime& both = takes.clocks[with.kind / Routes::kinds % costs.kinds()];
      left = pairLeft = both.of({pass.first != 0, with.last != 0}).advance(at);
      now = at.computation, rank.dataEnd = at.data;
    } else if (withData && behindFirst && durations[(&pass)[-1].kind].merged) {
      left = pairLeft;
    } else if (withData && (pass.first || pass.last || takes.time == PassDurations::byClocks)) {
      Clocks at{now, rank.dataEnd};
      left = takes.clocks->of({pass.first != 0, pass.last != 0}).advance(at);
      now = at.computation, rank.dataEnd = at.data;
    } else {
      left = now += takes.time;
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
