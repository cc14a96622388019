//===- ProgramTime.cpp - What a body does to the clocks of its rank
//----------------------------===//
#include "cost/programs/ProgramTime.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// A delay after `before`, where that needs `d` of what came earlier.
Delay shifted(const Delay& d, const ProgramTime& before) {
  return before.computation.later(d.computation).latest(before.data.later(d.data));
}
/// Sums of `never` stay far from overflow.
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
  clocks.fill({});
  clocks[compute] = ProgramTime{}.computation, clocks[data] = ProgramTime{}.data;
  slowed = afterwards = streamed = 0;
  ends.clear();
}

void ProgramClock::segment(const Segment& s) {
  if (s.selection != MicroBatchSelection::Every &&
      !(s.selection == MicroBatchSelection::First ? firstLast.first : firstLast.last))
    return;
  switch (s.kind) {
  case SegmentKind::Compute:
    if (s.computeKind == ComputeKind::Offload) {
      // Crosses the host's link from the begin of the body on, beside all of it: a floor.
      assert(times <= 1 && "nothing but another stands behind it, and once");
      const std::int64_t later = slowed;
      close();
      all.outputsReady = all.outputsReady.latest({static_cast<std::int64_t>(s.time), Delay::never});
      all.computation = all.outputsReady.later(later);
      times = 0; // closed
      return;
    }
    clocks[compute] = clocks[compute].later(static_cast<std::int64_t>(costs.timeOf(s)) + slowed);
    slowed = 0;
    return;
  case SegmentKind::Collective:
    return collective(s);
  case SegmentKind::Wait:
    if (const Delay* end = endOf(s.collectiveKey()))
      clocks[compute] = clocks[compute].latest(*end);
    return;
  }
}

Delay* ProgramClock::endOf(std::uint64_t called) {
  for (auto& end : ends)
    if (end.first == called)
      return &end.second;
  return nullptr;
}

void ProgramClock::collective(const Segment& s) {
  const bool takes = includes(s);
  const auto time = [&](std::uint64_t ps) { return takes ? static_cast<std::int64_t>(ps) : 0; };
  Delay& stream = clocks[static_cast<std::size_t>(s.stream)];
  const Delay begin = s.prefetch ? stream : stream.latest(clocks[compute]);
  stream = begin.later(time(s.time));
  streamed += s.stream == Stream::Data ? time(s.time) : 0;
  if (Delay* end = endOf(s.collectiveKey()))
    *end = stream;
  else
    ends.push_back({s.collectiveKey(), stream});
  (s.prefetch ? afterwards : slowed) += time(s.slowdown);
  if (s.holdsFor > 0)
    clocks[compute] = clocks[compute].latest(begin.later(time(s.holdsFor)));
}

void ProgramClock::close() {
  if (times == 0)
    return;
  const ProgramTime once{bounded(clocks[compute]), bounded(clocks[compute].later(slowed)),
                         bounded(clocks[data]), afterwards, streamed};
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
      if (collective->kind == SegmentKind::Collective && collective->holdsFor < collective->time &&
          std::none_of(collective, block.segments.end(), [&](const Segment& s) {
            return s.kind == SegmentKind::Wait && s.collectiveKey() == collective->collectiveKey();
          }))
        return true;
  return false;
}
