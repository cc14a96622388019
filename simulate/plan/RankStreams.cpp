//===- RankStreams.cpp - Collectives of simulated ranks, stream by stream ---------------------===//
#include "simulate/plan/RankStreams.h"

using namespace dpl;
using namespace dpl::simulation;

void RankStreams::begin(std::uint32_t rankCount) {
  all.assign(rankCount, {});
  for (std::uint32_t rank = 0; rank < rankCount; ++rank)
    for (StreamState& stream : of(rank))
      stream.free = ranks.clock(rank), stream.origin = {rank, stream.free};
}

RankStreams::LaunchedCollective* RankStreams::RankState::find(std::uint64_t key) {
  for (LaunchedCollective& collective : launched)
    if (collective.key == key)
      return &collective;
  return nullptr;
}

void RankStreams::track(std::uint32_t rank, std::uint64_t key, std::size_t stream) {
  RankState& u = all[rank];
  LaunchedCollective* of = u.find(key);
  if (!of)
    of = &u.launched.emplace_back();
  *of = {key, u.streams[stream].launched, static_cast<std::uint8_t>(stream), never, never, 0, {}};
}

bool RankStreams::launch(std::uint32_t rank, std::size_t stream,
                         const PendingCollective& collective) {
  StreamState& of = all[rank].streams[stream];
  of.open.push_back(collective);
  of.open.back().number = of.launched++;
  of.open.back().launched = ranks.clock(rank);
  return of.open.size() == 1;
}

void RankStreams::arrive(std::uint32_t rank, std::size_t stream) {
  StreamState& of = all[rank].streams[stream];
  const PendingCollective& open = of.open.front();
  of.arrived = std::max(of.free, open.ready);
  if (of.free > open.ready)
    of.cause = of.origin, of.late = std::min(of.late, of.free - open.ready);
  else
    of.cause = {rank, std::min(open.launched, of.arrived)}, of.late = 0;
}

void RankStreams::hasBegun(std::uint32_t rank, std::size_t stream, std::uint64_t begin,
                           const WaitOrigin& origin) {
  RankState& u = all[rank];
  StreamState& of = u.streams[stream];
  of.late += begin - of.arrived;
  of.arrived = begin, of.origin = origin;
  for (LaunchedCollective& collective : u.launched)
    if (collective.stream == stream && collective.number == of.open.front().number)
      collective.begin = begin, collective.peerWait = of.late, collective.origin = origin;
}

void RankStreams::hasEnded(std::uint32_t rank, std::size_t stream, std::uint64_t end) {
  RankState& u = all[rank];
  StreamState& of = u.streams[stream];
  const std::uint32_t number = of.open.front().number;
  of.open.erase(of.open.begin());
  of.free = end, of.busy += end - of.arrived;
  for (LaunchedCollective& collective : u.launched)
    if (collective.stream == stream && collective.number == number)
      collective.end = end;
}

void RankStreams::wake(std::uint32_t rank, const WaitOrigin& waker) {
  if (ranks.wake(rank, WakeReason::Collective))
    all[rank].woken = true, all[rank].waker = waker;
}

void RankStreams::hold(std::uint32_t rank, std::uint64_t key, std::uint64_t time, bool whole) {
  RankState& u = all[rank];
  u.holding = key, u.holds = time, u.holdsAll = whole;
}

bool RankStreams::endHold(std::uint32_t rank) {
  RankState& u = all[rank];
  if (u.holding == never)
    return true;
  const LaunchedCollective& held = *u.find(u.holding);
  if (held.begin == never || (u.holdsAll && held.end == never))
    return ranks.suspend(rank, WakeReason::Collective);
  waitUntil(rank, u.holdsAll ? held.end : held.begin + u.holds, held.peerWait, held.origin);
  u.holding = never;
  return true;
}

bool RankStreams::wait(std::uint32_t rank, std::uint64_t key) {
  const LaunchedCollective* of = all[rank].find(key);
  if (of && of->end == never)
    return ranks.suspend(rank, WakeReason::Collective);
  if (of)
    waitUntil(rank, of->end, of->peerWait, of->origin);
  return true;
}

bool RankStreams::waitForAll(std::uint32_t rank, std::size_t stream) {
  const StreamState& of = all[rank].streams[stream];
  if (!of.open.empty())
    return ranks.suspend(rank, WakeReason::Collective);
  waitUntil(rank, of.free, of.late, of.origin);
  return true;
}

void RankStreams::waitUntil(std::uint32_t rank, std::uint64_t time, std::uint64_t peers,
                            WaitOrigin origin) {
  RankState& u = all[rank];
  // Nobody goes on before the last has launched the collective.
  if (u.woken && now > time) {
    peers += now - time, time = now;
    origin = {u.waker.rank, std::min(u.waker.at, now)};
  }
  u.woken = false;
  const std::uint64_t clock = ranks.clock(rank);
  if (time <= clock)
    return;
  ranks.waitUntil(rank, time, origin, WaitFor::Collective, &SimulatedRankTimes::collectives);
  peers = std::min(peers, time - clock);
  if (peers == 0)
    return;
  ranks.addPeerWait(rank, peers);
  // What computation has waited because of others no later collective costs it again.
  for (StreamState& of : u.streams)
    of.late -= std::min(of.late, peers);
  for (LaunchedCollective& of : u.launched)
    of.peerWait -= std::min(of.peerWait, peers);
}
