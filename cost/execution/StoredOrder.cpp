//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/execution/StoredOrder.h"
#include <algorithm>
#include <cassert>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

StoredOrder::StoredOrder(const Placement& where, std::uint64_t count, OperationLists of,
                         const Executor& ran, MicroBatchCosts each)
    : placement(where), microBatches(count), lists(std::move(of)),
      order(ran.order().begin(), ran.order().end()), costs(std::move(each)) {
  swept.reserve(lists.size());
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    swept.push_back({ran.start(rank, 0), ran.end(rank), ran.dataEnd(rank), ran.sending(rank)});
    all += lists[rank].size();
  }
}

void StoredOrder::sweep(llvm::ArrayRef<PieceTime> times, bool overlapped,
                        llvm::ArrayRef<PieceClocks> clocks) {
  if (passes.empty())
    store();
  at.assign(clocksOfRank * placement.ranks, 0);
  std::fill(swept.begin(), swept.end(), SweptRank{});
  durations.assign(times, clocks);
  if (clocks.empty())
    overlapped ? sweep<false, true>() : sweep<false, false>();
  else
    overlapped ? sweep<true, true>() : sweep<true, false>();
  for (std::size_t rank = 0; rank < swept.size(); ++rank)
    swept[rank].end = at[clocksOfRank * rank + computation];
}

void StoredOrder::store() {
  const Routes routes(placement, microBatches);
  passes.resize(all);
  const bool equal = costs.equal();
  Turns turns;
  turns.assign(std::vector<llvm::ArrayRef<ScheduledOperation>>(lists.begin(), lists.end()),
               placement.chunks);
  // A slot holds another message when one was taken, so that all stay near.
  std::vector<std::uint32_t> slotOf(routes.messages()), freeSlots(routes.messages());
  std::uint32_t slots = unread + 1, *free = freeSlots.data(); // behind those that are free
  // What passes of a kind of a copy have in common.
  std::vector<Pass> alike(routes.passes().size());
  for (std::size_t i = 0; i < alike.size(); ++i) {
    const Route& route = routes.passes()[i];
    const auto kind = static_cast<OperationKind>(i % Routes::kinds);
    const std::size_t rank = i / (Routes::kinds * placement.chunks);
    alike[i].kind =
        static_cast<std::uint32_t>(PassDurations::indexOf(route.copy * costs.kinds(), kind));
    alike[i].link = static_cast<std::uint32_t>(clocksOfRank * rank) +
                    (route.sends() ? route.outputChannel / 2U : none);
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
    const OperationList& list = lists[stretch.rank];
    OfRank& of = next[stretch.rank];
    bool behindFirst = false; // the pass is the second of a pair
    for (const std::size_t end = of.done + stretch.passes; of.done < end; ++of.done, ++to) {
      const ScheduledOperation op = list[of.done];
      const std::size_t kind = (stretch.rank * placement.chunks + op.chunk) * Routes::kinds +
                               static_cast<std::size_t>(op.kind);
      const Route& route = routes.passes()[kind];
      *to = alike[kind];
      if (route.input != Route::none)
        *free++ = to->input = slotOf[route.input + op.microBatch];
      if (route.output != Route::none)
        to->output = slotOf[route.output + op.microBatch] =
            free == freeSlots.data() ? slots++ : *--free;
      if (!equal)
        to->kind += static_cast<std::uint32_t>(Routes::kinds * costs.kindOf(op.microBatch));
      const Turn turn = Turns::take(of.turn, of.first + of.done);
      if (std::exchange(behindFirst, false)) {
        specials.back().turnBehind = turn;
        continue;
      }
      behindFirst = op.kind == OperationKind::PairedForward && of.done + 1 < list.size();
      if (behindFirst || turn.first || turn.last)
        specials.push_back(
            {static_cast<std::size_t>(to - passes.data()), behindFirst, of.done == 0, turn, {}});
    }
  }
  specials.push_back({all, false, false, {}, {}}); // behind all of them
  arrival.resize(slots);
  assert(to == passes.data() + all && "lists that hang have no order");
  lists.clear(), lists.shrink_to_fit(), order.clear(), order.shrink_to_fit();
}

/// Which passes come next nobody can predict, so ordinary ones have no branch.
template <bool withData, bool overlapped> void StoredOrder::sweep() {
  // No store below moves them.
  std::uint64_t *const arrivals = arrival.data(), *const clocks = at.data();
  const PassDurations::Taken* const takes = durations.all().data();
  const auto send = [&](const Pass& of, std::uint64_t left) {
    const std::uint64_t there = std::max(clocks[of.link], left) + takes[of.kind].sending;
    clocks[of.link] = there;
    arrivals[of.output] = of.crosses() ? there : left;
    if (std::uint64_t& now = clocks[of.own()]; !overlapped && of.crosses() && there > now)
      swept[of.rank()].sending += there - now, now = there;
  };
  const Pass* pass = passes.data();
  for (const Special& special : specials) {
    for (const Pass* const next = passes.data() + special.pass; pass < next; ++pass) {
      std::uint64_t& now = clocks[pass->own()];
      const std::uint64_t begin = std::max(now, arrivals[pass->input]);
      if (withData && takes[pass->kind].time == PassDurations::byClocks)
        now = begin, send(*pass, run(*pass, {}));
      else
        send(*pass, now = begin + takes[pass->kind].time);
    }
    if (special.pass == passes.size())
      break;
    std::uint64_t& now = clocks[pass->own()];
    now = std::max(now, arrivals[pass->input]);
    if (special.pairs) // begins when the inputs of both are there
      now = std::max(now, arrivals[pass[1].input]);
    if (special.begins)
      swept[pass->rank()].begin = now;
    const std::uint64_t left = special.pairs ? runPair(pass, special) : run(*pass, special.turn);
    for (std::size_t i = 0; i < (special.pairs ? 2 : 1); ++i) // both outputs leave at the end
      send(*pass++, left);
  }
}

std::uint64_t StoredOrder::take(const Pass& pass, const BodyTime& body) {
  std::uint64_t &now = at[pass.own()], &dataEnd = swept[pass.rank()].dataEnd;
  Clocks clocks{now, dataEnd};
  const std::uint64_t left = body.advance(clocks);
  now = clocks.computation, dataEnd = clocks.data;
  return left;
}

std::uint64_t StoredOrder::run(const Pass& pass, Turn turn) {
  const PassDurations::Taken& takes = durations[pass.kind];
  const bool ordinary = takes.time != PassDurations::byClocks && !turn.first && !turn.last;
  return takes.clocks && !ordinary ? take(pass, takes.clocks->of(turn))
                                   : at[pass.own()] += takes.time;
}

std::uint64_t StoredOrder::runPair(const Pass* pair, const Special& of) {
  const PassDurations::Taken& takes = durations[pair->kind];
  if (takes.merged) {
    const PassTime& both = takes.clocks[pair[1].kind / Routes::kinds % costs.kinds()];
    return take(*pair, both.of({of.turn.first, of.turnBehind.last}));
  }
  run(pair[0], of.turn);
  return run(pair[1], of.turnBehind);
}
