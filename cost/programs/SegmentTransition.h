#pragma once
//===- SegmentTransition.h - How one segment advances the clocks of its rank ------------------===//
//
// This rule has three users with different clocks. ProgramTime.h applies it to delays, which turns
// a stage program into a matrix. ProgramWalk.h applies it to picoseconds. The simulator
// (simulate/plan/StepActions.h) applies it at the events of a step.
//
// ProgramClocks serves the first two. Their collectives start as soon as the streams of their own
// rank allow, so that start and end are known at launch. In the simulator a collective starts when
// its last member arrives and ends with its last message. Simulated ranks therefore have streams of
// their own, in which `wait` and `hold` suspend the rank.
#include "ir/StageProgram.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>
#include <utility>

namespace dpl::cost {

/// ps that overlapped collectives take from the computation of their rank, not yet added to it.
struct PendingSlowdown {
  std::uint64_t next = 0;       ///< added to the next computation
  std::uint64_t afterwards = 0; ///< added after the outputs of the program are ready (prefetches)
};

/// Advances a rank over a segment that its micro-batch runs. Returns false if the rank waits for an
/// event; it then runs the segment again after the event. A Rank has
///   slowdown                 its PendingSlowdown
///   computation()            the clock of its computation; a default Clock is the earliest time
///   compute(ps)              computation runs for that long
///   computeTime(segment)     ps of a segment of computation in its micro-batch
///   offload(ps)              the program computes at least until `ps` after its start
///   takesTime(segment)       false: the collective takes 0 ps and slows nothing
///   issue(segment, t, ps)    a collective runs once its stream is free, but not before `t`
///   hold(segment, ps)        computation waits until `ps` after the start of the last issued
///   wait(key)                computation waits for the end of a collective; false: unknown yet
template <class Rank> bool advance(Rank& rank, const ir::Segment& s) {
  if (s.asCompute()) {
    if (s.computes(ir::ComputeKind::Offload))
      rank.offload(s.time());
    else
      rank.compute(rank.computeTime(s) + std::exchange(rank.slowdown.next, 0));
    return true;
  }
  if (s.asWait())
    return rank.wait(s.collectiveKey());
  using Clock = std::decay_t<decltype(rank.computation())>;
  const ir::CollectiveSegment& launch = *s.asCollective();
  const bool takes = rank.takesTime(s);
  rank.issue(s, launch.prefetch ? Clock() : rank.computation(), takes ? launch.time : 0);
  (launch.prefetch ? rank.slowdown.afterwards : rank.slowdown.next) += takes ? launch.slowdown : 0;
  if (launch.holdsFor > 0)
    rank.hold(s, takes ? launch.holdsFor : 0);
  return true;
}

/// Is called before each iteration of a loop. Waits refer to collectives of the same iteration.
template <class Rank> void beginIteration(Rank& rank) {
  rank.compute(std::exchange(rank.slowdown.next, 0));
  rank.forgetCollectives();
}

inline std::uint64_t later(std::uint64_t clock, std::uint64_t time) { return clock + time; }
inline std::uint64_t latest(std::uint64_t a, std::uint64_t b) { return std::max(a, b); }

/// The clocks of a rank that does not wait for other ranks. A Clock is ps or a Delay.
template <class Clock> class ProgramClocks {
public:
  PendingSlowdown slowdown;
  const Clock& computation() const { return clockOf(ir::Stream::Compute); }
  void compute(std::uint64_t time) { set(later(computation(), time)); }
  void issue(const ir::Segment& s, const Clock& ready, std::uint64_t time) {
    Clock& stream = clocks[static_cast<std::size_t>(s.asCollective()->stream)];
    begun = latest(stream, ready);
    stream = later(begun, time);
    if (Clock* end = endOf(s.collectiveKey()))
      *end = stream;
    else
      ends.push_back({s.collectiveKey(), stream});
  }
  void hold(const ir::Segment& /*unused*/, std::uint64_t time) {
    set(latest(computation(), later(begun, time)));
  }
  bool wait(std::uint64_t key) {
    if (const Clock* end = endOf(key))
      set(latest(computation(), *end));
    return true;
  }
  void forgetCollectives() { ends.clear(); }

protected:
  void begin(const Clock& computation, const Clock& data) {
    clocks.fill({});
    clocks.front() = computation, clocks.back() = data;
    slowdown = {};
    ends.clear();
  }
  const Clock& clockOf(ir::Stream stream) const { return clocks[static_cast<std::size_t>(stream)]; }
  void set(const Clock& computation) { clocks.front() = computation; }
  const Clock& lastBegin() const { return begun; } ///< start of the last issued collective

private:
  Clock* endOf(std::uint64_t key) {
    for (auto& end : ends)
      if (end.first == key)
        return &end.second;
    return nullptr;
  }

  std::array<Clock, static_cast<std::size_t>(ir::Stream::Data) + 1>
      clocks; ///< clock of each stream
  Clock begun{};
  /// End of the latest launch of each collective.
  llvm::SmallVector<std::pair<std::uint64_t, Clock>, 16> ends;
};

} // namespace dpl::cost
