#pragma once
//===- EventQueue.h - Events in the order of time ---------------------------------------------===//
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace dpl::simulate {

/// The order of events at one time: flows that end free their links, then new flows begin, then the
/// rates of flows are computed.
enum class EventPhase : std::uint8_t { Ends, Begins, Settles };

struct Event {
  std::uint64_t key = 0;     ///< four times the time, plus the phase
  std::uint64_t payload = 0; ///< value that the caller attaches to the event
  std::uint64_t time() const { return key / 4; }
};

/// Returns events by time, phase and insertion order. Times are ps below 2^61. A new event must not
/// be earlier than the last one removed. The queue is a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan,
/// Faster algorithms for the shortest path problem, 1990). Events with equal keys are always in one
/// bucket, in insertion order.
class EventQueue {
public:
  bool empty() const { return count == 0; }
  std::size_t size() const { return count; }
  void clear() {
    for (auto& bucket : buckets)
      bucket.clear();
    filled = 0, last = 0, first = 0, count = 0;
  }

  void add(std::uint64_t time, EventPhase phase, std::uint64_t payload) {
    const std::uint64_t key = 4 * time + static_cast<std::uint64_t>(phase);
    assert(key >= last && "time goes forward");
    place({key, payload});
    ++count;
  }

  Event pop() {
    assert(count > 0);
    if (first == buckets[0].size())
      refill();
    --count;
    return buckets[0][first++];
  }

private:
  void place(const Event& event) {
    const auto at = static_cast<std::size_t>(std::bit_width(event.key ^ last));
    buckets[at].push_back(event);
    filled |= std::uint64_t{1} << at;
  }
  void refill() {
    buckets[0].clear();
    first = 0;
    filled &= ~std::uint64_t{1};
    const auto from = static_cast<std::size_t>(std::countr_zero(filled));
    moved.swap(buckets[from]);
    filled &= ~(std::uint64_t{1} << from);
    last = moved.front().key;
    for (const Event& event : moved)
      last = std::min(last, event.key);
    for (const Event& event : moved)
      place(event);
    moved.clear();
  }

  std::array<std::vector<Event>, 64> buckets; ///< events by the highest bit in which their key
                                              ///< differs from `last`
  std::vector<Event> moved;
  std::uint64_t filled = 0, last = 0;
  std::size_t first = 0; ///< index of the next event in bucket 0
  std::size_t count = 0;
};

} // namespace dpl::simulate
