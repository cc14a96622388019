#pragma once
//===- ComputeSegmentWriter.h - Writes the segments of a stretch of computation
//----------------===//
#include "cost/programs/ChunkCollectives.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

namespace dpl::cost {

/// A stretch of computation with the calls inside it. It spends the time of the stretch as calls
/// need something to run beside; `finish` writes what is left. Of the time in which the device
/// waits for the host `finish` gives each call that runs beside it as much as hides the same share
/// of all, so that none hides more in one micro-batch and less in another.
class ComputeSegmentWriter {
public:
  /// `time` in ps, of which the device waits `idle` for the host's launches, each of `launch`.
  /// Computation loses the share `contention` of a call's time to a call beside it. The cheapest
  /// micro-batch computes `least` times as long as the mean one, which this is.
  ComputeSegmentWriter(ir::ComputeKind part, std::uint64_t time, std::uint64_t idle,
                       double contention, std::uint64_t launch, double least = 1)
      : computeKind(part), remaining(time), idle(idle), launch(launch), contention(contention),
        least(least) {}

  void compute(std::uint64_t time);
  /// Computation stops for the call; with `withIdle` only for what of it lasts longer than the
  /// device would wait for the host, and at least for its own launch.
  void blocking(TimedCollective collective, ir::Stream stream, bool withIdle);
  /// The call runs beside so much computation, which goes on when its first of `pieces` is there;
  /// 0 pieces: at once. With `withIdle` it also runs while the device waits for the host.
  void overlapping(TimedCollective collective, ir::Stream stream, std::uint64_t pieces,
                   std::uint64_t time, bool withIdle);
  /// Begins the call, which runs beside so much computation; `wait` ends it.
  void begin(TimedCollective collective, ir::Stream stream, std::uint64_t time);
  void wait(TimedCollective collective);
  /// Writes what is left.
  void finish();
  /// More time, which what stands so far cannot spend.
  void addTime(std::uint64_t time) { remaining += time; }

  std::vector<ir::Segment> segments;

private:
  /// A call beside which the device waits for the host: ps of it that can be hidden, and that
  /// kernels hide.
  struct Hidden {
    std::size_t at; ///< index of the computation that runs beside it
    std::uint64_t needs, kernels;
    bool blocks; ///< for what of it is not hidden
    double covered() const { return static_cast<double>(kernels) / static_cast<double>(needs); }
  };
  ir::Segment segmentOf(TimedCollective collective, ir::Stream stream, std::uint64_t holds,
                        std::uint64_t beside) const;
  bool hides(std::uint64_t needs, std::uint64_t kernels, bool blocks);
  void shareIdle();

  ir::ComputeKind computeKind;
  std::uint64_t remaining, idle, launch;
  double contention, least;
  std::uint64_t shared = 0; ///< ps of `idle` that the hidden calls have together
  llvm::SmallVector<Hidden, 4> hidden;
};

/// Computation stops for all of the call.
ir::Segment blockingCollective(TimedCollective collective, ir::Stream stream);

/// Computation that data calls run beside: it loses a share of the time in which both run.
struct OverlapBudget {
  double contention = 0;
  std::uint64_t remaining = 0; ///< ps that no call runs beside yet
  std::uint64_t ahead = 0;     ///< ps that the host is ahead of the device
};
/// A call of the state of the model: in which micro-batches, whether computation waits for it at
/// once, and whether it needs something that is computed.
ir::Segment dataCollective(TimedCollective collective, ir::MicroBatchSelection when, bool blocks,
                           bool prefetch, OverlapBudget& overlap);
/// Gradients are coded before they leave, and decoded.
ir::Segment coding(std::uint64_t time, ir::MicroBatchSelection when);
ir::Segment waitFor(TimedCollective collective, ir::MicroBatchSelection when);
/// ps of computation.
std::uint64_t computation(llvm::ArrayRef<ir::Segment> segments);
/// ps that computation loses to a call of so many ps beside so much of it.
std::uint64_t lostToOverlap(std::uint64_t call, std::uint64_t beside, double contention);

} // namespace dpl::cost
