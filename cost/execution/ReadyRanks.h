#pragma once
//===- ReadyRanks.h - The queue of ranks that can continue ------------------------------------===//
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace dpl::cost {

/// Each rank runs until it has to wait, and is woken by the rank that it waits for. Ranks run in
/// rounds, so that each one runs many actions at a time.
class ReadyRanks {
public:
  /// Makes all ranks ready.
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
  /// The condition is unpredictable, so this code has no branch.
  void wake(std::uint64_t rank) {
    woken[last] = static_cast<std::uint32_t>(rank);
    last += std::exchange(waiting[rank], 0);
  }

private:
  /// Ranks of this round and of the next one, without duplicates.
  std::vector<std::uint32_t> ready, woken;
  std::size_t next = 0, roundEnd = 0, last = 0; ///< next in `ready`, end of `ready`, end of `woken`
  std::vector<std::uint32_t> waiting;           ///< whether each rank waits: 0 or 1
};

} // namespace dpl::cost
