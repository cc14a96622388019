//===- SteadyState.cpp - Steps without a flush ------------------------------------------------===//
//
// The period is the largest ratio of length (ps) to number of periods over all cycles of
// dependencies. The search starts with a period that is too short. Then some node waits for itself,
// and the ratio of its cycle is the next period.
#include "cost/execution/SteadyState.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::int64_t signedOf(std::uint64_t n) { return static_cast<std::int64_t>(n); }
/// Positions in a step: first, middle, last, and only.
constexpr FirstLast firstLastCases[] = {{true, false}, {false, false}, {false, true}, {true, true}};
constexpr std::size_t firstLastCaseCount = std::size(firstLastCases);
std::size_t firstLastCaseOf(std::uint64_t turn, std::uint64_t count) {
  if (count == 1)
    return 3;
  return turn == 0 ? 0 : turn + 1 == count ? 2 : 1;
}
} // namespace

void SteadyState::setLengths(llvm::ArrayRef<ChunkStep> chunks) {
  lengths.clear(), messages.clear();
  for (const ChunkStep& chunk : chunks) {
    for (const auto action : {&ChunkClocks::forward, &ChunkClocks::backward})
      for (std::size_t cost = 0; cost < costs.kinds(); ++cost)
        for (const FirstLast& firstLast : firstLastCases) {
          const ChunkClocks& of = chunk.byCost.empty() ? chunk.clocks : chunk.byCost[cost];
          Clocks clocks;
          const std::int64_t leaves = signedOf((of.*action).of(firstLast).advance(clocks));
          lengths.push_back({leaves, signedOf(clocks.computation), signedOf(clocks.data)});
        }
    messages.emplace_back(signedOf(chunk.time.sendForward), signedOf(chunk.time.sendBackward));
  }
}

const SteadyState::ActionLengths& SteadyState::lengthOf(NodeKind kind, std::uint64_t rank,
                                                        std::uint64_t turn) const {
  const std::uint64_t microBatch = kind == Forward ? (turn + ahead(rank)) % m : turn;
  const std::uint64_t pass = 2 * rank + (kind == Forward ? 0 : 1);
  return lengths[(pass * costs.kinds() + costs.kindOf(microBatch)) * firstLastCaseCount +
                 firstLastCaseOf(turn, m)];
}

void SteadyState::wait(std::uint32_t node, std::uint32_t after, std::int64_t length, bool before) {
  EventNode& of = nodes[node];
  const std::int64_t time = nodes[after].time + length - (before ? period : 0);
  if (time <= of.time)
    return;
  of = {time, after, before ? 1U : 0U, length};
  changed = true;
}

void SteadyState::waitForActionAndSend(std::uint32_t node, NodeKind kind, std::uint64_t rank,
                                       std::uint64_t turn, std::int64_t length, std::int64_t tail,
                                       bool before) {
  wait(node, at(kind, rank, turn), length + tail, before);
  if (!overlapped && sends(kind, rank))
    wait(node, at(kind == Forward ? SendForward : SendBackward, rank, turn), tail, before);
}

/// The end of a step waits for the remaining collectives, which overlap with the last message.
std::int64_t SteadyState::lastAction(std::uint64_t rank) const {
  const ActionLengths& last = lengthOf(Backward, rank, m - 1);
  return std::max(last.collectives, last.computes);
}

void SteadyState::send(NodeKind pass, std::uint64_t rank, std::uint64_t turn) {
  if (!sends(pass, rank))
    return;
  const NodeKind kind = pass == Forward ? SendForward : SendBackward;
  const std::int64_t time = pass == Forward ? messages[rank].first : messages[rank].second;
  const std::uint32_t node = at(kind, rank, turn);
  wait(node, at(pass, rank, turn), lengthOf(pass, rank, turn).leaves + time);
  wait(node, at(kind, rank, turn == 0 ? m - 1 : turn - 1), time, turn == 0);
}

/// Turn i of rank r is the forward pass of micro-batch p - r - 1 + i and the backward pass of i, so
/// that the next rank runs one turn later what this rank sends.
bool SteadyState::sweep() {
  changed = false;
  for (std::uint64_t turn = 0; turn < m; ++turn) {
    const bool begins = turn == 0;
    const std::uint64_t before = begins ? m - 1 : turn - 1;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t node = at(Forward, rank, turn);
      waitForActionAndSend(node, Backward, rank, before,
                           begins ? lastAction(rank) : lengthOf(Backward, rank, before).computes,
                           begins ? epilogues[rank] : 0, begins);
      if (rank > 0)
        wait(node, at(SendForward, rank - 1, before), 0, begins);
      send(Forward, rank, turn);
    }
    for (std::uint64_t rank = ranks; rank-- > 0;) {
      const std::uint32_t node = at(Backward, rank, turn);
      waitForActionAndSend(node, Forward, rank, turn, lengthOf(Forward, rank, turn).computes);
      if (rank + 1 < ranks)
        wait(node, at(SendBackward, rank + 1, turn), 0);
      send(Backward, rank, turn);
    }
  }
  return changed;
}

