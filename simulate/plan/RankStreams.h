#pragma once
//===- RankStreams.h - The collectives of simulated ranks, by stream --------------------------===//
//
// The collectives of a stream run one after another in launch order. StepCollectives reports when
// the collectives of a rank begin and end. This class stores these times and makes computation wait
// for them.
#include "ir/Plan.h"
#include "simulate/plan/SimulatedRanks.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace dpl::simulation {

/// A launched collective whose end is not known yet.
struct PendingCollective {
  std::uint32_t rendezvous = 0;
  std::uint64_t ready = 0; ///< time at which its inputs are ready, whether or not the stream is
                           ///< free
  std::uint64_t time = 0;
  const ir::Collective* what = nullptr;
  std::uint64_t times = 1;    ///< number of times that it runs in succession
  std::uint32_t number = 0;   ///< index among the collectives of the stream
  std::uint64_t launched = 0; ///< launch time
};

struct StreamState {
  std::uint64_t free = 0;     ///< end of the last collective whose end is known
  std::uint64_t busy = 0;     ///< total time of all collectives that have ended
  std::uint32_t launched = 0; ///< number of collectives launched in this step
  std::uint64_t arrived = 0;  ///< time at which the first of `open` arrived at its rendezvous
  std::uint64_t late = 0;     ///< part of that delay that other ranks caused and that computation
                              ///< has not waited for
  WaitOrigin cause;           ///< cause of `arrived`: the launch, or the previous collective
  WaitOrigin origin;          ///< cause of the start of the last collective that began
  llvm::SmallVector<PendingCollective, 2> open;

  /// Launches a collective at time `at`. True if it is the only open one.
  bool launch(PendingCollective collective, std::uint64_t at) {
    collective.number = launched++, collective.launched = at;
    open.push_back(collective);
    return open.size() == 1;
  }
  /// Sets the arrival time of the first open collective: its own rank lets it begin then.
  void arrive(std::uint32_t rank) {
    const PendingCollective& first = open.front();
    arrived = std::max(free, first.ready);
    if (free > first.ready)
      cause = origin, late = std::min(late, free - first.ready);
    else
      cause = {rank, std::min(first.launched, arrived)}, late = 0;
  }
};

/// The streams of one rank, and the collectives that its computation can wait for.
class StreamsOfRank {
public:
  static constexpr std::size_t count = static_cast<std::size_t>(ir::Stream::Data) + 1;
  static constexpr std::uint64_t never = UINT64_MAX;
  /// The collective that was launched last with a key.
  struct LaunchedCollective {
    std::uint64_t key = 0; ///< Segment::collectiveKey
    std::uint32_t number = 0;
    std::uint8_t stream = 0;
    std::uint64_t begin = never, end = never;
    std::uint64_t peerWait = 0; ///< part of its delay that other ranks caused
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
  /// Records that the next collective launched on a stream is the newest with this key.
  void track(std::uint64_t key, std::size_t stream) {
    LaunchedCollective* of = find(key);
    if (!of)
      of = &launched.emplace_back();
    *of = {key, streams[stream].launched, static_cast<std::uint8_t>(stream), never, never, 0, {}};
  }
  /// Forgets all keys. A later wait is for a collective that is launched after this call.
  void forget() { launched.clear(); }
  /// Records that the first open collective of a stream has begun.
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
  /// Subtracts `peers`, the time that computation has already waited for other ranks, so that it is
  /// not counted again.
  void forgive(std::uint64_t peers);

private:
  std::array<StreamState, count> streams;
  llvm::SmallVector<LaunchedCollective, 8> launched;
};

class RankStreams {
public:
  RankStreams(SimulatedRanks& ranks, const std::uint64_t& now) : ranks(ranks), now(now) {}
  /// Begins a step of `rankCount` ranks, whose clocks are already set.
  void begin(std::uint32_t rankCount);
  StreamsOfRank& of(std::uint32_t rank) { return all[rank].streams; }
  StreamState& of(std::uint32_t rank, std::size_t stream) { return all[rank].streams[stream]; }

  /// Wakes a rank that is suspended for a collective. `waker` is the last member that launched it.
  void wake(std::uint32_t rank, const WaitOrigin& waker);
  bool isWoken(std::uint32_t rank) const { return all[rank].woken; }

  // These functions return false if the time is not known yet. The rank is then suspended.

  /// Blocks computation from the start of a collective for `time`, or until its end if `whole`.
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
    std::uint64_t holding = StreamsOfRank::never; ///< key of the collective that blocks computation
    std::uint64_t holds = 0;                      ///< time for which it blocks
    bool holdsAll = false;                        ///< whether it blocks until its end
    bool woken = false;                           ///< whether the last member has launched the
                                                  ///< awaited collective
    WaitOrigin waker;                             ///< launch of the last member
  };
  bool endHold(std::uint32_t rank, RankState& u);
  void waitUntil(std::uint32_t rank, RankState& u, std::uint64_t time, std::uint64_t peers,
                 WaitOrigin origin);

  SimulatedRanks& ranks;
  const std::uint64_t& now;
  std::vector<RankState> all;
};

} // namespace dpl::simulation
