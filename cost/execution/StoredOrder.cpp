//===- StoredOrder.cpp - Executes actions in an order that was found once ---------------------===//
#include "cost/execution/StoredOrder.h"
#include <algorithm>
#include <cassert>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

StoredOrder::StoredOrder(const Placement& where, std::uint64_t count, PerRankSchedules of,
                         const Executor& ran, MicroBatchCosts each)
    : placement(where), microBatches(count), schedules(std::move(of)),
      order(ran.order().begin(), ran.order().end()), costs(std::move(each)) {
  swept.reserve(schedules.size());
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    swept.push_back({ran.start(rank, 0), ran.end(rank), ran.dataEnd(rank), ran.sending(rank)});
    all += schedules[rank].size();
  }
}

void StoredOrder::sweep(llvm::ArrayRef<ChunkTime> times, bool overlapped,
                        llvm::ArrayRef<ChunkClocks> clocks) {
  if (actions.empty())
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
  actions.resize(all);
  const bool equal = costs.equal();
  FirstLastActions turns;
  turns.assign(std::vector<llvm::ArrayRef<ScheduledAction>>(schedules.begin(), schedules.end()),
               placement.chunks);
  // Received messages free their slot for later ones, which keeps the array small.
  std::vector<std::uint32_t> slotOf(routes.messages()), freeSlots(routes.messages());
  std::uint32_t slots = unread + 1, *free = freeSlots.data(); // end of the free slots
  // The values that actions of one kind of a stage replica share.
  std::vector<StoredAction> alike(routes.actions().size());
  for (std::size_t i = 0; i < alike.size(); ++i) {
    const Route& route = routes.actions()[i];
    const auto kind = static_cast<ActionKind>(i % Routes::kinds);
    const std::size_t rank = i / (Routes::kinds * placement.chunks);
    alike[i].kind = static_cast<std::uint32_t>(
        ActionDurations::indexOf(route.stageReplica * costs.kinds(), kind));
    alike[i].link = static_cast<std::uint32_t>(clocksOfRank * rank) +
                    (route.sends() ? route.outputChannel / 2U : none);
  }
  /// The position of a rank in its schedule and in its first and last actions.
  struct OfRank {
    std::size_t done = 0, first = 0;
    const FirstLastActions::FirstLastAction* turn = nullptr;
  };
  std::vector<OfRank> next;
  for (std::size_t rank = 0, first = 0; rank < placement.ranks; first += schedules[rank++].size())
    next.push_back({0, first, turns.of(rank)});
  StoredAction* to = actions.data();
  for (const ActionRun& stretch : order) {
    const ActionList& schedule = schedules[stretch.rank];
    OfRank& of = next[stretch.rank];
    bool behindFirst = false; // the action is the second of a pair
    for (const std::size_t end = of.done + stretch.actions; of.done < end; ++of.done, ++to) {
      const ScheduledAction op = schedule[of.done];
      const std::size_t kind = (stretch.rank * placement.chunks + op.chunk) * Routes::kinds +
                               static_cast<std::size_t>(op.kind);
      const Route& route = routes.actions()[kind];
      *to = alike[kind];
      if (route.input != Route::none)
        *free++ = to->input = slotOf[route.input + op.microBatch];
      if (route.output != Route::none)
        to->output = slotOf[route.output + op.microBatch] =
            free == freeSlots.data() ? slots++ : *--free;
      if (!equal)
        to->kind += static_cast<std::uint32_t>(Routes::kinds * costs.kindOf(op.microBatch));
      const FirstLast firstLast = FirstLastActions::next(of.turn, of.first + of.done);
      if (std::exchange(behindFirst, false)) {
        specials.back().nextFirstLast = firstLast;
        continue;
      }
      behindFirst = op.kind == ActionKind::PairedForward && of.done + 1 < schedule.size();
      if (behindFirst || firstLast.first || firstLast.last)
        specials.push_back({static_cast<std::size_t>(to - actions.data()),
                            behindFirst,
                            of.done == 0,
                            firstLast,
                            {}});
    }
  }
  specials.push_back({all, false, false, {}, {}}); // marks the end
  arrival.resize(slots);
  assert(to == actions.data() + all && "lists that hang have no order");
  schedules.clear(), schedules.shrink_to_fit(), order.clear(), order.shrink_to_fit();
}

/// The order of actions is unpredictable, so this loop has no branches for ordinary ones.
template <bool withData, bool overlapped> void StoredOrder::sweep() {
  // The stores below do not move these arrays.
  std::uint64_t *const arrivals = arrival.data(), *const clocks = at.data();
  const ActionDurations::ActionDuration* const takes = durations.all().data();
  const auto send = [&](const StoredAction& of, std::uint64_t left) {
    const std::uint64_t there = std::max(clocks[of.link], left) + takes[of.kind].sending;
    clocks[of.link] = there;
    arrivals[of.output] = of.crosses() ? there : left;
    if (std::uint64_t& now = clocks[of.computationClock()];
        !overlapped && of.crosses() && there > now)
      swept[of.rank()].sending += there - now, now = there;
  };
  const StoredAction* action = actions.data();
  for (const SpecialAction& special : specials) {
    for (const StoredAction* const next = actions.data() + special.action; action < next;
         ++action) {
      std::uint64_t& now = clocks[action->computationClock()];
      const std::uint64_t begin = std::max(now, arrivals[action->input]);
      if (withData && takes[action->kind].time == ActionDurations::byClocks)
        now = begin, send(*action, run(*action, {}));
      else
        send(*action, now = begin + takes[action->kind].time);
    }
    if (special.action == actions.size())
      break;
    std::uint64_t& now = clocks[action->computationClock()];
    now = std::max(now, arrivals[action->input]);
    if (special.pairs) // begins when both inputs have arrived
      now = std::max(now, arrivals[action[1].input]);
    if (special.begins)
      swept[action->rank()].begin = now;
    const std::uint64_t left =
        special.pairs ? runPair(action, special) : run(*action, special.firstLast);
    for (std::size_t i = 0; i < (special.pairs ? 2 : 1); ++i) // both outputs leave at the end
      send(*action++, left);
  }
}

std::uint64_t StoredOrder::advance(const StoredAction& action, const ProgramTime& program) {
  std::uint64_t &now = at[action.computationClock()], &dataEnd = swept[action.rank()].dataEnd;
  Clocks clocks{now, dataEnd};
  const std::uint64_t left = program.advance(clocks);
  now = clocks.computation, dataEnd = clocks.data;
  return left;
}

std::uint64_t StoredOrder::run(const StoredAction& action, FirstLast firstLast) {
  const ActionDurations::ActionDuration& takes = durations[action.kind];
  const bool ordinary =
      takes.time != ActionDurations::byClocks && !firstLast.first && !firstLast.last;
  return takes.clocks && !ordinary ? advance(action, takes.clocks->of(firstLast))
                                   : at[action.computationClock()] += takes.time;
}

std::uint64_t StoredOrder::runPair(const StoredAction* pair, const SpecialAction& of) {
  const ActionDurations::ActionDuration& takes = durations[pair->kind];
  if (takes.merged) {
    const ActionTime& both = takes.clocks[pair[1].kind / Routes::kinds % costs.kinds()];
    return advance(*pair, both.of({of.firstLast.first, of.nextFirstLast.last}));
  }
  run(pair[0], of.firstLast);
  return run(pair[1], of.nextFirstLast);
}
