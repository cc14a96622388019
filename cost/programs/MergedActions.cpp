//===- MergedActions.cpp - A forward and a backward pass that overlap -------------------------===//
#include "cost/programs/MergedActions.h"
#include "cost/programs/ChunkCollectives.h"
#include "cost/programs/ComputeSegmentWriter.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool isExchange(const Segment& s) {
  return s.asCollective() && s.asCollective()->stream == Stream::Expert;
}
/// Whether this is a parameter gather for which computation stops.
bool opens(const Segment& s) {
  const CollectiveSegment* const launch = s.asCollective();
  return launch && launch->stream == Stream::Data && launch->holdsFor == launch->time;
}

/// The remaining segments of one pass in a loop iteration.
struct AlternatingSegments {
  llvm::ArrayRef<Segment> remaining;
  bool backward = false;
  std::optional<ChunkCollectiveId> overlapped; ///< exchange that overlaps with the other pass

  Segment next() {
    Segment s = remaining.front();
    remaining = remaining.drop_front();
    s.backward = backward;
    return s;
  }
  /// ps of computation until the next exchange.
  std::uint64_t computes() const { return computation(remaining.take_until(isExchange)); }
};

class Merger {
public:
  Merger(double contention, WrittenProgram& out) : contention(contention), to(out) {}

  /// Without `turns` the backward pass follows the forward pass.
  void run(llvm::ArrayRef<SegmentLoop> forward, llvm::ArrayRef<SegmentLoop> backward, bool turns) {
    to.clear();
    RemainingLoops passes[] = {{forward, false}, {backward, true}};
    while (turns) {
      for (RemainingLoops& pass : passes)
        while (!pass.done() && llvm::none_of(pass.block().segments, isExchange))
          alone(pass);
      auto& [one, other] = passes;
      if (one.done() || other.done())
        break;
      const std::uint64_t times = std::min(one.remaining, other.remaining);
      to.open(times);
      alternate(alternatingSegmentsOf(one), alternatingSegmentsOf(other));
      one.consume(times), other.consume(times);
    }
    for (RemainingLoops& pass : passes)
      while (!pass.done())
        alone(pass);
    // Transfers over the host link start with the stage program. Their segments come last, so that
    // only the slowdown by the last collectives follows them.
    if (!crossings.empty() && !to.endsOnce())
      to.open(1);
    for (const Segment& s : std::exchange(crossings, {}))
      to.segment(s);
  }

private:
  /// The loops of a pass that remain; `remaining` counts iterations of the first one.
  struct RemainingLoops {
    RemainingLoops(llvm::ArrayRef<SegmentLoop> all, bool second) : blocks(all), backward(second) {
      remaining = done() ? 0 : block().count;
    }
    bool done() const { return blocks.empty(); }
    const SegmentLoop& block() const { return blocks.front(); }
    void consume(std::uint64_t times) {
      if (remaining -= times; remaining > 0)
        return;
      blocks = blocks.drop_front();
      remaining = done() ? 0 : block().count;
    }
    llvm::ArrayRef<SegmentLoop> blocks;
    bool backward;
    std::uint64_t remaining = 0;
  };

  static AlternatingSegments alternatingSegmentsOf(const RemainingLoops& pass) {
    return {pass.block().segments, pass.backward, std::nullopt};
  }
  /// Writes the rest of a loop without overlap.
  void alone(RemainingLoops& pass) {
    to.open(pass.remaining);
    AlternatingSegments all = alternatingSegmentsOf(pass);
    while (!all.remaining.empty())
      segment(all.next());
    pass.consume(pass.remaining);
  }

  void alternate(AlternatingSegments forward, AlternatingSegments backward) {
    // Gathers that block either pass come before prefetches.
    for (AlternatingSegments* pass : {&backward, &forward})
      while (!pass->remaining.empty() && opens(pass->remaining.front()))
        segment(pass->next());
    AlternatingSegments *own = &backward, *other = &forward;
    while (!own->remaining.empty() || !other->remaining.empty()) {
      awaits(*own);
      while (!own->remaining.empty()) {
        Segment s = own->next();
        const bool exchanges = isExchange(s) && !other->remaining.empty();
        if (exchanges) {
          CollectiveSegment& launch = *s.asCollective();
          launch.holdsFor = 0;
          launch.slowdown = lostToOverlap(launch.time, other->computes(), contention);
          own->overlapped = launch.collective;
        }
        segment(s);
        if (exchanges)
          break;
      }
      std::swap(own, other);
    }
    awaits(backward), awaits(forward);
  }
  void awaits(AlternatingSegments& pass) {
    if (!pass.overlapped)
      return;
    Segment s = waitFor({*pass.overlapped, 0}, MicroBatchSelection::Every);
    s.backward = pass.backward;
    segment(s);
    pass.overlapped.reset();
  }
  void segment(const Segment& s) {
    if (s.computes(ComputeKind::Offload))
      crossings.push_back(s);
    else
      to.segment(s);
  }

  double contention;
  WrittenProgram& to;
  llvm::SmallVector<Segment, 2> crossings;
};
} // namespace

bool dpl::cost::mergesPairs(const Plan& plan) {
  return scheduleInfo(plan.layout.schedule).pairs && plan.layout.overlap.experts &&
         groupWith(plan, {Axis::Expert});
}

namespace {
bool inFull(const Segment&) { return true; }

/// Whether outputs are ready later, or computation ends later, than without alternating.
bool isSlower(llvm::ArrayRef<SegmentLoop> merged, llvm::ArrayRef<SegmentLoop> forward,
              llvm::ArrayRef<SegmentLoop> backward, const MicroBatchCosts& costs) {
  for (std::size_t one = 0; one < costs.kinds(); ++one)
    for (std::size_t other = 0; other < costs.kinds(); ++other) {
      const ActionCosts both(costs.ratio(one), costs.ratio(other));
      Clocks paired, apart;
      const std::uint64_t left = timeOf(merged, {}, inFull, both).advance(paired);
      const std::uint64_t leaves = timeOf(forward, {}, inFull, both.first)
                                       .then(timeOf(backward, {}, inFull, both.backward))
                                       .advance(apart);
      if (left > leaves || paired.computation > apart.computation)
        return true;
    }
  return false;
}
} // namespace

void dpl::cost::merge(llvm::ArrayRef<SegmentLoop> forward, llvm::ArrayRef<SegmentLoop> backward,
                      double contention, const MicroBatchCosts& costs, WrittenProgram& to) {
  Merger merger(contention, to);
  merger.run(forward, backward, true);
  if (isSlower(to.blocks(), forward, backward, costs))
    merger.run(forward, backward, false);
}

void dpl::cost::timesOfPair(llvm::ArrayRef<SegmentLoop> merged, IncludesSegment includes,
                            const MicroBatchCosts& costs, std::vector<ActionTime>& out) {
  for (std::size_t forward = 0; forward < costs.kinds(); ++forward)
    for (std::size_t backward = 0; backward < costs.kinds(); ++backward)
      out.push_back(timesOf(merged, includes, {costs.ratio(forward), costs.ratio(backward)}));
}
