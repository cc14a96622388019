//===- BodyWalk.cpp - The segments of a body one by one ---------------------------------------===//
#include "cost/programs/BodyWalk.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class Walk {
public:
  Walk(Turn turn, const PassCosts& costs, Clocks clocks,
       llvm::function_ref<void(const WalkedSegment&)> visit)
      : turn(turn), costs(costs), visit(visit), began(clocks.computation), now(began) {
    free.fill(now);
    free[data] = clocks.data;
  }

  void run(const Block& block) {
    for (std::uint64_t i = 0; i < block.count; ++i) {
      now += slowed;
      slowed = 0;
      ends.clear();
      for (const Segment& s : block.segments)
        if (s.when == When::Every || (s.when == When::First ? turn.first : turn.last))
          run(s);
    }
  }
  std::uint64_t leaves() const { return now; }
  Clocks clocks() const { return {now + slowed + afterwards, free[data]}; }

private:
  static constexpr auto data = static_cast<std::size_t>(Stream::Data);

  void run(const Segment& s) {
    const std::uint64_t begin = now;
    switch (s.kind) {
    case SegmentKind::Compute:
      if (s.part == ComputePart::Offload)
        now = std::max(now, began + s.time);
      else
        now += costs.timeOf(s) + std::exchange(slowed, 0);
      visit({s, begin, now});
      return;
    case SegmentKind::Call:
      return call(s);
    case SegmentKind::Wait:
      if (const auto end = ends.find(s.called()); end != ends.end())
        now = std::max(now, end->second);
      return;
    }
  }
  void call(const Segment& s) {
    std::uint64_t& stream = free[static_cast<std::size_t>(s.stream)];
    const std::uint64_t begin = s.prefetch ? stream : std::max(stream, now);
    ends[s.called()] = stream = begin + s.time;
    (s.prefetch ? afterwards : slowed) += s.slows;
    if (s.holds > 0)
      now = std::max(now, begin + s.holds);
    visit({s, begin, stream});
  }

  Turn turn;
  PassCosts costs;
  llvm::function_ref<void(const WalkedSegment&)> visit;
  std::uint64_t began, now, slowed = 0, afterwards = 0;
  std::array<std::uint64_t, data + 1> free;          ///< when each stream is
  llvm::DenseMap<std::uint64_t, std::uint64_t> ends; ///< of the newest by Segment::called
};
} // namespace

std::uint64_t dpl::cost::walk(const Body& body, Turn turn, const PassCosts& costs, Clocks& clocks,
                              llvm::function_ref<void(const WalkedSegment&)> visit) {
  Walk all(turn, costs, clocks, visit);
  for (const Block& block : body.blocks)
    all.run(block);
  clocks = all.clocks();
  return all.leaves();
}
