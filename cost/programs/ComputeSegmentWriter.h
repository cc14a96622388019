#pragma once
//===- ComputeSegmentWriter.h - Writes the segments of one stretch of computation -------------===//
#include "cost/programs/ChunkCollectives.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

namespace dpl::cost {

/// Writes a stretch of computation with its collectives. Each overlapped collective uses up a part
/// of the stretch, and `finish` writes the rest. The device's idle time, in which it waits for the
/// host, also hides collectives. `finish` divides it so that each collective hides the same share
/// of its time; otherwise the share would vary between micro-batches.
class ComputeSegmentWriter {
public:
  /// `time` in ps includes `idle`, the time in which the device waits for kernel launches; one
  /// launch takes `launch`. Computation loses the share `contention` of the time of overlapped
  /// collectives. `least` is the computation of the cheapest micro-batch, divided by that of a mean
  /// one, which is written here.
  ComputeSegmentWriter(ir::ComputeKind part, std::uint64_t time, std::uint64_t idle,
                       double contention, std::uint64_t launch, double least = 1)
      : computeKind(part), remaining(time), idle(idle), launch(launch), contention(contention),
        least(least) {}

  void compute(std::uint64_t time);
  /// Computation stops for the collective. With `withIdle` idle time hides a part of it, but not
  /// its own launch.
  void blocking(TimedCollective collective, ir::Stream stream, bool withIdle);
  /// The collective overlaps with `time` ps of computation, which starts when the first of `pieces`
  /// slices has arrived, or at once with 0 slices. With `withIdle` it also overlaps with idle time.
  void overlapping(TimedCollective collective, ir::Stream stream, std::uint64_t pieces,
                   std::uint64_t time, bool withIdle);
  /// Launches a collective that overlaps with `time` ps of computation; `wait` ends it.
  void begin(TimedCollective collective, ir::Stream stream, std::uint64_t time);
  void wait(TimedCollective collective);
  /// Writes the rest of the stretch.
  void finish();
  /// Adds time that the collectives written so far cannot overlap with.
  void addTime(std::uint64_t time) { remaining += time; }

  std::vector<ir::Segment> segments;

private:
  /// A collective that overlaps with idle time. `needs`: ps of it that can be hidden; `kernels`: ps
  /// that kernels hide.
  struct Hidden {
    std::size_t at; ///< index of the overlapped computation
    std::uint64_t needs, kernels;
    bool blocks; ///< computation stops for the exposed part
    double covered() const { return static_cast<double>(kernels) / static_cast<double>(needs); }
  };
  ir::Segment segmentOf(TimedCollective collective, ir::Stream stream, std::uint64_t holds,
                        std::uint64_t beside) const;
  bool hides(std::uint64_t needs, std::uint64_t kernels, bool blocks);
  void shareIdle();

  ir::ComputeKind computeKind;
  std::uint64_t remaining, idle, launch;
  double contention, least;
  std::uint64_t shared = 0; ///< ps of idle time that the hidden collectives share
  llvm::SmallVector<Hidden, 4> hidden;
};

/// A collective for which computation stops.
ir::Segment blockingCollective(TimedCollective collective, ir::Stream stream);

/// Computation that overlaps with collectives of the data stream. It slows down while both run.
struct OverlapBudget {
  double contention = 0;
  std::uint64_t remaining = 0; ///< ps without an overlapped collective so far
  std::uint64_t ahead = 0;     ///< ps by which the host is ahead of the device
};
/// A collective of gradients or parameters. `when`: the micro-batches that run it; `blocks`:
/// computation stops for it; `prefetch`: it does not depend on computation.
ir::Segment dataCollective(TimedCollective collective, ir::MicroBatchSelection when, bool blocks,
                           bool prefetch, OverlapBudget& overlap);
/// A segment in which a device encodes and decodes compressed gradients.
ir::Segment coding(std::uint64_t time, ir::MicroBatchSelection when);
ir::Segment waitFor(TimedCollective collective, ir::MicroBatchSelection when);
/// ps of computation in these segments.
std::uint64_t computation(llvm::ArrayRef<ir::Segment> segments);
/// ps by which a collective of `call` ps delays overlapped computation, which takes `beside` ps
/// alone. While both run, computation keeps the share 1 - `contention` of its rate, so that it
/// takes `beside` / (1 - `contention`) if it ends before the collective.
std::uint64_t lostToOverlap(std::uint64_t call, std::uint64_t beside, double contention);

} // namespace dpl::cost
