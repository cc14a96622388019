//===- Flows.cpp - Transfers that share the bandwidth of links --------------------------------===//
#include "simulate/engine/Flows.h"
#include <cmath>
#include <limits>

using namespace dpl::simulate;

namespace {
constexpr std::uint64_t settlement = Flows::ownPayloads | (Flows::ownPayloads - 1);
} // namespace

Flows::Flows(std::vector<double> of, EventQueue& queue)
    : capacities(std::move(of)), queue(queue), links(capacities.size()), counts(capacities.size()),
      states(capacities.size()), poolOf(capacities.size(), none) {}

std::uint32_t Flows::addLink(double ofCapacity) {
  capacities.push_back(ofCapacity);
  links.emplace_back();
  counts.push_back(0);
  states.emplace_back();
  poolOf.push_back(none);
  return static_cast<std::uint32_t>(capacities.size() - 1);
}

void Flows::clear() {
  for (auto& on : links)
    on.clear();
  std::fill(counts.begin(), counts.end(), 0);
  std::fill(poolOf.begin(), poolOf.end(), none);
  flows.clear(), pools.clear();
  unused.clear(), unusedPools.clear(), dirty.clear(), dirtyPools.clear();
  settles = false;
}

void Flows::setCapacity(std::uint32_t link, double to, std::uint64_t now) {
  if (capacities[link] == to)
    return;
  capacities[link] = to;
  if (links[link].empty())
    return;
  if (const std::uint32_t pool = flows[links[link].front()].pool; pool != none)
    dissolve(pool, now);
  dirty.push_back(link);
  settleLater(now);
}

std::uint32_t Flows::begin(std::uint64_t now, llvm::ArrayRef<std::uint32_t> route, double work,
                           std::uint64_t payload) {
  assert(!route.empty() && route.size() <= mostLinks && payload < ownPayloads);
  std::uint32_t number = 0;
  if (unused.empty()) {
    number = static_cast<std::uint32_t>(flows.size());
    flows.emplace_back();
  } else {
    number = unused.back();
    unused.pop_back();
  }
  Flow& flow = flows[number];
  flow.hops = static_cast<std::uint32_t>(route.size());
  flow.remaining = work, flow.rate = 0, flow.since = now, flow.payload = payload;
  double least = std::numeric_limits<double>::infinity();
  bool alone = true;
  for (std::size_t i = 0; i < route.size(); ++i) {
    const std::uint32_t link = route[i];
    flow.links[i] = link;
    alone = alone && links[link].empty();
    least = std::min(least, capacities[link]);
    links[link].push_back(number);
    ++counts[link];
  }
  ++all;
  if (alone) {
    setRate(flow, least, now);
    schedule(number, now);
  } else {
    ++met;
    if (!join(number, now)) {
      dirty.push_back(route.front());
      settleLater(now);
    }
  }
  return number;
}

void Flows::setRate(Flow& flow, double rate, std::uint64_t now) {
  flow.since = now, flow.rate = rate;
  flow.end = now + static_cast<std::uint64_t>(std::ceil(flow.remaining / rate));
}

void Flows::schedule(std::uint32_t number, std::uint64_t now) {
  Flow& flow = flows[number];
  flow.queued = true;
  // A flow that ends immediately must not end before other events of this time that were queued
  // earlier.
  queue.add(flow.end, flow.end > now ? EventPhase::Ends : EventPhase::Settles,
            ownPayloads | std::uint64_t{flow.version} << 32 | number);
}

void Flows::settleLater(std::uint64_t now) {
  if (!settles)
    queue.add(now, EventPhase::Settles, settlement);
  settles = true;
}

std::optional<std::uint64_t> Flows::handle(const Event& event) {
  const std::uint64_t now = event.time();
  if (event.payload == settlement) {
    settle(now);
    return std::nullopt;
  }
  auto number = static_cast<std::uint32_t>(event.payload);
  const std::uint64_t version = event.payload >> 32 & versions;
  if ((number & ofPool) != 0) {
    Pool& pool = pools[number & ~ofPool];
    if (version != pool.version)
      return std::nullopt;
    number = popDue(pool, event);
  } else if (version != flows[number].version) {
    return std::nullopt;
  }
  remove(number, now);
  return flows[number].payload;
}

void Flows::remove(std::uint32_t number, std::uint64_t now) {
  Flow& flow = flows[number];
  advance(flow, now);
  for (const std::uint32_t link : flow.route()) {
    auto& on = links[link];
    std::swap(*std::find(on.begin(), on.end(), number), on.back());
    on.pop_back();
    --counts[link];
    if (!on.empty() && flow.pool == none) {
      dirty.push_back(link);
      settleLater(now);
    }
  }
  // Voids the events of the flow in the queue, also for the next flow with this number.
  flow.version = (flow.version + 1) & versions;
  flow.hops = 0, flow.rate = 0, flow.queued = false, flow.pool = none;
  unused.push_back(number);
}

