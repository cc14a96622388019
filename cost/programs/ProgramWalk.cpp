//===- ProgramWalk.cpp - The segments of a body one by one
//-------------------------------------===//
#include "cost/programs/ProgramWalk.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class Walk {
public:
  Walk(FirstLast firstLast, const ActionCosts& costs, Clocks clocks,
       llvm::function_ref<void(const WalkedSegment&)> visit)
      : firstLast(firstLast), costs(costs), visit(visit), began(clocks.computation), now(began) {
    free.fill(now);
    free[data] = clocks.data;
  }

  void run(const SegmentLoop& block) {
    for (std::uint64_t i = 0; i < block.count; ++i) {
      now += slowed;
      slowed = 0;
      ends.clear();
      for (const Segment& s : block.segments)
        if (s.selection == MicroBatchSelection::Every ||
            (s.selection == MicroBatchSelection::First ? firstLast.first : firstLast.last))
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
      if (s.computeKind == ComputeKind::Offload)
        now = std::max(now, began + s.time);
      else
        now += costs.timeOf(s) + std::exchange(slowed, 0);
      visit({s, begin, now});
      return;
    case SegmentKind::Collective:
      return collective(s);
    case SegmentKind::Wait:
      if (const auto end = ends.find(s.collectiveKey()); end != ends.end())
        now = std::max(now, end->second);
      return;
    }
  }
  void collective(const Segment& s) {
    std::uint64_t& stream = free[static_cast<std::size_t>(s.stream)];
    const std::uint64_t begin = s.prefetch ? stream : std::max(stream, now);
    ends[s.collectiveKey()] = stream = begin + s.time;
    (s.prefetch ? afterwards : slowed) += s.slowdown;
    if (s.holdsFor > 0)
      now = std::max(now, begin + s.holdsFor);
    visit({s, begin, stream});
  }

  FirstLast firstLast;
  ActionCosts costs;
  llvm::function_ref<void(const WalkedSegment&)> visit;
  std::uint64_t began, now, slowed = 0, afterwards = 0;
  std::array<std::uint64_t, data + 1> free;          ///< when each stream is
  llvm::DenseMap<std::uint64_t, std::uint64_t> ends; ///< of the newest by Segment::collectiveKey
};
} // namespace

std::uint64_t dpl::cost::walk(const StageProgram& program, FirstLast firstLast,
                              const ActionCosts& costs, Clocks& clocks,
                              llvm::function_ref<void(const WalkedSegment&)> visit) {
  Walk all(firstLast, costs, clocks, visit);
  for (const SegmentLoop& block : program.loops)
    all.run(block);
  clocks = all.clocks();
  return all.leaves();
}
