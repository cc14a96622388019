//===- Exchanges.cpp - Sends and receives that a rank posts together --------------------------===//
#include "cost/schedules/Exchanges.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void ChannelOrders::assign(const Routes& routes, std::uint64_t microBatches) {
  std::vector<std::size_t> each(4 * routes.ranks(), 0);
  for (std::uint64_t rank = 0; rank < routes.ranks(); ++rank)
    for (std::uint16_t chunk = 0; chunk < routes.chunks(); ++chunk)
      for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward})
        if (const Route& route = routes.of(rank, {kind, chunk, 0}); route.sends())
          each[4 * rank + route.outputChannel] += microBatches;
  messages.resize(routes.messages());
  orders.clear();
  std::uint32_t* begin = messages.data();
  for (const std::size_t most : each) {
    orders.push_back({begin, begin, begin + most});
    begin += most;
  }
}

void GroupWriter::assign(const Placement& placement, std::uint64_t microBatches,
                         llvm::ArrayRef<llvm::ArrayRef<ScheduledAction>> schedules,
                         Exchanges& exchanges) {
  routes.assign(placement, microBatches);
  count = microBatches;
  sent.assign(routes, count), receivedOrders.assign(routes, count);
  handedOver.assign(routes.messages(), 0);
  allEnds.clear();
  allEnds.reserve(routes.actions().size());
  for (const Route& route : routes.actions()) {
    MessageEnds& ends = allEnds.emplace_back();
    const std::size_t rank = (allEnds.size() - 1) / (Routes::kinds * routes.chunks());
    if (route.receives())
      ends.received = &receivedOrders[4 * route.fromRank + route.inputChannel];
    if (route.sends())
      ends.sent = &sent[4 * rank + route.outputChannel];
    ends.input = route.input, ends.output = route.output;
    ends.needs = route.receivesOn(), ends.makes = route.sendsOn();
  }
  steps.clear(), firstStep.clear(), stuckRanks.clear();
  std::size_t all = 0;
  for (const llvm::ArrayRef<ScheduledAction> schedule : schedules)
    all += 2 * schedule.size() + 1;
  steps.reserve(all);
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank) {
    at = {};
    at.rank = rank, at.routes = routes.ofRank(rank), at.schedule = schedules[rank];
    at.ends = allEnds.data() + rank * routes.chunks() * Routes::kinds;
    firstStep.push_back(steps.size());
    follow();
    exchanges(*this);
    while (more()) // the Exchanges function assumes a shorter order
      runAction();
    recompute(); // recomputations without a backward pass
    close(0, 0, 0);
    stuckRanks.push_back(at.stuck);
  }
  firstStep.push_back(steps.size());
}

bool GroupWriter::inSendOrder() const {
  for (std::size_t channel = 0; channel < sent.channels(); ++channel) {
    const llvm::ArrayRef<std::uint32_t> one = sent.of(channel), other = receivedOrders.of(channel);
    const std::size_t both = std::min(one.size(), other.size());
    if (one.take_front(both) != other.take_front(both))
      return false;
  }
  return true;
}

void dpl::cost::asyncSends(GroupWriter& to) {
  Channels sent = 0;
  while (to.more()) {
    const Channels received = to.receives();
    to.group(sent, 0);
    to.group(received, received);
    sent = to.runAction();
  }
  to.group(sent, 0);
}

void dpl::cost::batchedSendReceive(GroupWriter& to) {
  Channels sent = 0;
  while (to.more()) {
    const Channels received = to.receives(), both = sent | received;
    if (sent != 0 && received != 0 && to.sameNeighbour(sent, received)) {
      to.group(both, both);
    } else {
      to.group(sent, sent);
      to.group(received, received);
    }
    sent = to.runAction();
  }
  to.group(sent, sent);
}

void dpl::cost::prefetchedReceives(GroupWriter& to) {
  constexpr std::size_t nowhere = SIZE_MAX;
  std::size_t behind[2] = {nowhere, nowhere}; // position after the last action of each direction
  bool turned = false;                        // a backward pass has run
  Channels sent = 0;
  while (to.more()) {
    const ScheduledAction op = to.next();
    const bool leads = to.actionsBefore() == 0 || (!turned && !op.forward());
    turned = turned || !op.forward();
    to.group(sent, 0);
    std::size_t& place = behind[op.forward()];
    if (!relaysMessage(op.kind)) {
      sent = to.runAction();
      continue;
    }
    // The receive for the first backward pass is posted before it.
    if (place != nowhere)
      to.postAt(place, to.receives());
    else if (leads)
      to.group(to.receives(), 0);
    sent = to.runAction();
    place = to.here();
  }
  to.group(sent, 0);
}

bool dpl::cost::waitsInActionsOnly(Exchanges& exchanges) {
  return &exchanges == &asyncSends || &exchanges == &prefetchedReceives;
}

void dpl::cost::blockingSendReceive(GroupWriter& to) {
  Channels sent = 0;
  while (to.more()) {
    const Channels received = to.receives();
    to.group(sent, sent);
    to.group(received, received);
    sent = to.runAction();
  }
  to.group(sent, sent);
}
