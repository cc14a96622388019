#pragma once
//===- StageProgram.h - What a pass of a chunk does, in order
//----------------------------------===//
//
// A body is the program of one pass: computation and calls of collectives, in the order in which a
// rank issues them. It serves all micro-batches, and chunks that do the same share it. What of a
// collective shows is a result of running bodies, never a part of one.
#include "ir/Basics.h"
#include "ir/Ids.h"
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace dpl::ir {

enum class ActionKind : std::uint8_t {
  Forward,
  Backward,       ///< for input and weight in one
  BackwardInput,  ///< what the stage before waits for
  BackwardWeight, ///< what the update waits for
  Recomputation,  ///< ahead of the backward that needs what it brings back
  PairedForward,  ///< a forward that runs merged with the pass behind it in the list, a backward
  Collective,
  Wait, ///< until the calls that the passes left behind are done
  Optimizer
};
constexpr bool isChunkAction(ActionKind k) { return k <= ActionKind::PairedForward; }
/// Takes a message and makes one, where the placement has a stage before it and one behind.
constexpr bool relaysMessage(ActionKind k) {
  return isChunkAction(k) && k != ActionKind::BackwardWeight && k != ActionKind::Recomputation;
}
constexpr bool isForward(ActionKind k) {
  return k == ActionKind::Forward || k == ActionKind::PairedForward;
}

/// Calls of a stream run one after the other in the order in which they are issued, beside those
/// of other streams. Calls of `data` may outlive their body; all others are waited for inside it.
enum class Stream : std::uint8_t { Compute, Tensor, Context, Expert, Data };

/// The alternatives of Segment::work, in their order.
enum class SegmentKind : std::uint8_t {
  Compute,
  Collective,
  Wait,
};

/// What is computed.
enum class ComputeKind : std::uint8_t {
  None,
  Embedding,
  Layer,
  Recomputation,
  Prediction,
  Head,
  Coding,  ///< of gradients that are compressed
  Offload, ///< the device waits for what crosses the host's link
  Varying  ///< of a layer whose times vary from pass to pass
};

/// In which micro-batches of a chunk a segment runs.
enum class MicroBatchSelection : std::uint8_t { Every, First, Last };

/// Computation.
struct ComputeSegment {
  ComputeKind kind = ComputeKind::None;
  std::uint64_t time = 0;      ///< ps alone
  std::uint64_t layerType = 0; ///< whose times vary, for Varying
  bool sameLayer = false;      ///< for Varying: the draw of the segment before it holds here too
  bool operator==(const ComputeSegment&) const = default;
};

/// The launch of a collective. It begins when its stream is free and, unless it is a prefetch, all
/// that was computed before it is there.
struct CollectiveSegment {
  ChunkCollectiveId collective;
  Stream stream = Stream::Compute;
  bool prefetch = false;      ///< needs nothing that is computed
  std::uint64_t time = 0;     ///< ps alone
  std::uint64_t holdsFor = 0; ///< ps from its begin on for which computation waits at once;
                              ///< all of `time` if it blocks, its first slice if it is sliced
  std::uint64_t slowdown = 0; ///< ps that overlapped computation loses to it
  bool operator==(const CollectiveSegment&) const = default;
};

/// Computation waits for the newest launch of a collective in this program.
struct WaitSegment {
  ChunkCollectiveId collective;
  bool operator==(const WaitSegment&) const = default;
};

/// One step of a stage program, in the micro-batches that `selection` names.
struct Segment {
  std::variant<ComputeSegment, CollectiveSegment, WaitSegment> work;
  MicroBatchSelection selection = MicroBatchSelection::Every;
  /// Of the backward pass of a merged program: its collectives are of that pass's chunk.
  bool backward = false;
  bool operator==(const Segment&) const = default;

  SegmentKind kind() const { return static_cast<SegmentKind>(work.index()); }
  // Each is null for a segment of another kind.
  const ComputeSegment* asCompute() const { return std::get_if<ComputeSegment>(&work); }
  const CollectiveSegment* asCollective() const { return std::get_if<CollectiveSegment>(&work); }
  const WaitSegment* asWait() const { return std::get_if<WaitSegment>(&work); }
  ComputeSegment* asCompute() { return std::get_if<ComputeSegment>(&work); }
  CollectiveSegment* asCollective() { return std::get_if<CollectiveSegment>(&work); }

  /// Computation of the kind.
  bool computes(ComputeKind computeKind) const {
    return asCompute() && asCompute()->kind == computeKind;
  }
  /// ps alone; 0 for a wait.
  std::uint64_t time() const {
    return asCompute() ? asCompute()->time : asCollective() ? asCollective()->time : 0;
  }
  /// ps that overlapped computation loses to it.
  std::uint64_t slowdown() const { return asCollective() ? asCollective()->slowdown : 0; }
  /// Of a launch and of a wait.
  std::optional<ChunkCollectiveId> collective() const {
    return asCompute()      ? std::nullopt
           : asCollective() ? std::optional(asCollective()->collective)
                            : std::optional(asWait()->collective);
  }
  /// Launches and waits of the same collective have the same key. Those of a merged program's two
  /// chunks differ.
  std::uint64_t collectiveKey() const { return 2 * collective()->index() + (backward ? 1 : 0); }

  template <class V> void fields(V& v) {
    Text text(*this);
    text.fields(v);
    if (Segment read = text.segment(); read != *this)
      *this = read;
  }

private:
  /// A segment as the plan's text has it: members of the other kinds are there, and 0.
  struct Text {
    SegmentKind kind = SegmentKind::Compute;
    bool backward = false;
    MicroBatchSelection selection = MicroBatchSelection::Every;
    ComputeSegment compute;
    CollectiveSegment launch;

    explicit Text(const Segment& s);
    Segment segment() const;
    template <class V> void fields(V& v) {
      v("kind", kind), v("backward", backward), v("module", compute.kind);
      v("stream", launch.stream), v("prefetch", launch.prefetch);
      if (compute.kind == ComputeKind::Varying)
        v("layer_type", compute.layerType), v("more", compute.sameLayer);
      v("when", selection), v("collective", launch.collective), v("time", launch.time);
      v("blocking", launch.holdsFor), v("contention", launch.slowdown);
    }
  };
};

/// Segments that run `count` times, one time after the other.
struct SegmentLoop {
  std::uint64_t count = 1;
  std::vector<Segment> segments;
  bool operator==(const SegmentLoop&) const = default;
  template <class V> void fields(V& v) { v("count", count), v("segment", segments); }
};

struct StageProgram {
  ActionKind kind = ActionKind::Forward;
  std::vector<SegmentLoop> loops;
  bool operator==(const StageProgram&) const = default;
  template <class V> void fields(V& v) { v("kind", kind), v("block", loops); }
};

} // namespace dpl::ir