void Flows::settle(std::uint64_t now) {
  settles = false;
  for (const std::uint32_t pool : dirtyPools)
    if (pools[pool].dirty)
      settlePool(pool, now);
  dirtyPools.clear();
  ++round;
  for (const std::uint32_t link : dirty)
    // At this time a pool may have received a link that other flows left.
    if (states[link].seen != round && !links[link].empty() &&
        flows[links[link].front()].pool == none) {
      gather(link);
      share(now);
    }
  dirty.clear();
}

/// Collects the flows that compete with each other. A link with one flow limits that flow, but
/// connects it with no other.
void Flows::gather(std::uint32_t link) {
  constexpr double unbound = std::numeric_limits<double>::infinity();
  component.clear();
  members.clear();
  leastOfOne = unbound;
  const auto open = [&](std::uint32_t at) {
    const std::uint32_t flowsOn = counts[at];
    states[at] = {capacities[at], capacities[at] / flowsOn, flowsOn, round, false};
    component.push_back(at);
  };
  const auto join = [&](std::uint32_t number) {
    Flow& flow = flows[number];
    if (flow.seen == round)
      return;
    assert(flow.pool == none && "a pool has no links with others");
    flow.seen = round, flow.fixed = false, flow.most = unbound;
    members.push_back(number);
    for (const std::uint32_t next : flow.route())
      if (counts[next] == 1)
        flow.most = std::min(flow.most, capacities[next]);
      else if (states[next].seen != round)
        open(next);
    leastOfOne = std::min(leastOfOne, flow.most);
  };
  if (counts[link] == 1)
    states[link].seen = round;
  for (const std::uint32_t number : links[link])
    join(number);
  for (std::size_t i = 0; i < component.size(); ++i)
    for (const std::uint32_t number : links[component[i]])
      join(number);
}

/// Increases all rates equally until a link is full, which fixes the rates of its flows. Then the
/// remaining rates increase further.
void Flows::share(std::uint64_t now) {
  for (std::size_t fixed = 0; fixed < members.size();) {
    std::uint32_t full = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t link : component) {
      LinkState& state = states[link];
      if (state.open == 0)
        continue;
      if (state.changed)
        state.share = state.free / state.open, state.changed = false;
      if (state.share < least)
        least = state.share, full = link;
    }
    if (leastOfOne < least) {
      const double bound = leastOfOne;
      leastOfOne = std::numeric_limits<double>::infinity();
      for (const std::uint32_t number : members) {
        const Flow& flow = flows[number];
        if (!flow.fixed && flow.most == bound)
          fix(number, bound, now), ++fixed;
        else if (!flow.fixed)
          leastOfOne = std::min(leastOfOne, flow.most);
      }
      continue;
    }
    if (states[full].open == members.size()) { // nothing else limits these flows
      if (fixed == 0 && arePool())
        return makePool(least, now);
      for (const std::uint32_t number : members)
        change(number, least, now);
      break;
    }
    for (const std::uint32_t number : links[full])
      if (!flows[number].fixed)
        fix(number, least, now), ++fixed;
  }
  std::uint64_t first = UINT64_MAX;
  for (const std::uint32_t number : members)
    first = std::min(first, flows[number].end);
  for (const std::uint32_t number : members)
    if (!flows[number].queued && flows[number].end == first)
      schedule(number, now);
}

void Flows::fix(std::uint32_t number, double rate, std::uint64_t now) {
  Flow& flow = flows[number];
  flow.fixed = true;
  for (const std::uint32_t link : flow.route()) {
    LinkState& state = states[link];
    if (counts[link] == 1)
      continue;
    state.free = std::max(0.0, state.free - rate);
    --state.open, state.changed = true;
  }
  change(number, rate, now);
}

void Flows::advance(Flow& flow, std::uint64_t now) {
  const double did = flow.rate * static_cast<double>(now - flow.since);
  if (watcher && did > 0)
    watcher(flow.route(), flow.since, now, std::min(did, flow.remaining));
  flow.remaining = std::max(0.0, flow.remaining - did);
}

void Flows::change(std::uint32_t number, double to, std::uint64_t now) {
  Flow& flow = flows[number];
  if (flow.rate == to)
    return;
  advance(flow, now);
  setRate(flow, to, now);
  // Voids the earlier events of the flow in the queue.
  flow.version = (flow.version + 1) & versions;
  flow.queued = false;
}
