#pragma once
//===- SimulatedRanks.h - The clocks and waiting times of simulated ranks ---------------------===//
#include "simulate/plan/StepWaits.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::simulation {

/// Times in ps that a simulated rank computed and waited in one step.
struct SimulatedRankTimes {
  std::uint64_t compute = 0;
  std::uint64_t collectives = 0; ///< waits of computation for collectives
  std::uint64_t peerWait = 0;    ///< part of `collectives`: waits until the last member arrived
  std::uint64_t inputWait = 0;   ///< waits for messages
  std::uint64_t loading = 0;     ///< waits for samples
  std::uint64_t sending = 0;     ///< waits for sends
  std::uint64_t barrier = 0;     ///< wait for the slowest rank before the optimizer step
};

/// The rank that caused an event, and the time at which it did. Only known if waits are recorded.
struct WaitOrigin {
  std::uint32_t rank = 0;
  std::uint64_t at = 0;
};

/// The event for which a rank is suspended.
enum class WakeReason : std::uint8_t { None, Input, Collective, Sends, Barrier };

class SimulatedRanks {
public:
  explicit SimulatedRanks(std::uint32_t count) : count(count) {}
  /// Begins a step. Every rank is ready, and its clock starts when it has its samples.
  void begin(llvm::ArrayRef<std::uint64_t> loaded);
  /// Records waits from the next step on, or nothing if `in` is null.
  void note(StepWaits* in) { noted = in; }
  bool notes() const { return noted != nullptr; }

  std::uint64_t clock(std::uint32_t rank) const { return all[rank].clock; }
  llvm::ArrayRef<SimulatedRankTimes> times() const { return spent; }
  void compute(std::uint32_t rank, std::uint64_t time) {
    all[rank].clock += time;
    spent[rank].compute += time;
  }
  /// Advances the clock to `until`, unless it is later already, and adds the waiting time to
  /// `counter`.
  void waitUntil(std::uint32_t rank, std::uint64_t until, const WaitOrigin& origin, WaitFor what,
                 std::uint64_t SimulatedRankTimes::*counter) {
    std::uint64_t& clock = all[rank].clock;
    if (until <= clock)
      return;
    if (noted)
      noted->add(rank, {until, origin.at, origin.rank, what, clock});
    spent[rank].*counter += until - clock;
    clock = until;
  }
  /// Adds the part of the waits for collectives that other members caused, in ps.
  void addPeerWait(std::uint32_t rank, std::uint64_t time) { spent[rank].peerWait += time; }

  /// Suspends the rank. Always returns false, so that callers can return the result.
  bool suspend(std::uint32_t rank, WakeReason until) {
    all[rank].suspended = until;
    return false;
  }
  /// Makes the rank ready if it is suspended for this reason.
  bool wake(std::uint32_t rank, WakeReason reason) {
    if (all[rank].suspended != reason)
      return false;
    all[rank].suspended = WakeReason::None;
    ready.push_back(rank);
    return true;
  }
  /// Removes and returns the rank that became ready last.
  std::optional<std::uint32_t> nextReady() {
    if (ready.empty())
      return std::nullopt;
    const std::uint32_t rank = ready.back();
    ready.pop_back();
    return rank;
  }

private:
  struct RankState {
    std::uint64_t clock = 0; ///< time up to which computation has advanced
    WakeReason suspended = WakeReason::None;
  };
  const std::uint32_t count;
  std::vector<RankState> all;
  std::vector<SimulatedRankTimes> spent;
  std::vector<std::uint32_t> ready;
  StepWaits* noted = nullptr;
};

/// A barrier of all ranks before their optimizer steps.
class StepBarrier {
public:
  StepBarrier(SimulatedRanks& ranks, std::uint32_t count) : ranks(ranks), count(count) {}
  void begin() { arrived = last = 0, time = 0; }
  /// Returns false if the rank must wait.
  bool cross(std::uint32_t rank);
  /// The rank that arrived last; of several, the one that the simulation advanced first.
  std::uint32_t lastRank() const { return last; }

private:
  SimulatedRanks& ranks;
  const std::uint32_t count;
  std::uint32_t arrived = 0, last = 0;
  std::uint64_t time = 0; ///< latest arrival so far
};

} // namespace dpl::simulation
