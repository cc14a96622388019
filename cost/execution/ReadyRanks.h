#pragma once
//===- ReadyRanks.h - Which ranks can go on, and which wait for others ------------------------===//
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace dpl::cost {

/// Each rank runs until it has to wait; whoever brings what it waits for wakes it. Ranks take
/// turns, so that each goes far when its turn comes.
class ReadyRanks {
public:
  /// All of them.
  void assign(std::uint64_t ranks) {
    waiting.assign(ranks, 0);
    ready.resize(ranks + 1), woken.resize(ranks + 1);
    std::iota(ready.begin(), ready.end(), 0);
    next = last = 0, roundEnd = ranks;
  }
  bool empty() const { return next == roundEnd && last == 0; }
  std::uint32_t pop() {
    if (next == roundEnd) {
      ready.swap(woken);
      roundEnd = std::exchange(last, 0);
      next = 0;
    }
    return ready[next++];
  }
  void wait(std::uint64_t rank) { waiting[rank] = 1; }
  /// Whether the rank waits nobody can predict, so there is no branch.
  void wake(std::uint64_t rank) {
    woken[last] = static_cast<std::uint32_t>(rank);
    last += std::exchange(waiting[rank], 0);
  }

private:
  std::vector<std::uint32_t> ready, woken;      ///< of this turn, of the next: none twice
  std::size_t next = 0, roundEnd = 0, last = 0; ///< of `ready`, its end, that of `woken`
  std::vector<std::uint32_t> waiting;           ///< by rank, 0 or 1
};

} // namespace dpl::cost
