//===- Tables.h - Types of the tables in plan.h -----------------------------------------------===//
//
// The tables have entries per pipeline rank and model chunk. A process computes its coordinates
// from the strides of the axes.
#pragma once
#include <cstddef>
#include <cstdint>

namespace twin {

/// A view of an array that plan.h defines.
template <class T> struct Slice {
  const T* data;
  std::size_t size;
  const T& operator[](std::size_t i) const { return data[i]; }
  const T* begin() const { return data; }
  const T* end() const { return data + size; }
};

/// An axis of the mesh. Neighbours on it differ by `stride`.
struct Axis {
  const char* name;
  std::uint64_t size, stride;
};

/// `count` ranks at distance `stride` on an axis that extends over `period` ranks. A mirrored
/// factor is a pair of opposite ranks: the members of the outermost pair are `stride` apart, and
/// those of inner pairs are closer.
struct Factor {
  std::uint64_t count, stride, period;
  bool mirrored;
};

/// The groups along some of the axes. Their factors are `factors` entries of the table of factors,
/// outermost first.
struct Group {
  const char* name;
  std::size_t firstFactor, factors;
  std::uint64_t size; ///< ranks per group
};

enum class CallKind { AllReduce, ReduceScatter, AllGather, AllToAll };

/// Collectives of one stream run one after another in launch order; streams overlap.
enum class Stream { Tensor, Context, Expert, Data };
constexpr std::size_t streams = 4;

/// A collective. `bytes` is the size of a rank's whole buffer, and `count` the number of times that
/// a rank runs it in a step.
struct Call {
  CallKind kind;
  const char* purpose;
  std::size_t group;
  std::uint64_t bytes, count;
  Stream stream;
};

constexpr std::size_t none = static_cast<std::size_t>(-1);

enum class SegmentKind {
  Compute,
  Call,  ///< starts a collective and waits for it
  Begin, ///< starts a collective that overlaps with the following segments
  Wait   ///< waits for the most recent collective that Begin started with this index
};
/// The micro-batches of a chunk in which a segment runs.
enum class When { Every, First, Last };

/// A segment. `call` is an index in the table of collectives, `ns` the time of a computation.
struct Segment {
  SegmentKind kind;
  When when;
  std::size_t call;
  std::uint64_t ns;
};

/// A loop of a stage program: `segments` entries of the table of segments, which run `times` times.
struct Block {
  std::size_t first, segments;
  std::uint64_t times;
};

/// A stage program: `blocks` entries of the table of blocks.
struct Body {
  std::size_t first, blocks;
};

/// The stage programs of a chunk; `none` for actions that the schedule does not have. `backward`
/// computes both gradients, and `recomputation` runs before a backward action. `previous` and
/// `next` are the table's indices of the chunks with the neighbouring stages; `none` at the ends of
/// the model.
struct Chunk {
  std::size_t forward, backward, inputs, weights, recomputation, previous, next;
};

enum class OperationKind {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  Recomputation,
  Pair, ///< a forward action merged with the backward action of the next entry
  SendForward,
  SendBackward,
  ReceiveForward,
  ReceiveBackward,
  Collective,
  Wait, ///< waits for collectives that actions started and did not wait for
  Optimizer
};

/// One entry of a per-rank schedule. The chunk of a message is the sender's. `other` is the peer of
/// a message, the index of a collective, or the stage program of a pair.
struct Operation {
  OperationKind kind;
  std::uint64_t microBatch, chunk, other;
};

/// `operations` entries of the table of operations, which run `times` times. The index of the
/// micro-batch grows by one per iteration. Loops keep plan.h short.
struct Loop {
  std::size_t first, operations;
  std::uint64_t times;
};

/// The schedule of one pipeline rank, as loops. `optimizer` is the time of the optimizer step in
/// ns.
struct RankList {
  std::size_t firstLoop, loops;
  std::uint64_t optimizer;
};

struct Plan {
  const char* subject; ///< JSON string, with its quotes
  const char* hash;
  std::uint64_t world, pipelineRanks, pipelineStride, chunksPerRank, microBatches;
  std::uint64_t chunkMicroBatches; ///< micro-batches of one chunk: half of `microBatches` if the
                                   ///< pipeline is bidirectional
  std::uint64_t messageBytes;      ///< size of a message between model chunks
  std::uint64_t stepTime;          ///< predicted step time, ns
  bool barrier;                    ///< whether all ranks begin a step together
  bool messagesOverlap;            ///< whether sends and computation overlap
  Slice<Axis> axes;
  Slice<Factor> factors;
  Slice<Group> groups;
  Slice<Call> calls;
  Slice<Segment> segments;
  Slice<Block> blocks;
  Slice<Body> bodies;
  Slice<Chunk> chunks; ///< by pipeline rank, then chunk
  Slice<Operation> operations;
  Slice<Loop> loops;
  Slice<RankList> ranks;
};

} // namespace twin
