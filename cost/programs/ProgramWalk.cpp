//===- ProgramWalk.cpp - Visits the segments of a stage program one by one --------------------===//
#include "cost/programs/ProgramWalk.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class Walk : public ProgramClocks<std::uint64_t> {
public:
  Walk(FirstLast firstLast, const ActionCosts& costs, Clocks clocks,
       llvm::function_ref<void(const WalkedSegment&)> visit)
      : firstLast(firstLast), costs(costs), visit(visit), began(clocks.computation) {
    begin(began, clocks.data);
  }

  void run(const SegmentLoop& block) {
    for (std::uint64_t i = 0; i < block.count; ++i) {
      beginIteration(*this);
      for (const Segment& s : block.segments)
        if (runsIn(s, firstLast))
          run(s);
    }
  }
  Clocks end() const {
    return {computation() + slowdown.next + slowdown.afterwards, clockOf(Stream::Data)};
  }

  // The functions that `advance` needs (SegmentTransition.h).
  std::uint64_t computeTime(const Segment& s) const { return costs.timeOf(s); }
  static bool takesTime(const Segment& /*unused*/) { return true; }
  void offload(std::uint64_t time) { set(std::max(computation(), began + time)); }

private:
  void run(const Segment& s) {
    const std::uint64_t from = computation();
    advance(*this, s);
    if (s.asCompute())
      visit({s, from, computation()});
    else if (const CollectiveSegment* const launch = s.asCollective())
      visit({s, lastBegin(), clockOf(launch->stream)});
  }

  FirstLast firstLast;
  ActionCosts costs;
  llvm::function_ref<void(const WalkedSegment&)> visit;
  std::uint64_t began;
};
} // namespace

std::uint64_t dpl::cost::walk(const StageProgram& program, FirstLast firstLast,
                              const ActionCosts& costs, Clocks& clocks,
                              llvm::function_ref<void(const WalkedSegment&)> visit) {
  Walk all(firstLast, costs, clocks, visit);
  for (const SegmentLoop& block : program.loops)
    all.run(block);
  clocks = all.end();
  return all.computation();
}
