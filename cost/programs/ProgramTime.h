#pragma once
//===- ProgramTime.h - What a body does to the clocks of its rank
//------------------------------===//
//
// A rank has a clock for its computation and one for its data stream, the only one whose calls
// outlive a body. A body takes both further: each end is the latest of what it needs, plus time,
// so that a body is a matrix of four numbers in the algebra of maximum and sum, and the repetition
// of a block a power of it. This is exact, however far the data stream has fallen behind, for times
// below 2^60 ps (passes/LowerCollectives).
#include "cost/programs/SegmentTransition.h"
#include "ir/FirstLastTracker.h"
#include "ir/MergedProgram.h"
#include "ir/SegmentTime.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::cost {

/// The latest of: so long after the clock of computation, so long after that of the data stream;
/// ps.
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

/// When a body is done, from when computation and the data stream are ready for it: when its
/// outputs leave, when computation can go on, and when its last call of the data stream ends. What
/// a call that it leaves behind costs the computation beside it comes after its outputs, and so
/// does what prefetches cost, `after` in all: a rank that waits for its input has them done by
/// then. Calls of the data stream take `streams` in all.
struct ProgramTime {
  Delay outputsReady{0, Delay::never}, computation{0, Delay::never}, data{Delay::never, 0};
  std::int64_t trailing = 0, dataStreamTime = 0;
  /// This one, and then the other.
  ProgramTime then(const ProgramTime& next) const;
  ProgramTime times(std::uint64_t n) const;
  /// Leaves the data stream alone.
  bool isComputeOnly() const {
    return outputsReady == computation && trailing == 0 && computation.data < 0 &&
           data.computation < 0 && data.data == 0;
  }
  /// Takes the clocks over the body; when its outputs leave.
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
  /// ps from its begin until its outputs leave, where the data stream has nothing to do before.
  std::uint64_t durationAlone() const {
    return static_cast<std::uint64_t>(std::max(outputsReady.computation, outputsReady.data));
  }
  bool operator==(const ProgramTime&) const = default;
};

/// Whether the collective that a segment calls takes its time.
using IncludesSegment = llvm::function_ref<bool(const ir::Segment& collective)>;

using FirstLast = ir::ActionFirstLast;
/// What micro-batches cost, to a mean one: that of a pass, and of a merged body its backward's.
struct ActionCosts {
  ir::CostRatio first, backward;
  ActionCosts() = default;
  ActionCosts(ir::CostRatio pass)
      : first(pass), backward(pass) {} // NOLINT: of one that is not merged
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

/// Takes the segments of a body one by one and gives its time.
class ProgramClock : public ProgramClocks<Delay> {
public:
  ProgramClock(FirstLast firstLast, IncludesSegment includes, const ActionCosts& costs = {})
      : firstLast(firstLast), includes(includes), costs(costs) {}
  /// A block that runs so many times; `close` ends it.
  void open(std::uint64_t count);
  void segment(const ir::Segment& s);
  void close();
  /// Of the blocks that are closed.
  const ProgramTime& time() const { return all; }

  // For `advance`.
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
  std::uint64_t times = 1;    ///< of the block
  std::uint64_t streamed = 0; ///< by the data stream
};

/// A body in every turn.
struct ActionTime {
  ProgramTime middle, first, last, only;
  const ProgramTime& of(FirstLast firstLast) const {
    return firstLast.first ? (firstLast.last ? only : first) : (firstLast.last ? last : middle);
  }
};
ActionTime timesOf(llvm::ArrayRef<ir::SegmentLoop> blocks, IncludesSegment includes,
                   const ActionCosts& costs = {});

/// Whether calls go on when the body has ended.
bool leavesCollectivesRunning(const ir::StageProgram& program);

} // namespace dpl::cost
