//===- BodyTime.cpp - What a body does to the clocks of its rank ------------------------------===//
#include "cost/programs/BodyTime.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// A delay after `before`, where that needs `d` of what came earlier.
Delay shifted(const Delay& d, const BodyTime& before) {
  return before.computation.later(d.computation).latest(before.data.later(d.data));
}
/// Sums of `never` stay far from overflow.
Delay bounded(const Delay& d) {
  return {std::max(d.computation, Delay::never), std::max(d.data, Delay::never)};
}
} // namespace

BodyTime BodyTime::then(const BodyTime& next) const {
  return {bounded(shifted(next.leaves, *this)), bounded(shifted(next.computation, *this)),
          bounded(shifted(next.data, *this)), after + next.after, streams + next.streams};
}

BodyTime BodyTime::times(std::uint64_t n) const {
  BodyTime all, power = *this;
  for (; n > 0; n /= 2, power = power.then(power))
    if (n % 2 == 1)
      all = all.then(power);
  return all;
}

void BodyClock::open(std::uint64_t count) {
  times = count;
  clocks.fill({});
  clocks[compute] = BodyTime{}.computation, clocks[data] = BodyTime{}.data;
  slowed = afterwards = streamed = 0;
  ends.clear();
}

void BodyClock::segment(const Segment& s) {
  if (s.when != When::Every && !(s.when == When::First ? turn.first : turn.last))
    return;
  switch (s.kind) {
  case SegmentKind::Compute:
    if (s.part == ComputePart::Offload) {
      // Crosses the host's link from the begin of the body on, beside all of it: a floor.
      assert(times <= 1 && "nothing but another stands behind it, and once");
      const std::int64_t later = slowed;
      close();
      all.leaves = all.leaves.latest({static_cast<std::int64_t>(s.time), Delay::never});
      all.computation = all.leaves.later(later);
      times = 0; // closed
      return;
    }
    clocks[compute] = clocks[compute].later(static_cast<std::int64_t>(costs.timeOf(s)) + slowed);
    slowed = 0;
    return;
  case SegmentKind::Call:
    return call(s);
  case SegmentKind::Wait:
    if (const Delay* end = endOf(s.called()))
      clocks[compute] = clocks[compute].latest(*end);
    return;
  }
}

Delay* BodyClock::endOf(std::uint64_t called) {
  for (auto& end : ends)
    if (end.first == called)
      return &end.second;
  return nullptr;
}

void BodyClock::call(const Segment& s) {
  const bool takes = takesTime(s);
  const auto time = [&](std::uint64_t ps) { return takes ? static_cast<std::int64_t>(ps) : 0; };
  Delay& stream = clocks[static_cast<std::size_t>(s.stream)];
  const Delay begin = s.prefetch ? stream : stream.latest(clocks[compute]);
  stream = begin.later(time(s.time));
  streamed += s.stream == Stream::Data ? time(s.time) : 0;
  if (Delay* end = endOf(s.called()))
    *end = stream;
  else
    ends.push_back({s.called(), stream});
  (s.prefetch ? afterwards : slowed) += time(s.slows);
  if (s.holds > 0)
    clocks[compute] = clocks[compute].latest(begin.later(time(s.holds)));
}

void BodyClock::close() {
  if (times == 0)
    return;
  const BodyTime once{bounded(clocks[compute]), bounded(clocks[compute].later(slowed)),
                      bounded(clocks[data]), afterwards, streamed};
  all = all.then(times == 1 ? once : once.times(times));
}

BodyTime dpl::cost::timeOf(llvm::ArrayRef<Block> blocks, Turn turn, CallTakesTime takesTime,
                           const PassCosts& costs) {
  BodyClock clock(turn, takesTime, costs);
  for (const Block& block : blocks) {
    clock.open(block.count);
    for (const Segment& segment : block.segments)
      clock.segment(segment);
    clock.close();
  }
  return clock.time();
}

PassTime dpl::cost::timesOf(llvm::ArrayRef<Block> blocks, CallTakesTime takesTime,
                            const PassCosts& costs) {
  bool first = false, last = false;
  for (const Block& block : blocks)
    for (const Segment& s : block.segments)
      first = first || s.when == When::First, last = last || s.when == When::Last;
  PassTime times;
  times.every = timeOf(blocks, {}, takesTime, costs);
  times.first = first ? timeOf(blocks, {true, false}, takesTime, costs) : times.every;
  times.last = last ? timeOf(blocks, {false, true}, takesTime, costs) : times.every;
  times.only = first && last ? timeOf(blocks, {true, true}, takesTime, costs)
                             : (first ? times.first : times.last);
  return times;
}

bool dpl::cost::leavesCalls(const Body& body) {
  for (const Block& block : body.blocks)
    for (auto call = block.segments.begin(); call != block.segments.end(); ++call)
      if (call->kind == SegmentKind::Call && call->holds < call->time &&
          std::none_of(call, block.segments.end(), [&](const Segment& s) {
            return s.kind == SegmentKind::Wait && s.called() == call->called();
          }))
        return true;
  return false;
}
