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
};

class RankStreams {
public:
  static constexpr std::size_t count = static_cast<std::size_t>(ir::Stream::Data) + 1;
  using Streams = std::array<StreamState, count>;

  RankStreams(SimulatedRanks& ranks, const std::uint64_t& now) : ranks(ranks), now(now) {}
  /// A step of so many ranks, whose clocks are set, begins.
  void begin(std::uint32_t rankCount);
  Streams& of(std::uint32_t rank) { return all[rank].streams; }
  StreamState& of(std::uint32_t rank, std::size_t stream) { return all[rank].streams[stream]; }

  /// The next collective that a rank launches on a stream is the newest of this key.
  void track(std::uint32_t rank, std::uint64_t key, std::size_t stream);
  /// True where no other one of the stream is open.
  bool launch(std::uint32_t rank, std::size_t stream, const PendingCollective& collective);
  /// The first that is open can begin, as far as its rank goes.
  void arrive(std::uint32_t rank, std::size_t stream);
  void hasBegun(std::uint32_t rank, std::size_t stream, std::uint64_t begin,
                const WaitOrigin& origin);
  void hasEnded(std::uint32_t rank, std::size_t stream, std::uint64_t end);
  /// A rank that is suspended for a collective goes on; `waker` launched last.
  void wake(std::uint32_t rank, const WaitOrigin& waker);
  bool isWoken(std::uint32_t rank) const { return all[rank].woken; }

  // Of computation. False: the time is not known yet, and the rank is suspended.

  /// Computation waits from the begin of a collective on for so long, or for the whole of it.
  void hold(std::uint32_t rank, std::uint64_t key, std::uint64_t time, bool whole);
  bool endHold(std::uint32_t rank);
  bool wait(std::uint32_t rank, std::uint64_t key);
  bool waitForAll(std::uint32_t rank, std::size_t stream);
  void waitUntil(std::uint32_t rank, std::uint64_t time, std::uint64_t peers, WaitOrigin origin);
  /// Later waits are for later collectives.
  void forget(std::uint32_t rank) { all[rank].launched.clear(); }

private:
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
  struct RankState {
    Streams streams;
    llvm::SmallVector<LaunchedCollective, 8> launched;
    std::uint64_t holding = never, holds = 0; ///< key of what holds it up, and how long
    bool holdsAll = false;                    ///< until it has ended
    bool woken = false;                       ///< by the last who arrived
    WaitOrigin waker;                         ///< that one
    LaunchedCollective* find(std::uint64_t key);
  };

  SimulatedRanks& ranks;
  const std::uint64_t& now;
  std::vector<RankState> all;
};

} // namespace dpl::simulation
