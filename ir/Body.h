#pragma once
//===- Body.h - What a pass of a chunk does, in order -----------------------------------------===//
//
// A body is the program of one pass: computation and calls of collectives, in the order in which a
// rank issues them. It serves all micro-batches, and chunks that do the same share it. What of a
// collective shows is a result of running bodies, never a part of one.
#include "ir/Basics.h"
#include <cstdint>
#include <vector>

namespace dpl::ir {

enum class OperationKind : std::uint8_t {
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
constexpr bool isPass(OperationKind k) { return k <= OperationKind::PairedForward; }
/// Takes a message and makes one, where the placement has a stage before it and one behind.
constexpr bool passesOn(OperationKind k) {
  return isPass(k) && k != OperationKind::BackwardWeight && k != OperationKind::Recomputation;
}
constexpr bool isForward(OperationKind k) {
  return k == OperationKind::Forward || k == OperationKind::PairedForward;
}

/// Calls of a stream run one after the other in the order in which they are issued, beside those
/// of other streams. Calls of `data` may outlive their body; all others are waited for inside it.
enum class Stream : std::uint8_t { Compute, Tensor, Context, Expert, Data };

enum class SegmentKind : std::uint8_t {
  Compute,
  Call, ///< of one of the chunk's collectives
  Wait, ///< computation waits for the newest call of a collective in this body
};

/// What is computed.
enum class ComputePart : std::uint8_t {
  None,
  Embedding,
  Layer,
  Recomputation,
  Prediction,
  Head,
  Coding,  ///< of gradients that are compressed
  Offload, ///< the device waits for what crosses the host's link
  Drawn    ///< of a layer whose times vary from pass to pass
};

/// In which micro-batches of a chunk a segment runs.
enum class When : std::uint8_t { Every, First, Last };

/// A call begins when its stream is free and, unless it is a prefetch of what nobody computes, what
/// has been computed before it is there.
struct Segment {
  SegmentKind kind = SegmentKind::Compute;
  ComputePart part = ComputePart::None; ///< of Compute
  Stream stream = Stream::Compute;      ///< of Call
  bool prefetch = false;                ///< of Call: needs nothing that is computed
  When when = When::Every;
  std::uint64_t call = 0;  ///< of Call and Wait: which of the collectives of the chunk
  std::uint64_t time = 0;  ///< ps alone
  std::uint64_t holds = 0; ///< of Call: ps from its begin on for which computation waits at once;
                           ///< all of `time` for one that blocks, its first piece for one in pieces
  std::uint64_t slows = 0; ///< of Call: ps that computation beside it loses to it
  std::uint64_t layerClass = 0; ///< of a Drawn part
  bool more = false;            ///< of a Drawn part: of the layer of the one before it
  bool backward = false; ///< of a merged body: of its backward pass; calls are of that one's chunk
  bool operator==(const Segment&) const = default;
  /// Calls and waits of the same collective have the same; those of two chunks are told apart.
  std::uint64_t called() const { return 2 * call + (backward ? 1 : 0); }
  template <class V> void fields(V& v) {
    v("kind", kind), v("backward", backward), v("module", part), v("stream", stream);
    v("prefetch", prefetch);
    if (part == ComputePart::Drawn)
      v("layer_type", layerClass), v("more", more);
    v("when", when), v("collective", call), v("time", time), v("blocking", holds),
        v("contention", slows);
  }
};

/// Segments that run `count` times, one time after the other.
struct Block {
  std::uint64_t count = 1;
  std::vector<Segment> segments;
  bool operator==(const Block&) const = default;
  template <class V> void fields(V& v) { v("count", count), v("segment", segments); }
};

struct Body {
  OperationKind kind = OperationKind::Forward;
  std::vector<Block> blocks;
  bool operator==(const Body&) const = default;
  template <class V> void fields(V& v) { v("kind", kind), v("block", blocks); }
};

} // namespace dpl::ir
