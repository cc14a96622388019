#pragma once
//===- SimulatedRanks.h - The clocks of simulated ranks, and who waits ------------------------===//
#include "simulate/plan/StepWaits.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::simulation {

/// ps that a simulated rank was busy and waited, in one step.
struct SimulatedRankTimes {
  std::uint64_t compute = 0;
  std::uint64_t collectives = 0; ///< of computation that waited for collectives
  std::uint64_t peerWait = 0;    ///< part of `collectives`: until the last member had arrived
  std::uint64_t inputWait = 0;   ///< for messages
  std::uint64_t loading = 0;     ///< for samples
  std::uint64_t sending = 0;     ///< for what it sent
  std::uint64_t barrier = 0;     ///< for the slowest rank, before the optimizer step
};

/// Who set something off, and when; known where waits are noted.
struct WaitOrigin {
  std::uint32_t rank = 0;
  std::uint64_t at = 0;
};

/// An event for which a rank is suspended.
enum class WakeReason : std::uint8_t { None, Input, Collective, Sends, Barrier };

class SimulatedRanks {
public:
  explicit SimulatedRanks(std::uint32_t count) : count(count) {}
  /// A step begins: every rank is ready, and its clock is when its samples are there.
  void begin(llvm::ArrayRef<std::uint64_t> loaded);
  /// Notes who waits for whom from the next step on; nobody does where it is null.
  void note(StepWaits* in) { noted = in; }
  bool notes() const { return noted != nullptr; }

  std::uint64_t clock(std::uint32_t rank) const { return all[rank].clock; }
  llvm::ArrayRef<SimulatedRankTimes> times() const { return spent; }
  void compute(std::uint32_t rank, std::uint64_t time) {
    all[rank].clock += time;
    spent[rank].compute += time;
  }
  /// Computation waits until then, which `counter` counts, unless its clock is there already.
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
  /// ps of a wait for collectives that the rank waited because of its peers.
  void addPeerWait(std::uint32_t rank, std::uint64_t time) { spent[rank].peerWait += time; }

  /// False, for who asks whether the rank goes on.
  bool suspend(std::uint32_t rank, WakeReason until) {
    all[rank].suspended = until;
    return false;
  }
  /// Makes the rank ready if it is suspended for this.
  bool wake(std::uint32_t rank, WakeReason reason) {
    if (all[rank].suspended != reason)
      return false;
    all[rank].suspended = WakeReason::None;
    ready.push_back(rank);
    return true;
  }
  /// The rank that became ready last.
  std::optional<std::uint32_t> nextReady() {
    if (ready.empty())
      return std::nullopt;
    const std::uint32_t rank = ready.back();
    ready.pop_back();
    return rank;
  }

private:
  struct RankState {
    std::uint64_t clock = 0; ///< of computation
    WakeReason suspended = WakeReason::None;
  };
  const std::uint32_t count;
  std::vector<RankState> all;
  std::vector<SimulatedRankTimes> spent;
  std::vector<std::uint32_t> ready;
  StepWaits* noted = nullptr;
};

/// All ranks meet there before their optimizer steps.
class StepBarrier {
public:
  StepBarrier(SimulatedRanks& ranks, std::uint32_t count) : ranks(ranks), count(count) {}
  void begin() { arrived = last = 0, time = 0; }
  /// False where the rank has to wait.
  bool cross(std::uint32_t rank);
  /// Who came last; the first of several.
  std::uint32_t lastRank() const { return last; }

private:
  SimulatedRanks& ranks;
  const std::uint32_t count;
  std::uint32_t arrived = 0, last = 0;
  std::uint64_t time = 0; ///< when the last so far arrived
};

} // namespace dpl::simulation
