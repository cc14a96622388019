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

/// `count` ranks, `stride` apart, of an axis that extends over `period` ranks.
struct Factor {
  std::uint64_t count, stride, period;
};

/// The groups of one subset of axes: `factors` entries of the table of factors, outermost first.
struct Group {
  const char* name;
  std::size_t firstFactor, factors;
  std::uint64_t size; ///< ranks of one group
};

enum class CallKind { AllReduce, ReduceScatter, AllGather, AllToAll };

/// A collective. `bytes` is the whole buffer of a rank. `count` is how often a rank takes part in a
/// step: of a chunk's own in all its passes together, of one of the schedule in each operation.
struct Call {
  CallKind kind;
  const char* purpose;
  std::size_t group;
  std::uint64_t bytes, count;
  bool overlapped; ///< runs beside computation
};

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Computation of one micro-batch in ns. The collectives of its passes are `calls` entries of the
/// table of chunk calls; behind them are those of the step that run beside its last backward.
/// `previous` and `next` are the chunks of this table that hold the stages before and after it;
/// `none` at the ends of the model.
struct Chunk {
  std::uint64_t forward, backwardInput, backwardWeight;
  std::size_t firstCall, calls, lastCalls, previous, next;
};

enum class OperationKind {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  SendForward,
  SendBackward,
  ReceiveForward,
  ReceiveBackward,
  Collective,
  Overlapped, ///< a collective that has run beside the last backward of its chunk
  Optimizer
};

/// One entry of a pipeline rank's list. The chunk of a message is its sender's. `other` is the
/// pipeline rank at the other end of a message, or the collective.
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
  std::uint64_t messageBytes; ///< between two pieces of the model
  std::uint64_t stepTime;     ///< predicted, ns
  bool messagesOverlap;       ///< else what is sent has left before the next computation begins
  Slice<Axis> axes;
  Slice<Factor> factors;
  Slice<Group> groups;
  Slice<Call> calls;
  Slice<std::size_t> chunkCalls;
  Slice<Chunk> chunks; ///< by pipeline rank, then chunk
  Slice<Operation> operations;
  Slice<Loop> loops;
  Slice<RankList> ranks;
};

} // namespace twin
