//===- FlowPools.cpp - Pools of flows that share the same links -------------------------------===//
#include "simulate/engine/Flows.h"
#include <cmath>
#include <limits>

using namespace dpl::simulate;

namespace {
constexpr double unbound = std::numeric_limits<double>::infinity();
} // namespace

double Flows::mostAlone(const Flow& flow) const {
  double most = unbound;
  for (const std::uint32_t link : flow.route())
    if (counts[link] == 1)
      most = std::min(most, capacities[link]);
  return most;
}

bool Flows::arePool() const {
  return std::all_of(component.begin(), component.end(),
                     [&](std::uint32_t link) { return counts[link] == members.size(); });
}

void Flows::makePool(double rate, std::uint64_t now) {
  if (unusedPools.empty()) {
    unusedPools.push_back(static_cast<std::uint32_t>(pools.size()));
    pools.emplace_back();
  }
  const std::uint32_t index = unusedPools.back();
  unusedPools.pop_back();
  Pool& pool = pools[index];
  pool.shared.assign(component.begin(), component.end());
  pool.capacity = unbound, pool.least = leastOfOne;
  pool.done = 0, pool.rate = rate, pool.since = now;
  for (const std::uint32_t link : component) {
    poolOf[link] = index;
    pool.capacity = std::min(pool.capacity, capacities[link]);
  }
  for (const std::uint32_t number : members) {
    Flow& flow = flows[number];
    advance(flow, now);
    flow.rate = 0, flow.pool = index;
    // Voids the events of the flow in the queue.
    flow.version = (flow.version + 1) & versions;
    flow.queued = false;
    pool.due.push_back({flow.remaining, number});
  }
  std::make_heap(pool.due.begin(), pool.due.end());
  settlePool(index, now);
}

/// Adds the flow to the pool that contains all its shared links, if there is one. Other pools on
/// its links are dissolved.
bool Flows::join(std::uint32_t number, std::uint64_t now) {
  Flow& flow = flows[number];
  std::uint32_t with = none;
  std::size_t shared = 0;
  bool fits = true;
  for (const std::uint32_t link : flow.route()) {
    if (counts[link] == 1)
      continue;
    const std::uint32_t other = flows[links[link].front()].pool;
    fits = fits && other != none && poolOf[link] == other && (with == none || with == other);
    with = other, ++shared;
  }
  if (fits && shared == pools[with].shared.size()) {
    Pool& pool = pools[with];
    advance(pool, now);
    pool.least = std::min(pool.least, mostAlone(flow));
    pool.due.push_back({pool.done + flow.remaining, number});
    std::push_heap(pool.due.begin(), pool.due.end());
    flow.pool = with;
    changeLater(with, now);
    return true;
  }
  for (const std::uint32_t link : flow.route())
    if (const std::uint32_t other = flows[links[link].front()].pool; other != none)
      dissolve(other, now);
  return false;
}

void Flows::advance(Pool& pool, std::uint64_t now) {
  const double did = pool.rate * static_cast<double>(now - pool.since);
  if (watcher && did > 0)
    for (const Due& due : pool.due)
      watcher(flows[due.flow].route(), pool.since, now, std::min(did, due.work - pool.done));
  pool.done += did;
  pool.since = now;
}

void Flows::changeLater(std::uint32_t index, std::uint64_t now) {
  if (!pools[index].dirty)
    dirtyPools.push_back(index);
  pools[index].dirty = true;
  settleLater(now);
}

void Flows::scheduleFirst(std::uint32_t index, std::uint64_t at, EventPhase phase) {
  Pool& pool = pools[index];
  pool.version = (pool.version + 1) & versions;
  queue.add(at, phase, ownPayloads | std::uint64_t{pool.version} << 32 | ofPool | index);
}

/// Removes from the pool the flow that ends with this event.
std::uint32_t Flows::popDue(Pool& pool, const Event& event) {
  const auto index = static_cast<std::uint32_t>(&pool - pools.data());
  advance(pool, event.time());
  std::pop_heap(pool.due.begin(), pool.due.end());
  const Due first = pool.due.back();
  pool.due.pop_back();
  pool.done = std::max(pool.done, first.work);
  if (!pool.due.empty() && pool.due.front().work <= pool.done)
    scheduleFirst(index, event.time(), static_cast<EventPhase>(event.key % 4));
  else
    changeLater(index, event.time());
  return first.flow;
}

void Flows::settlePool(std::uint32_t index, std::uint64_t now) {
  Pool& pool = pools[index];
  pool.dirty = false;
  if (pool.due.empty())
    return empty(index);
  advance(pool, now);
  const auto share = [&] { return pool.capacity / static_cast<double>(pool.due.size()); };
  if (share() > pool.least) {
    pool.least = unbound; // will be the least limit of the remaining flows
    for (const Due& due : pool.due)
      pool.least = std::min(pool.least, mostAlone(flows[due.flow]));
    if (share() > pool.least)
      return dissolve(index, now);
  }
  pool.rate = share();
  const double left = std::max(0.0, pool.due.front().work - pool.done);
  const std::uint64_t end = now + static_cast<std::uint64_t>(std::ceil(left / pool.rate));
  scheduleFirst(index, end, end > now ? EventPhase::Ends : EventPhase::Settles);
}

void Flows::dissolve(std::uint32_t index, std::uint64_t now) {
  Pool& pool = pools[index];
  advance(pool, now);
  for (const Due& due : pool.due) {
    Flow& flow = flows[due.flow];
    flow.remaining = std::max(0.0, due.work - pool.done);
    flow.since = now, flow.rate = 0, flow.pool = none;
    dirty.push_back(flow.links.front());
  }
  settleLater(now);
  empty(index);
}

void Flows::empty(std::uint32_t index) {
  Pool& pool = pools[index];
  for (const std::uint32_t link : pool.shared)
    poolOf[link] = none;
  pool.due.clear();
  pool.dirty = false;
  pool.version = (pool.version + 1) & versions; // voids the pool's events in the queue
  unusedPools.push_back(index);
}
