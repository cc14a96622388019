//===- ProgramTime.cpp - How a stage program advances the clocks of its rank ------------------===//
#include "cost/programs/ProgramTime.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Applies the dependency `d` of the next program to the ends of `before`.
Delay shifted(const Delay& d, const ProgramTime& before) {
  return latest(later(before.computation, d.computation), later(before.data, d.data));
}
/// Keeps sums of `never` away from overflow.
Delay bounded(const Delay& d) {
  return {std::max(d.computation, Delay::never), std::max(d.data, Delay::never)};
}
} // namespace

ProgramTime ProgramTime::then(const ProgramTime& next) const {
  return {bounded(shifted(next.outputsReady, *this)), bounded(shifted(next.computation, *this)),
          bounded(shifted(next.data, *this)), trailing + next.trailing,
          dataStreamTime + next.dataStreamTime};
}

ProgramTime ProgramTime::times(std::uint64_t n) const {
  ProgramTime all, power = *this;
  for (; n > 0; n /= 2, power = power.then(power))
    if (n % 2 == 1)
      all = all.then(power);
  return all;
}

void ProgramClock::open(std::uint64_t count) {
  times = count;
  begin(ProgramTime{}.computation, ProgramTime{}.data);
  streamed = 0;
}

void ProgramClock::segment(const Segment& s) {
  if (runsIn(s, firstLast))
    advance(*this, s);
}

/// Transfers over the host link start with the stage program, so that `time` is a lower bound of
/// its duration.
void ProgramClock::offload(std::uint64_t time) {
  assert(times <= 1 && "nothing but another stands behind it, and once");
  const auto owed = static_cast<std::int64_t>(slowdown.next);
  close();
  all.outputsReady = latest(all.outputsReady, {static_cast<std::int64_t>(time), Delay::never});
  all.computation = later(all.outputsReady, owed);
  times = 0; // closed
}

void ProgramClock::close() {
  if (times == 0)
    return;
  const ProgramTime once{bounded(computation()),
                         bounded(later(computation(), static_cast<std::int64_t>(slowdown.next))),
                         bounded(clockOf(Stream::Data)),
                         static_cast<std::int64_t>(slowdown.afterwards),
                         static_cast<std::int64_t>(streamed)};
  all = all.then(times == 1 ? once : once.times(times));
}

ProgramTime dpl::cost::timeOf(llvm::ArrayRef<SegmentLoop> blocks, FirstLast firstLast,
                              IncludesSegment includes, const ActionCosts& costs) {
  ProgramClock clock(firstLast, includes, costs);
  for (const SegmentLoop& block : blocks) {
    clock.open(block.count);
    for (const Segment& segment : block.segments)
      clock.segment(segment);
    clock.close();
  }
  return clock.time();
}

ActionTime dpl::cost::timesOf(llvm::ArrayRef<SegmentLoop> blocks, IncludesSegment includes,
                              const ActionCosts& costs) {
  bool first = false, last = false;
  for (const SegmentLoop& block : blocks)
    for (const Segment& s : block.segments)
      first = first || s.selection == MicroBatchSelection::First,
      last = last || s.selection == MicroBatchSelection::Last;
  ActionTime times;
  times.middle = timeOf(blocks, {}, includes, costs);
  times.first = first ? timeOf(blocks, {true, false}, includes, costs) : times.middle;
  times.last = last ? timeOf(blocks, {false, true}, includes, costs) : times.middle;
  times.only = first && last ? timeOf(blocks, {true, true}, includes, costs)
                             : (first ? times.first : times.last);
  return times;
}

bool dpl::cost::leavesCollectivesRunning(const StageProgram& program) {
  for (const SegmentLoop& block : program.loops)
    for (auto collective = block.segments.begin(); collective != block.segments.end(); ++collective)
      if (const CollectiveSegment* const launch = collective->asCollective();
          launch && launch->holdsFor < launch->time &&
          std::none_of(collective, block.segments.end(), [&](const Segment& s) {
            return s.asWait() && s.collectiveKey() == collective->collectiveKey();
          }))
        return true;
  return false;
}
