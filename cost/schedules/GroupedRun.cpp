//===- GroupedRun.cpp - Runs the lists of all ranks in the groups in which they exchange ------===//
#include "cost/schedules/GroupedRun.h"
#include "llvm/Support/Compiler.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

bool GroupedRun::run(const Placement& placement, std::uint64_t microBatches, Executor::Lists all,
                     Exchanges& exchanges) {
  lists = all, ordered = true;
  routes.assign(placement, microBatches);
  messages.assign(routes.messages(), open);
  sent.assign(4 * placement.ranks, 0), taken.assign(4 * placement.ranks, 0);
  ranks.resize(placement.ranks);
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank) {
    OfRank& of = ranks[rank];
    of.groups.clear();
    exchanges(routes, rank, lists[rank], of.groups);
    of.pass = of.group = of.next = 0, of.posted = false, of.missing = 0;
  }
  std::uint64_t done = 0;
  for (ready.assign(placement.ranks); !ready.empty();) {
    const std::uint64_t rank = ready.take();
    if (advance(rank))
      ++done;
    else
      ready.wait(rank);
  }
  return done == placement.ranks;
}

LLVM_ATTRIBUTE_ALWAYS_INLINE
bool GroupedRun::post(std::uint64_t message, std::uint32_t turn, std::uint32_t peer, bool waits) {
  std::uint32_t& state = messages[message];
  if (state == open) {
    state = turn | (waits ? waited : 0);
    return false;
  }
  ordered = ordered && (state & ~waited) == turn;
  if ((state & waited) == 0 || --ranks[peer].missing == 0)
    ready.wake(peer);
  state = moved;
  return true;
}

std::size_t GroupedRun::postGroup(std::uint64_t rank, std::size_t member) {
  OfRank& at = ranks[rank];
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  const llvm::ArrayRef<Exchange> groups = at.groups;
  const Routes::OfRank routeOf = routes.ofRank(rank);
  std::uint32_t missing = 0;
  do {
    const Exchange group = groups[member++];
    if (group.sends != Exchange::none) {
      const ScheduledOperation op = list[group.sends];
      const Route& route = routeOf(op);
      const std::uint32_t turn = ++sent[2 * route.outputLink + (op.forward() ? 0 : 1)];
      if (!post(route.output + op.microBatch, turn, route.toRank, group.waits) && group.waits)
        ++missing;
    }
    if (group.receives != Exchange::none) {
      const ScheduledOperation op = list[group.receives];
      const Route& route = routeOf(op);
      const std::uint32_t turn = ++taken[2 * route.inputLink + (op.forward() ? 0 : 1)];
      if (!post(route.input + op.microBatch, turn, route.fromRank, group.waits) && group.waits)
        ++missing;
    }
  } while (member < groups.size() && groups[member].joins);
  // Nobody else touches it: a rank that posts does not wait.
  at.missing = missing;
  return member;
}

bool GroupedRun::advance(std::uint64_t rank) {
  OfRank& at = ranks[rank];
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  const llvm::ArrayRef<Exchange> groups = at.groups;
  const Routes::OfRank routeOf = routes.ofRank(rank);
  std::uint32_t* const states = messages.data();
  std::size_t pass = at.pass, group = at.group;
  const auto begins = [&](const ScheduledOperation& op, const Route& route) {
    return route.input == Route::none || states[route.input + op.microBatch] == moved;
  };
  const auto stops = [&](bool posted) {
    at.pass = pass, at.group = group, at.posted = posted;
    return false;
  };
  if (at.posted) { // the members of the group that it waited for
    if (at.missing > 0)
      return false;
    group = at.next;
  }
  for (;; ++pass) {
    while (group < groups.size() && groups[group].after == pass) {
      at.next = postGroup(rank, group);
      if (at.missing > 0)
        return stops(true);
      group = at.next;
    }
    if (pass == list.size())
      return true;
    const ScheduledOperation op = list[pass];
    const Route& route = routeOf(op);
    if (!begins(op, route))
      return stops(false);
    // Both passes of a pair begin when the inputs of both are there.
    if (op.kind == OperationKind::PairedForward)
      if (const ScheduledOperation with = list[pass + 1]; !begins(with, routeOf(with)))
        return stops(false);
    if (route.output != Route::none && !route.sends())
      states[route.output + op.microBatch] = moved;
  }
}

/// What a blocked rank waits for: one thing at a pass, each unfinished member of a group.
void GroupedRun::waitingOf(std::uint64_t rank, std::vector<Waiting>& out) const {
  const OfRank& at = ranks[rank];
  const auto wait = [&](std::size_t pass, bool receives) {
    const ScheduledOperation op = lists[rank][pass];
    const Route& route = routes.of(rank, op);
    const std::uint32_t message = receives ? route.input : route.output;
    if (message != Route::none && messages[message + op.microBatch] != moved)
      out.push_back({rank, op, receives ? route.fromRank : route.toRank, op.forward(), receives});
  };
  if (at.group < at.groups.size() && at.groups[at.group].after == at.pass) {
    std::size_t member = at.group;
    do {
      const Exchange& group = at.groups[member++];
      if (group.sends != Exchange::none)
        wait(group.sends, false);
      if (group.receives != Exchange::none)
        wait(group.receives, true);
    } while (member < at.groups.size() && at.groups[member].joins);
    return;
  }
  if (at.pass < lists[rank].size())
    wait(at.pass, true);
  if (at.pass + 1 < lists[rank].size() && lists[rank][at.pass].kind == OperationKind::PairedForward)
    wait(at.pass + 1, true);
}

std::vector<Waiting> GroupedRun::waiting() const {
  std::vector<std::vector<Waiting>> edges(lists.size());
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    waitingOf(rank, edges[rank]);
  return shortestCircle(edges);
}
