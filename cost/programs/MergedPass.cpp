//===- MergedPass.cpp - A forward and a backward that take turns ------------------------------===//
#include "cost/programs/MergedPass.h"
#include "cost/programs/Calls.h"
#include "cost/programs/Track.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool isExchange(const Segment& s) {
  return s.kind == SegmentKind::Call && s.stream == Stream::Expert;
}
/// A gather for which the pass waits at once.
bool opens(const Segment& s) {
  return s.kind == SegmentKind::Call && s.stream == Stream::Data && s.holds == s.time;
}
bool isCrossing(const Segment& s) { return s.part == ComputePart::Offload; }

/// The segments of one pass that are still to be written, of a block.
struct Turns {
  llvm::ArrayRef<Segment> left;
  bool backward = false;
  std::optional<Segment> beside; ///< the exchange that runs while the other pass does

  Segment next() {
    Segment s = left.front();
    left = left.drop_front();
    s.backward = backward;
    return s;
  }
  /// ps that it computes until its next exchange.
  std::uint64_t computes() const { return computation(left.take_until(isExchange)); }
};

class Merger {
public:
  Merger(double contention, WrittenPass& out) : contention(contention), to(out) {}

  /// Without `turns` one pass stands behind the other.
  void run(llvm::ArrayRef<Block> forward, llvm::ArrayRef<Block> backward, bool turns) {
    to.clear();
    Pass passes[] = {{forward, false}, {backward, true}};
    while (turns) {
      for (Pass& pass : passes)
        while (!pass.done() && llvm::none_of(pass.block().segments, isExchange))
          alone(pass);
      auto& [one, other] = passes;
      if (one.done() || other.done())
        break;
      const std::uint64_t times = std::min(one.left, other.left);
      to.open(times);
      inTurn(turnsOf(one), turnsOf(other));
      one.take(times), other.take(times);
    }
    for (Pass& pass : passes)
      while (!pass.done())
        alone(pass);
    // What crosses the host's link does so from the begin on, and what the last calls cost comes
    // behind it.
    if (!crossings.empty() && !to.endsOnce())
      to.open(1);
    for (const Segment& s : std::exchange(crossings, {}))
      to.segment(s);
  }

private:
  /// The blocks of a pass that are still to be written, of the first as many as are left.
  struct Pass {
    Pass(llvm::ArrayRef<Block> all, bool second) : blocks(all), backward(second) {
      left = done() ? 0 : block().count;
    }
    bool done() const { return blocks.empty(); }
    const Block& block() const { return blocks.front(); }
    void take(std::uint64_t times) {
      if (left -= times; left > 0)
        return;
      blocks = blocks.drop_front();
      left = done() ? 0 : block().count;
    }
    llvm::ArrayRef<Block> blocks;
    bool backward;
    std::uint64_t left = 0;
  };

  static Turns turnsOf(const Pass& pass) {
    return {pass.block().segments, pass.backward, std::nullopt};
  }
  /// What is left of a block runs with nothing beside it.
  void alone(Pass& pass) {
    to.open(pass.left);
    Turns all = turnsOf(pass);
    while (!all.left.empty())
      segment(all.next());
    pass.take(pass.left);
  }

  void inTurn(Turns forward, Turns backward) {
    // What either needs before it begins comes before what they gather ahead.
    for (Turns* pass : {&backward, &forward})
      while (!pass->left.empty() && opens(pass->left.front()))
        segment(pass->next());
    Turns *own = &backward, *other = &forward;
    while (!own->left.empty() || !other->left.empty()) {
      awaits(*own);
      while (!own->left.empty()) {
        Segment s = own->next();
        const bool exchanges = isExchange(s) && !other->left.empty();
        if (exchanges) {
          s.holds = 0;
          s.slows = lostBeside(s.time, other->computes(), contention);
          own->beside = s;
        }
        segment(s);
        if (exchanges)
          break;
      }
      std::swap(own, other);
    }
    awaits(backward), awaits(forward);
  }
  void awaits(Turns& pass) {
    if (!pass.beside)
      return;
    Segment s = waitFor({pass.beside->call, 0}, When::Every);
    s.backward = pass.backward;
    segment(s);
    pass.beside.reset();
  }
  void segment(const Segment& s) {
    if (isCrossing(s))
      crossings.push_back(s);
    else
      to.segment(s);
  }

  double contention;
  WrittenPass& to;
  llvm::SmallVector<Segment, 2> crossings;
};
} // namespace

bool dpl::cost::mergesPairs(const Plan& plan) {
  return scheduleInfo(plan.layout.schedule).pairs && plan.layout.overlap.experts &&
         groupWith(plan, {Axis::Expert});
}

namespace {
bool inFull(const Segment&) { return true; }

/// Whether outputs leave later, or the rank computes again later, than behind both passes.
bool isSlower(llvm::ArrayRef<Block> merged, llvm::ArrayRef<Block> forward,
              llvm::ArrayRef<Block> backward, const MicroBatchCosts& costs) {
  for (std::size_t one = 0; one < costs.kinds(); ++one)
    for (std::size_t other = 0; other < costs.kinds(); ++other) {
      const PassCosts both(costs.ratio(one), costs.ratio(other));
      Clocks paired, apart;
      const std::uint64_t left = timeOf(merged, {}, inFull, both).advance(paired);
      const std::uint64_t leaves = timeOf(forward, {}, inFull, both.own)
                                       .then(timeOf(backward, {}, inFull, both.backward))
                                       .advance(apart);
      if (left > leaves || paired.computation > apart.computation)
        return true;
    }
  return false;
}
} // namespace

void dpl::cost::merge(llvm::ArrayRef<Block> forward, llvm::ArrayRef<Block> backward,
                      double contention, const MicroBatchCosts& costs, WrittenPass& to) {
  Merger merger(contention, to);
  merger.run(forward, backward, true);
  if (isSlower(to.blocks(), forward, backward, costs))
    merger.run(forward, backward, false);
}

void dpl::cost::timesOfPair(llvm::ArrayRef<Block> merged, CallTakesTime takesTime,
                            const MicroBatchCosts& costs, std::vector<PassTime>& out) {
  for (std::size_t forward = 0; forward < costs.kinds(); ++forward)
    for (std::size_t backward = 0; backward < costs.kinds(); ++backward)
      out.push_back(timesOf(merged, takesTime, {costs.ratio(forward), costs.ratio(backward)}));
}
