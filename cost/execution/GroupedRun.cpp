//===- GroupedRun.cpp - Runs all schedules with grouped exchanges -----------------------------===//
#include "cost/execution/GroupedRun.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

#define MASK(SET)                                                                                  \
  { -((SET)&1), -((SET) >> 1 & 1), -((SET) >> 2 & 1), -((SET) >> 3 & 1) }
const GroupedRun::ChannelCounts GroupedRun::masks[16] = {
    MASK(0), MASK(1), MASK(2),  MASK(3),  MASK(4),  MASK(5),  MASK(6),  MASK(7),
    MASK(8), MASK(9), MASK(10), MASK(11), MASK(12), MASK(13), MASK(14), MASK(15)};
#undef MASK

bool GroupedRun::run(const Placement& placement, std::uint64_t microBatches,
                     Executor::PerRankScheduleRefs all, Exchanges& exchanges) {
  schedules = all;
  groups.assign(placement, microBatches, schedules, exchanges);
  actionRuns.clear();
  ranks.assign(placement.ranks, {});
  if (!groups.inSendOrder())
    return false;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const GroupStep first = groups.of(rank).front();
    ranks[rank].sent -= masks[first.sends()], ranks[rank].received -= masks[first.receives()];
    ranks[rank].needed -= masks[first.needs()];
    ranks[rank].next = static_cast<std::uint32_t>(rank + 1 < ranks.size() ? rank + 1 : 0);
    ranks[rank].last = static_cast<std::uint32_t>((rank > 0 ? rank : ranks.size()) - 1);
  }
  std::uint64_t done = 0;
  for (ready.assign(placement.ranks); !ready.empty();) {
    const std::uint32_t rank = ready.pop();
    if (advance(rank))
      ++done;
    else
      ready.wait(rank);
  }
  return done == placement.ranks;
}

bool GroupedRun::advance(std::size_t rank) {
  ExchangingRank& at = ranks[rank];
  const llvm::ArrayRef<GroupStep> steps = groups.of(rank);
  const ChannelCounts takenThere = this->receivedThere(at), sentThere = this->sentThere(at);
  ChannelCounts sent = at.sent, taken = at.received, made = at.made, needed = at.needed;
  const auto lacks = [&](GroupStep step) {
    return any(((takenThere < sent) & masks[step.waitsForSends()]) |
               ((sentThere < taken) & masks[step.waitsForReceives()]) |
               (((sentThere < needed) | (taken < needed)) & masks[step.needs()]) | (made < sent));
  };
  std::size_t i = at.step;
  std::uint32_t passes = 0;
  unsigned posts = 0;
  bool ends = i == steps.size();
  // The group of the first step has been posted.
  while (!ends && !lacks(steps[i])) {
    made -= masks[steps[i].makes()];
    passes += steps[i].actions();
    if (ends = ++i == steps.size(); ends)
      break;
    const GroupStep step = steps[i];
    posts |= step.posts();
    sent -= masks[step.sends()], taken -= masks[step.receives()];
    needed -= masks[step.needs()];
  }
  if (i > at.step) {
    at.sent = sent, at.received = taken, at.made = made, at.needed = needed;
    at.step = i, at.actions += passes;
    if (passes > 0)
      actionRuns.push_back({static_cast<std::uint32_t>(rank), passes});
    if ((posts & withNext) != 0)
      ready.wake(at.next);
    if ((posts & withLast) != 0)
      ready.wake(at.last);
  }
  return ends && !groups.stuck(rank);
}

namespace {
/// The n-th action of a schedule that sends or receives on a channel; null if there is none.
const ScheduledAction* nthOn(Routes::RankRoutes routeOf, llvm::ArrayRef<ScheduledAction> schedule,
                             bool receives, std::uint8_t channel, std::int32_t n) {
  for (const ScheduledAction& op : schedule) {
    const Route& route = routeOf(op);
    if ((receives ? route.inputChannel : route.outputChannel) == channel && --n == 0)
      return &op;
  }
  return nullptr;
}
} // namespace

/// The reasons why a rank is blocked: one for an action, or each unfinished member of a group.
void GroupedRun::waitingOf(std::size_t rank, std::vector<Waiting>& out) const {
  const ExchangingRank& at = ranks[rank];
  const Routes::RankRoutes routeOf = groups.allRoutes().ofRank(rank);
  const llvm::ArrayRef<ScheduledAction> schedule = schedules[rank];
  const ChannelCounts takenThere = this->receivedThere(at), sentThere = this->sentThere(at);
  const GroupStep step = at.step < groups.of(rank).size() ? groups.of(rank)[at.step] : GroupStep();
  const auto waits = [&](const ScheduledAction* op, std::uint64_t peer, bool receives) {
    if (op)
      out.push_back({rank, *op, peer, receives});
  };
  for (std::uint8_t channel = 0; channel < 4; ++channel) {
    const std::int32_t sends = at.sent[channel], takes = at.received[channel];
    if (const auto* op = nthOn(routeOf, schedule, false, channel, sends); sends > at.made[channel])
      waits(op, rank, false); // its output has not been computed
    else if ((step.waitsForSends() >> channel & 1) != 0 && sends > takenThere[channel])
      waits(op, op ? routeOf(*op).toRank : rank, false);
    if ((step.waitsForReceives() >> channel & 1) != 0 && takes > sentThere[channel])
      if (const auto* op = nthOn(routeOf, schedule, true, channel, takes))
        waits(op, routeOf(*op).fromRank, true);
  }
  if (!out.empty())
    return;
  for (std::size_t pass = at.actions; pass < std::min<std::size_t>(at.actions + 2, schedule.size());
       ++pass) {
    const ScheduledAction& op = schedule[pass];
    const Route& route = routeOf(op);
    if (route.input != Route::none &&
        (!route.receives() || at.needed[route.inputChannel] > sentThere[route.inputChannel] ||
         at.needed[route.inputChannel] > at.received[route.inputChannel]))
      waits(&op, route.fromRank, true);
    if (op.kind != ActionKind::PairedForward)
      break;
  }
}

std::vector<Waiting> GroupedRun::waiting() const {
  std::vector<std::vector<Waiting>> edges(schedules.size());
  for (std::size_t rank = 0; rank < schedules.size(); ++rank)
    if (ranks[rank].step < groups.of(rank).size() || groups.stuck(rank))
      waitingOf(rank, edges[rank]);
  return shortestCircle(edges);
}
