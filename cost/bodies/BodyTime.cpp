//===- BodyTime.cpp - What a body does to the clocks of its rank ------------------------------===//
#include "cost/bodies/BodyTime.h"
#include <algorithm>
#include <array>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr std::size_t streams = static_cast<std::size_t>(Stream::Data) + 1;

/// A delay after `before`, where that needs `d` of what came earlier.
Delay shifted(const Delay& d, const BodyTime& before) {
  return before.computation.later(d.computation).latest(before.data.later(d.data));
}
/// Sums of `never` stay far from overflow.
Delay bounded(const Delay& d) {
  return {std::max(d.computation, Delay::never), std::max(d.data, Delay::never)};
}

/// Runs a block once.
class BlockRun {
public:
  BlockRun(Turn turn, CallTakesTime takesTime) : turn(turn), takesTime(takesTime) {
    clocks[compute] = BodyTime{}.computation, clocks[data] = BodyTime{}.data;
  }
  BodyTime of(const Block& block) {
    for (const Segment& segment : block.segments)
      if (runs(segment.when))
        run(segment);
    return {bounded(clocks[compute]), bounded(clocks[compute].later(slowed)), bounded(clocks[data]),
            afterwards};
  }

private:
  static constexpr std::size_t compute = static_cast<std::size_t>(Stream::Compute),
                               data = static_cast<std::size_t>(Stream::Data);

  bool runs(When when) const {
    return when == When::Every || (when == When::First ? turn.first : turn.last);
  }
  void run(const Segment& s) {
    switch (s.kind) {
    case SegmentKind::Compute:
      clocks[compute] = clocks[compute].later(static_cast<std::int64_t>(s.time) + slowed);
      slowed = 0;
      return;
    case SegmentKind::Call:
      return call(s);
    case SegmentKind::Wait:
      if (s.call < ends.size())
        clocks[compute] = clocks[compute].latest(ends[s.call]);
      return;
    }
  }
  void call(const Segment& s) {
    const bool takes = takesTime(s.call);
    const auto time = [&](std::uint64_t ps) { return takes ? static_cast<std::int64_t>(ps) : 0; };
    Delay& stream = clocks[static_cast<std::size_t>(s.stream)];
    const Delay begin = s.prefetch ? stream : stream.latest(clocks[compute]);
    stream = begin.later(time(s.time));
    if (ends.size() <= s.call)
      ends.resize(s.call + 1);
    ends[s.call] = stream;
    (s.prefetch ? afterwards : slowed) += time(s.slows);
    if (s.holds > 0)
      clocks[compute] = clocks[compute].latest(begin.later(time(s.holds)));
  }

  Turn turn;
  CallTakesTime takesTime;
  std::array<Delay, streams> clocks;
  std::int64_t slowed = 0;           ///< what calls cost the computation that comes next
  std::int64_t afterwards = 0;       ///< what prefetches cost
  llvm::SmallVector<Delay, 16> ends; ///< of the newest call of each collective
};
} // namespace

BodyTime BodyTime::then(const BodyTime& next) const {
  return {bounded(shifted(next.leaves, *this)), bounded(shifted(next.computation, *this)),
          bounded(shifted(next.data, *this)), after + next.after};
}

BodyTime BodyTime::times(std::uint64_t n) const {
  BodyTime all, power = *this;
  for (; n > 0; n /= 2, power = power.then(power))
    if (n % 2 == 1)
      all = all.then(power);
  return all;
}

BodyTime dpl::cost::timeOf(const Body& body, Turn turn, CallTakesTime takesTime) {
  BodyTime all;
  for (const Block& block : body.blocks)
    all = all.then(BlockRun(turn, takesTime).of(block).times(block.count));
  return all;
}

PassTime dpl::cost::timesOf(const Body& body, CallTakesTime takesTime) {
  bool first = false, last = false;
  for (const Block& block : body.blocks)
    for (const Segment& s : block.segments)
      first = first || s.when == When::First, last = last || s.when == When::Last;
  PassTime times;
  times.every = timeOf(body, {}, takesTime);
  times.first = first ? timeOf(body, {true, false}, takesTime) : times.every;
  times.last = last ? timeOf(body, {false, true}, takesTime) : times.every;
  times.only =
      first && last ? timeOf(body, {true, true}, takesTime) : (first ? times.first : times.last);
  return times;
}

bool dpl::cost::leavesCalls(const Body& body) {
  for (const Block& block : body.blocks)
    for (auto call = block.segments.begin(); call != block.segments.end(); ++call)
      if (call->kind == SegmentKind::Call && call->holds < call->time &&
          std::none_of(call, block.segments.end(), [&](const Segment& s) {
            return s.kind == SegmentKind::Wait && s.call == call->call;
          }))
        return true;
  return false;
}
