#pragma once
//===- StageProgram.h - The ordered segments of an action of a chunk --------------------------===//
//
// A stage program has the compute segments and collectives of one action in the order in which a
// rank launches them. All micro-batches use it, and so do chunks that do the same. Exposed
// communication results from executing stage programs and is not stored in them.
#include "ir/Basics.h"
#include "ir/Ids.h"
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace dpl::ir {

enum class ActionKind : std::uint8_t {
  Forward,
  Backward,       ///< input and weight gradients in one action
  BackwardInput,  ///< input gradient, for which the previous stage waits
  BackwardWeight, ///< weight gradient, for which only the update waits
  Recomputation,  ///< recomputation before the backward pass that needs the tensors
  PairedForward,  ///< forward pass that runs merged with the next action, a backward pass
  Collective,
  Wait, ///< wait until the remaining collectives of the actions have ended
  Optimizer
};
constexpr bool isChunkAction(ActionKind k) { return k <= ActionKind::PairedForward; }
/// Whether the action receives and sends a message, if the placement has a previous and a next
/// stage.
constexpr bool relaysMessage(ActionKind k) {
  return isChunkAction(k) && k != ActionKind::BackwardWeight && k != ActionKind::Recomputation;
}
constexpr bool isForward(ActionKind k) {
  return k == ActionKind::Forward || k == ActionKind::PairedForward;
}

/// Collectives of one stream run one after another in launch order, in parallel with other streams.
/// Collectives of `Data` may outlive their stage program; all others are waited for inside it.
enum class Stream : std::uint8_t { Compute, Tensor, Context, Expert, Data };

/// The alternatives of Segment::work, in their order.
enum class SegmentKind : std::uint8_t {
  Compute,
  Collective,
  Wait,
};

/// The computation of a segment.
enum class ComputeKind : std::uint8_t {
  None,
  Embedding,
  Layer,
  Recomputation,
  Prediction,
  Head,
  Coding,  ///< encoding and decoding of compressed gradients
  Offload, ///< the device waits for transfers over the host link
  Varying  ///< a layer whose times vary between actions
};

/// The micro-batches of a chunk in which a segment runs.
enum class MicroBatchSelection : std::uint8_t { Every, First, Last };

/// A stretch of computation without a collective.
struct ComputeSegment {
  ComputeKind kind = ComputeKind::None;
  std::uint64_t time = 0;      ///< ps without overlap
  std::uint64_t layerType = 0; ///< layer type whose times vary, for Varying
  bool sameLayer = false;      ///< for Varying: the previous segment has the same random factor
  bool operator==(const ComputeSegment&) const = default;
};

/// The launch of a collective. The collective starts when its stream is free and, unless it is a
/// prefetch, all earlier computation has ended.
struct CollectiveSegment {
  ChunkCollectiveId collective;
  Stream stream = Stream::Compute;
  bool prefetch = false;  ///< does not depend on computation
  std::uint64_t time = 0; ///< ps without overlap
  /// ps after its start in which computation cannot run: `time` if it blocks, the time of its first
  /// slice if it is sliced.
  std::uint64_t holdsFor = 0;
  std::uint64_t slowdown = 0; ///< ps that overlapped computation loses to it
  bool operator==(const CollectiveSegment&) const = default;
};

/// Computation waits for the latest launch of a collective in this program.
struct WaitSegment {
  ChunkCollectiveId collective;
  bool operator==(const WaitSegment&) const = default;
};

/// One element of a stage program, which runs in the micro-batches that `selection` names.
struct Segment {
  std::variant<ComputeSegment, CollectiveSegment, WaitSegment> work;
  MicroBatchSelection selection = MicroBatchSelection::Every;
  /// Whether the segment belongs to the backward pass of a merged program. Its collectives then
  /// belong to the chunk of that backward pass.
  bool backward = false;
  bool operator==(const Segment&) const = default;

  SegmentKind kind() const { return static_cast<SegmentKind>(work.index()); }
  // Each is null for a segment of another kind.
  const ComputeSegment* asCompute() const { return std::get_if<ComputeSegment>(&work); }
  const CollectiveSegment* asCollective() const { return std::get_if<CollectiveSegment>(&work); }
  const WaitSegment* asWait() const { return std::get_if<WaitSegment>(&work); }
  ComputeSegment* asCompute() { return std::get_if<ComputeSegment>(&work); }
  CollectiveSegment* asCollective() { return std::get_if<CollectiveSegment>(&work); }

  /// Whether it is computation of this kind.
  bool computes(ComputeKind computeKind) const {
    return asCompute() && asCompute()->kind == computeKind;
  }
  /// ps of the segment without overlap; 0 for a wait.
  std::uint64_t time() const {
    return asCompute() ? asCompute()->time : asCollective() ? asCollective()->time : 0;
  }
  /// ps that overlapped computation loses to it.
  std::uint64_t slowdown() const { return asCollective() ? asCollective()->slowdown : 0; }
  /// The collective of a launch or a wait.
  std::optional<ChunkCollectiveId> collective() const {
    return asCompute()      ? std::nullopt
           : asCollective() ? std::optional(asCollective()->collective)
                            : std::optional(asWait()->collective);
  }
  /// Launches and waits of the same collective have the same key. The two chunks of a merged
  /// program have different keys.
  std::uint64_t collectiveKey() const { return 2 * collective()->index() + (backward ? 1 : 0); }

  template <class V> void fields(V& v) {
    Text text(*this);
    text.fields(v);
    if (Segment read = text.segment(); read != *this)
      *this = read;
  }

private:
  /// A segment as in the plan's text, which has the members of its kind only.
  struct Text {
    SegmentKind kind = SegmentKind::Compute;
    bool backward = false;
    MicroBatchSelection selection = MicroBatchSelection::Every;
    ComputeSegment compute;
    CollectiveSegment launch;

    explicit Text(const Segment& s);
    Segment segment() const;
    template <class V> void fields(V& v) {
      v("kind", kind), v("backward", backward);
      if (kind == SegmentKind::Compute)
        v("module", compute.kind);
      if (kind == SegmentKind::Compute && compute.kind == ComputeKind::Varying)
        v("layer_type", compute.layerType), v("more", compute.sameLayer);
      if (kind == SegmentKind::Collective)
        v("stream", launch.stream), v("prefetch", launch.prefetch);
      v("when", selection);
      if (kind != SegmentKind::Compute)
        v("collective", launch.collective);
      if (kind != SegmentKind::Wait)
        v("time", launch.time);
      if (kind == SegmentKind::Collective)
        v("blocking", launch.holdsFor), v("contention", launch.slowdown);
    }
  };
};

/// Segments that run `count` times in a row.
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
