#pragma once
//===- ReadyRanks.h - Which ranks can go on, and which wait for others ------------------------===//
#include <cstdint>
#include <numeric>
#include <vector>

namespace dpl::cost {

/// Each rank runs until it has to wait; whoever brings what it waits for wakes it. Ranks take
/// turns, so that each goes far when its turn comes.
class ReadyRanks {
public:
  /// All of them.
  void assign(std::uint64_t ranks) {
    waiting.assign(ranks, 0);
    ready.resize(ranks);
    std::iota(ready.begin(), ready.end(), 0);
    woken.clear();
    next = 0;
  }
  bool empty() const { return next == ready.size() && woken.empty(); }
  std::uint32_t take() {
    if (next == ready.size()) {
      ready.swap(woken);
      woken.clear();
      next = 0;
    }
    return ready[next++];
  }
  void wait(std::uint64_t rank) { waiting[rank] = 1; }
  void wake(std::uint64_t rank) {
    if (waiting[rank] == 0)
      return;
    waiting[rank] = 0;
    woken.push_back(static_cast<std::uint32_t>(rank));
  }

private:
  std::vector<std::uint32_t> ready, woken; ///< of this turn, of the next
  std::size_t next = 0;                    ///< of `ready`
  std::vector<std::uint32_t> waiting;      ///< by rank, 0 or 1
};

} // namespace dpl::cost