std::int64_t SteadyState::longerCircle() {
  seen.assign(nodes.size(), none);
  for (std::uint32_t from = 0; from < nodes.size(); ++from) {
    std::uint32_t at = from;
    while (at != none && seen[at] == none)
      seen[at] = from, at = nodes[at].after;
    if (at == none || seen[at] != from)
      continue;
    std::int64_t length = 0, periods = 0;
    const std::uint32_t on = at;
    do
      length += nodes[at].length, periods += nodes[at].periods, at = nodes[at].after;
    while (at != on);
    return (length + periods - 1) / periods;
  }
  return 0;
}

std::uint64_t SteadyState::run(const Plan& plan, std::uint64_t microBatches,
                               llvm::ArrayRef<ChunkStep> chunks,
                               llvm::ArrayRef<std::vector<Device>> held) {
  ranks = chunks.size(), m = microBatches, overlapped = plan.layout.overlap.pipeline;
  if (!costs.equal() || !plan.layout.microBatchCosts.empty()) // equal costs allocate nothing
    costs = MicroBatchCosts(plan.layout.microBatchCosts);
  setLengths(chunks);
  epilogues.clear(), period = 0;
  const RankEpilogues left = epiloguesOf(plan, microBatches, chunks);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t update =
        updateTime(plan, left[rank].updated, held[plan.mesh.rankNodeTypesIndex(rank)]);
    epilogues.push_back(signedOf(left[rank].reductions + update + left[rank].gathers));
    std::int64_t work =
        epilogues.back() + lastAction(rank) - lengthOf(Backward, rank, m - 1).computes;
    for (std::uint64_t turn = 0; turn < m; ++turn)
      work += lengthOf(Forward, rank, turn).computes + lengthOf(Backward, rank, turn).computes;
    period = std::max(period, work);
  }
  for (;;) {
    nodes.assign(4 * ranks * m, {});
    std::int64_t longer = 0;
    while (longer == 0 && sweep())
      longer = longerCircle();
    if (longer == 0)
      break;
    period = longer;
  }
  first = INT64_MAX;
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    first = std::min(first, startOf(rank, positionOf(rank, {ActionKind::Forward, 0, 0})));
  return static_cast<std::uint64_t>(period);
}

/// The position for the step whose backward passes run in the first period. Its forward passes may
/// run in earlier periods; `periods` covers the forward passes that the rank is ahead.
SteadyState::PeriodPosition SteadyState::positionOf(std::uint64_t rank,
                                                    const ScheduledAction& action) const {
  if (!action.forward())
    return {Backward, action.microBatch, 0};
  const std::uint64_t periods = (ahead(rank) + m - 1) / m;
  const std::uint64_t turn = periods * m + action.microBatch - ahead(rank);
  return {Forward, turn % m, signedOf(turn / m) - signedOf(periods)};
}

std::int64_t SteadyState::startOf(std::uint64_t rank, const PeriodPosition& place) const {
  return nodes[at(place.kind, rank, place.index)].time + period * place.periods;
}

std::uint64_t SteadyState::start(std::uint64_t rank, const ScheduledAction& action) const {
  return static_cast<std::uint64_t>(startOf(rank, positionOf(rank, action)) - first);
}

std::uint64_t SteadyState::end(std::uint64_t rank, const ScheduledAction& action) const {
  const PeriodPosition place = positionOf(rank, action);
  return static_cast<std::uint64_t>(startOf(rank, place) - first +
                                    lengthOf(place.kind, rank, place.index).leaves);
}

std::uint64_t SteadyState::end(std::uint64_t rank) const {
  const std::int64_t computed =
      nodes[at(Backward, rank, m - 1)].time + lengthOf(Backward, rank, m - 1).computes;
  const bool waits = !overlapped && sends(Backward, rank);
  const std::int64_t sent = waits ? nodes[at(SendBackward, rank, m - 1)].time : computed;
  return static_cast<std::uint64_t>(std::max(computed, sent) - first);
}

std::uint64_t SteadyState::dataEnd(std::uint64_t rank) const {
  return static_cast<std::uint64_t>(nodes[at(Backward, rank, m - 1)].time +
                                    lengthOf(Backward, rank, m - 1).collectives - first);
}

std::uint64_t SteadyState::sending(std::uint64_t rank) const {
  std::int64_t sum = 0;
  for (const NodeKind kind : {Forward, Backward})
    for (std::uint64_t turn = 0; !overlapped && sends(kind, rank) && turn < m; ++turn) {
      const std::int64_t done =
          nodes[at(kind, rank, turn)].time + lengthOf(kind, rank, turn).computes;
      const NodeKind message = kind == Forward ? SendForward : SendBackward;
      sum += std::max<std::int64_t>(0, nodes[at(message, rank, turn)].time - done);
    }
  return static_cast<std::uint64_t>(sum);
}
