#pragma once
//===- ProgramTime.h - How a stage program advances the clocks of its rank --------------------===//
//
// A rank has one clock for computation and one for its data stream. Only collectives of the data
// stream outlive a stage program. A stage program advances both clocks: each end is the maximum of
// the times that it depends on, plus a duration. It is therefore a matrix of four numbers in
// max-plus algebra, and n iterations of a loop are its nth power. This is exact for times below
// 2^60 ps (passes/LowerCollectives), however late the data stream is.
#include "cost/programs/SegmentTransition.h"
#include "ir/FirstLastTracker.h"
#include "ir/MergedProgram.h"
#include "ir/SegmentTime.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::cost {

/// The later of two times in ps: one after the computation clock and one after the data stream's
/// clock.
struct Delay {
  static constexpr std::int64_t never = INT64_MIN / 4;
  std::int64_t computation = never, data = never;
  bool operator==(const Delay&) const = default;
  friend Delay later(const Delay& d, std::int64_t time) {
    return {d.computation + time, d.data + time};
  }
  friend Delay latest(const Delay& a, const Delay& b) {
    return {std::max(a.computation, b.computation), std::max(a.data, b.data)};
  }
};

struct Clocks {
  std::uint64_t computation = 0, data = 0;
};

/// The ends of a stage program as functions of the two clocks at its start: when its outputs are
/// ready, when computation can continue, and when its last data-stream collective ends. Collectives
/// that are still running slow down computation after the outputs are ready. The slowdown by
/// prefetches is `trailing`: a rank that waits for its next input absorbs it. `dataStreamTime` is
/// the total time of data-stream collectives.
struct ProgramTime {
  Delay outputsReady{0, Delay::never}, computation{0, Delay::never}, data{Delay::never, 0};
  std::int64_t trailing = 0, dataStreamTime = 0;
  /// This stage program followed by another one.
  ProgramTime then(const ProgramTime& next) const;
  ProgramTime times(std::uint64_t n) const;
  /// Whether the data stream is not used.
  bool isComputeOnly() const {
    return outputsReady == computation && trailing == 0 && computation.data < 0 &&
           data.computation < 0 && data.data == 0;
  }
  /// Advances the clocks over the stage program. Returns when its outputs are ready.
  std::uint64_t advance(Clocks& c) const {
    const auto end = [&](const Delay& d) {
      return static_cast<std::uint64_t>(
          std::max({std::int64_t{0}, static_cast<std::int64_t>(c.computation) + d.computation,
                    static_cast<std::int64_t>(c.data) + d.data}));
    };
    const std::uint64_t left = end(outputsReady);
    c = {end(later(computation, trailing)), end(data)};
    return left;
  }
  /// ps from the start until the outputs are ready, if the data stream is idle.
  std::uint64_t durationAlone() const {
    return static_cast<std::uint64_t>(std::max(outputsReady.computation, outputsReady.data));
  }
  bool operator==(const ProgramTime&) const = default;
};

/// Whether the collective of a segment takes time.
using IncludesSegment = llvm::function_ref<bool(const ir::Segment& collective)>;

using FirstLast = ir::ActionFirstLast;
/// Costs of micro-batches relative to the mean: that of the action, and in a merged program also
/// that of its backward pass.
struct ActionCosts {
  ir::CostRatio first, backward;
  ActionCosts() = default;
  ActionCosts(ir::CostRatio pass)
      : first(pass), backward(pass) {} // NOLINT: an action that is not merged
  ActionCosts(ir::CostRatio forward, ir::CostRatio merged) : first(forward), backward(merged) {}
  std::uint64_t timeOf(const ir::Segment& s) const {
    return ir::timeOf(*s.asCompute(), s.backward ? backward : first);
  }
};
ProgramTime timeOf(llvm::ArrayRef<ir::SegmentLoop> blocks, FirstLast firstLast,
                   IncludesSegment includes, const ActionCosts& costs = {});
inline ProgramTime timeOf(const ir::StageProgram& program, FirstLast firstLast,
                          IncludesSegment includes, const ActionCosts& costs = {}) {
  return timeOf(llvm::makeArrayRef(program.loops), firstLast, includes, costs);
}

/// Computes the time of a stage program from its segments, which are added one by one.
class ProgramClock : public ProgramClocks<Delay> {
public:
  ProgramClock(FirstLast firstLast, IncludesSegment includes, const ActionCosts& costs = {})
      : firstLast(firstLast), includes(includes), costs(costs) {}
  /// Begins a loop of `count` iterations; `close` ends it.
  void open(std::uint64_t count);
  void segment(const ir::Segment& s);
  void close();
  /// The time of the loops that are closed.
  const ProgramTime& time() const { return all; }

  // The functions that `advance` needs (SegmentTransition.h).
  std::uint64_t computeTime(const ir::Segment& s) const { return costs.timeOf(s); }
  bool takesTime(const ir::Segment& s) const { return includes(s); }
  void offload(std::uint64_t time);
  void issue(const ir::Segment& s, const Delay& ready, std::uint64_t time) {
    ProgramClocks::issue(s, ready, time);
    streamed += s.asCollective()->stream == ir::Stream::Data ? time : 0;
  }

private:
  FirstLast firstLast;
  IncludesSegment includes;
  ActionCosts costs;
  ProgramTime all;
  std::uint64_t times = 1;    ///< iterations of the loop
  std::uint64_t streamed = 0; ///< ps of data-stream collectives
};

/// Times of a stage program as the first, last, only or another action of its chunk.
struct ActionTime {
  ProgramTime middle, first, last, only;
  const ProgramTime& of(FirstLast firstLast) const {
    return firstLast.first ? (firstLast.last ? only : first) : (firstLast.last ? last : middle);
  }
};
ActionTime timesOf(llvm::ArrayRef<ir::SegmentLoop> blocks, IncludesSegment includes,
                   const ActionCosts& costs = {});

/// Whether collectives still run when the stage program ends.
bool leavesCollectivesRunning(const ir::StageProgram& program);

} // namespace dpl::cost
