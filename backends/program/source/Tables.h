//===- Tables.h - What plan.h is made of ------------------------------------------------------===//
//
// Everything is per pipeline rank and model chunk, nothing per device: a process finds its
// coordinates from the strides of the axes.
#pragma once
#include <cstddef>
#include <cstdint>

namespace twin {

/// An array that plan.h defines.
template <class T> struct Slice {
  const T* data;
  std::size_t size;
  const T& operator[](std::size_t i) const { return data[i]; }
  const T* begin() const { return data; }
  const T* end() const { return data + size; }
};

/// Ranks along an axis of the mesh differ by `stride`.
struct Axis {
  const char* name;
  std::uint64_t size, stride;
};

/// `count` ranks, `stride` apart, of an axis that extends over `period` ranks. A mirrored factor is
/// of two opposite ranks of the axis: its ends are `stride` apart, others are nearer.
struct Factor {
  std::uint64_t count, stride, period;
  bool mirrored;
};

/// The groups of one subset of axes: `factors` entries of the table of factors, outermost first.
struct Group {
  const char* name;
  std::size_t firstFactor, factors;
  std::uint64_t size; ///< ranks of one group
};

enum class CallKind { AllReduce, ReduceScatter, AllGather, AllToAll };

/// Calls of a stream run one after the other in the order in which they are issued, beside those
/// of the others.
enum class Stream { Tensor, Context, Expert, Data };
constexpr std::size_t streams = 4;

/// A collective. `bytes` is the whole buffer of a rank. `count` is how often a rank takes part in a
/// step.
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
  Call,  ///< and wait for it
  Begin, ///< a call that goes on beside what follows
  Wait   ///< for the newest call of these
};
/// In which micro-batches of a chunk a segment runs.
enum class When { Every, First, Last };

/// What a pass does at one point: `call` is of the table of calls, `ns` of computation.
struct Segment {
  SegmentKind kind;
  When when;
  std::size_t call;
  std::uint64_t ns;
};

/// `segments` entries of the table of segments, run `times` times.
struct Block {
  std::size_t first, segments;
  std::uint64_t times;
};

/// A pass is `blocks` entries of the table of blocks.
struct Body {
  std::size_t first, blocks;
};

/// The bodies of a chunk's passes, `none` where the schedule has no such passes: `backward` is for
/// inputs and weights in one, `recomputation` runs in advance of either. `previous` and `next` are
/// the chunks of this table that hold the stages before and after it; `none` at the ends of the
/// model.
struct Chunk {
  std::size_t forward, backward, inputs, weights, recomputation, previous, next;
};

enum class OperationKind {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  Recomputation,
  Pair, ///< a forward merged with the backward that is the next entry
  SendForward,
  SendBackward,
  ReceiveForward,
  ReceiveBackward,
  Collective,
  Wait, ///< for the calls that the passes left behind
  Optimizer
};

/// One entry of a pipeline rank's list. The chunk of a message is its sender's. `other` is the
/// pipeline rank at the other end of a message, the collective, or the body of a pair.
struct Operation {
  OperationKind kind;
  std::uint64_t microBatch, chunk, other;
};

/// `operations` entries of the table of operations, executed `times` times; each time the
/// micro-batches are larger by one. Repetition is what keeps plan.h short.
struct Loop {
  std::size_t first, operations;
  std::uint64_t times;
};

/// The list of one pipeline rank is that of its loops. `optimizer` is the update in ns.
struct RankList {
  std::size_t firstLoop, loops;
  std::uint64_t optimizer;
};

struct Plan {
  const char* subject; ///< as a string of JSON, with its quotes
  const char* hash;
  std::uint64_t world, pipelineRanks, pipelineStride, chunksPerRank, microBatches;
  std::uint64_t chunkMicroBatches; ///< that a chunk runs: half of them in a direction of two
  std::uint64_t messageBytes;      ///< between two pieces of the model
  std::uint64_t stepTime;          ///< predicted, ns
  bool barrier; ///< all ranks begin a step together; else each when it has ended the one before
  bool messagesOverlap; ///< else what is sent has left before the next computation begins
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
