#pragma once
//===- StageProgram.h - What a pass of a chunk does, in order
//----------------------------------===//
//
// A body is the program of one pass: computation and calls of collectives, in the order in which a
// rank issues them. It serves all micro-batches, and chunks that do the same share it. What of a
// collective shows is a result of running bodies, never a part of one.
#include "ir/Basics.h"
#include <cstdint>
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

enum class SegmentKind : std::uint8_t {
  Compute,
  Collective, ///< of one of the chunk's collectives
  Wait,       ///< computation waits for the newest call of a collective in this body
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

/// A call begins when its stream is free and, unless it is a prefetch of what nobody computes, what
/// has been computed before it is there.
struct Segment {
  SegmentKind kind = SegmentKind::Compute;
  ComputeKind computeKind = ComputeKind::None; ///< of Compute
  Stream stream = Stream::Compute;             ///< of Call
  bool prefetch = false;                       ///< of Call: needs nothing that is computed
  MicroBatchSelection selection = MicroBatchSelection::Every;
  std::uint64_t collective = 0; ///< of Call and Wait: which of the collectives of the chunk
  std::uint64_t time = 0;       ///< ps alone
  std::uint64_t holdsFor =
      0; ///< of Call: ps from its begin on for which computation waits at once;
         ///< all of `time` for one that blocks, its first piece for one in pieces
  std::uint64_t slowdown = 0;  ///< of Call: ps that computation beside it loses to it
  std::uint64_t layerType = 0; ///< of a Drawn part
  bool sameLayer = false;      ///< of a Drawn part: of the layer of the one before it
  bool backward = false; ///< of a merged body: of its backward pass; calls are of that one's chunk
  bool operator==(const Segment&) const = default;
  /// Calls and waits of the same collective have the same; those of two chunks are told apart.
  std::uint64_t collectiveKey() const { return 2 * collective + (backward ? 1 : 0); }
  template <class V> void fields(V& v) {
    v("kind", kind), v("backward", backward), v("module", computeKind), v("stream", stream);
    v("prefetch", prefetch);
    if (computeKind == ComputeKind::Varying)
      v("layer_type", layerType), v("more", sameLayer);
    v("when", selection), v("collective", collective), v("time", time), v("blocking", holdsFor),
        v("contention", slowdown);
  }
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
