//===- RankStreams.cpp - The collectives of simulated ranks, by stream ------------------------===//
#include "simulate/plan/RankStreams.h"

using namespace dpl;
using namespace dpl::simulation;

void StreamsOfRank::forgive(std::uint64_t peers) {
  for (StreamState& of : streams)
    of.late -= std::min(of.late, peers);
  for (LaunchedCollective& of : launched)
    of.peerWait -= std::min(of.peerWait, peers);
}

void RankStreams::begin(std::uint32_t rankCount) {
  all.assign(rankCount, {});
  for (std::uint32_t rank = 0; rank < rankCount; ++rank)
    for (StreamState& stream : of(rank).all())
      stream.free = ranks.clock(rank), stream.origin = {rank, stream.free};
}

void RankStreams::wake(std::uint32_t rank, const WaitOrigin& waker) {
  if (ranks.wake(rank, WakeReason::Collective))
    all[rank].woken = true, all[rank].waker = waker;
}

bool RankStreams::endHold(std::uint32_t rank, RankState& u) {
  const StreamsOfRank::LaunchedCollective& held = *u.streams.find(u.holding);
  if (held.begin == StreamsOfRank::never || (u.holdsAll && held.end == StreamsOfRank::never))
    return ranks.suspend(rank, WakeReason::Collective);
  waitUntil(rank, u, u.holdsAll ? held.end : held.begin + u.holds, held.peerWait, held.origin);
  u.holding = StreamsOfRank::never;
  return true;
}

bool RankStreams::waitForAll(std::uint32_t rank, std::size_t stream) {
  RankState& u = all[rank];
  const StreamState& of = u.streams[stream];
  if (!of.open.empty())
    return ranks.suspend(rank, WakeReason::Collective);
  waitUntil(rank, u, of.free, of.late, of.origin);
  return true;
}

void RankStreams::waitUntil(std::uint32_t rank, RankState& u, std::uint64_t time,
                            std::uint64_t peers, WaitOrigin origin) {
  // A rank that waits for a collective does not continue before the last member has launched it.
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
  u.streams.forgive(peers);
}
