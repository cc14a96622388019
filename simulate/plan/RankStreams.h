#pragma once
//===- RankStreams.h - Collectives of simulated ranks, stream by stream -----------------------===//
//
// The collectives of a stream run one after the other in the order in which they were launched.
// This part knows when those of a rank begin and end, once StepCollectives says so, and what of
// that computation waits for.
#include "ir/Plan.h"
#include "simulate/plan/SimulatedRanks.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace dpl::simulation {

/// A collective that a rank has launched and whose end it does not know.
struct PendingCollective {
  std::uint32_t rendezvous = 0;
  std::uint64_t ready = 0; ///< what it needs is there, besides the stream
  std::uint64_t time = 0;
  const ir::Collective* what = nullptr;
  std::uint64_t times = 1;    ///< one after the other
  std::uint32_t number = 0;   ///< among those of the stream
  std::uint64_t launched = 0; ///< by computation
};

struct StreamState {
  std::uint64_t free = 0;     ///< when its last known collective has ended
  std::uint64_t busy = 0;     ///< with the collectives that have ended
  std::uint32_t launched = 0; ///< in this step
  std::uint64_t arrived = 0;  ///< of the first of `open` at its rendezvous
  std::uint64_t late = 0;     ///< that it is because of others, besides what was waited for
  WaitOrigin cause;  ///< of `arrived`: who launched, or set off what the stream was busy with
  WaitOrigin origin; ///< of the last that has begun
  llvm::SmallVector<PendingCollective, 2> open;

  /// Computation launches one at `at`; true where no other one is open.
  bool launch(PendingCollective collective, std::uint64_t at) {
    collective.number = launched++, collective.launched = at;
    open.push_back(collective);
    return open.size() == 1;
  }
  /// The first that is open can begin, as far as its rank goes.
  void arrive(std::uint32_t rank) {
    const PendingCollective& first = open.front();
    arrived = std::max(free, first.ready);
    if (free > first.ready)
      cause = origin, late = std::min(late, free - first.ready);
    else
      cause = {rank, std::min(first.launched, arrived)}, late = 0;
  }
};

/// The streams of one rank, and what of them its computation can wait for.
class StreamsOfRank {
public:
  static constexpr std::size_t count = static_cast<std::size_t>(ir::Stream::Data) + 1;
  static constexpr std::uint64_t never = UINT64_MAX;
  /// The newest collective of a key in an iteration.
  struct LaunchedCollective {
    std::uint64_t key = 0; ///< by Segment::collectiveKey
    std::uint32_t number = 0;
    std::uint8_t stream = 0;
    std::uint64_t begin = never, end = never;
    std::uint64_t peerWait = 0; ///< that it begins later because of others
    WaitOrigin origin;
  };

  StreamState& operator[](std::size_t stream) { return streams[stream]; }
  std::array<StreamState, count>& all() { return streams; }
  LaunchedCollective* find(std::uint64_t key) {
    for (LaunchedCollective& collective : launched)
      if (collective.key == key)
        return &collective;
    return nullptr;
  }
  /// The next collective that is launched on a stream is the newest of this key.
  void track(std::uint64_t key, std::size_t stream) {
    LaunchedCollective* of = find(key);
    if (!of)
      of = &launched.emplace_back();
    *of = {key, streams[stream].launched, static_cast<std::uint8_t>(stream), never, never, 0, {}};
  }
  /// Later waits are for later collectives.
  void forget() { launched.clear(); }
  /// The first that is open on a stream.
  void hasBegun(std::size_t stream, std::uint64_t begin, const WaitOrigin& origin) {
    StreamState& of = streams[stream];
    of.late += begin - of.arrived;
    of.arrived = begin, of.origin = origin;
    for (LaunchedCollective& collective : launched)
      if (collective.stream == stream && collective.number == of.open.front().number)
        collective.begin = begin, collective.peerWait = of.late, collective.origin = origin;
  }
  void hasEnded(std::size_t stream, std::uint64_t end) {
    StreamState& of = streams[stream];
    const std::uint32_t number = of.open.front().number;
    of.open.erase(of.open.begin());
    of.free = end, of.busy += end - of.arrived;
    for (LaunchedCollective& collective : launched)
      if (collective.stream == stream && collective.number == number)
        collective.end = end;
  }
  /// What computation has waited because of others no later collective costs it again.
  void forgive(std::uint64_t peers);

private:
  std::array<StreamState, count> streams;
  llvm::SmallVector<LaunchedCollective, 8> launched;
};

class RankStreams {
public:
  RankStreams(SimulatedRanks& ranks, const std::uint64_t& now) : ranks(ranks), now(now) {}
  /// A step of so many ranks, whose clocks are set, begins.
  void begin(std::uint32_t rankCount);
  StreamsOfRank& of(std::uint32_t rank) { return all[rank].streams; }
  StreamState& of(std::uint32_t rank, std::size_t stream) { return all[rank].streams[stream]; }

  /// A rank that is suspended for a collective goes on; `waker` launched last.
  void wake(std::uint32_t rank, const WaitOrigin& waker);
  bool isWoken(std::uint32_t rank) const { return all[rank].woken; }

  // Of computation. False: the time is not known yet, and the rank is suspended.

  /// Computation waits from the begin of a collective on for so long, or for the whole of it.
  void hold(std::uint32_t rank, std::uint64_t key, std::uint64_t time, bool whole) {
    RankState& u = all[rank];
    u.holding = key, u.holds = time, u.holdsAll = whole;
  }
  bool endHold(std::uint32_t rank) {
    return all[rank].holding == StreamsOfRank::never || endHold(rank, all[rank]);
  }
  bool wait(std::uint32_t rank, std::uint64_t key) {
    RankState& u = all[rank];
    const StreamsOfRank::LaunchedCollective* of = u.streams.find(key);
    if (of && of->end == StreamsOfRank::never)
      return ranks.suspend(rank, WakeReason::Collective);
    if (of)
      waitUntil(rank, u, of->end, of->peerWait, of->origin);
    return true;
  }
  bool waitForAll(std::uint32_t rank, std::size_t stream);
  void waitUntil(std::uint32_t rank, std::uint64_t time, std::uint64_t peers,
                 const WaitOrigin& origin) {
    waitUntil(rank, all[rank], time, peers, origin);
  }

private:
  struct RankState {
    StreamsOfRank streams;
    std::uint64_t holding = StreamsOfRank::never; ///< key of what holds it up
    std::uint64_t holds = 0;                      ///< how long
    bool holdsAll = false;                        ///< until it has ended
    bool woken = false;                           ///< by the last who arrived
    WaitOrigin waker;                             ///< that one
  };
  bool endHold(std::uint32_t rank, RankState& u);
  void waitUntil(std::uint32_t rank, RankState& u, std::uint64_t time, std::uint64_t peers,
                 WaitOrigin origin);

  SimulatedRanks& ranks;
  const std::uint64_t& now;
  std::vector<RankState> all;
};

} // namespace dpl::simulation
