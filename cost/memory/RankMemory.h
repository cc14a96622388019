#pragma once
//===- RankMemory.h - Memory of the pipeline ranks from their schedule ------------------------===//
#include "cost/compute/GatheredParameters.h"
#include "cost/memory/LivePeak.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::cost {

/// Bytes of buffers of a device whatever its rank. Messages of the pipeline and of an exchange of
/// tokens between experts are transient, tensors that tensor ranks gather are held for good.
struct BufferBytes {
  double pipeline = 0, experts = 0, gathered = 0;
  double messages() const { return pipeline + experts; }
};
BufferBytes bufferBytes(const ir::Plan& plan, const Division& division);
inline BufferBytes bufferBytes(const ir::Plan& plan) { return bufferBytes(plan, divisionOf(plan)); }

/// How often the weights of products in 8 and 4 bits are there: 2 where a product takes its
/// operands in one order only, or scales its blocks along one dimension.
unsigned weightOrders(const ir::Plan& plan);

/// A chunk on its rank, and what it takes.
struct RankChunk {
  const ir::ChunkCost* cost = nullptr;
  const ir::Chunk* chunk = nullptr;
};
/// Buffers of a chunk for what each micro-batch of a step receives
/// (`buffers.receive_buffer_per_micro_batch`).
double receivedBytes(const ir::Plan& plan, const ir::Chunk& chunk);

/// Parameters of a model chunk that are sharded over the same devices. Dense parameters and those
/// of routed experts are two such parts; without expert ranks all parameters are one.
struct ShardedParameters {
  double parameters = 0, ways = 1;
};
llvm::SmallVector<ShardedParameters, 2> shardedParametersOf(const ir::Plan& plan,
                                                            const ir::ChunkCost& cost);

/// Of the plan it needs the model, the mesh and the layout.
class MemoryModel {
public:
  explicit MemoryModel(const ir::Plan& plan);
  MemoryModel(const ir::Plan& plan, const BufferBytes& buffers);
  /// What micro-batches hold at most, of what each chunk holds.
  using PeakOf = llvm::function_ref<LivePeak(const ChunkBytes&)>;
  /// Of a rank with these chunks.
  ir::RankMemory of(std::uint64_t rank, llvm::ArrayRef<RankChunk> chunks, PeakOf peakOf) const;
  /// Of a rank with these chunks while no micro-batch is live.
  ir::RankMemory idle(std::uint64_t rank, llvm::ArrayRef<RankChunk> chunks) const;
  ChunkBytes bytesOf(llvm::ArrayRef<RankChunk> chunks) const;
  /// The rank on a device of each class that holds it, of those that leave it the same on one; the
  /// one that it is on comes first.
  std::vector<ir::RankMemory> onEach(const ir::RankMemory& m) const;

private:
  /// Of the classes that hold the rank the one that leaves it least.
  void limit(ir::RankMemory& m) const;
  void placeOn(ir::RankMemory& m, std::uint64_t nodeType) const;
  ir::RankMemory on(ir::RankMemory m, std::uint64_t nodeType) const;
  void addState(ir::RankMemory& m, const ShardedParameters& part) const;
  double updateBytes(const ShardedParameters& part) const;

  const ir::Plan& plan;
  BufferBytes buffers;
  std::uint64_t communicators; ///< of every rank
  std::uint64_t pair;          ///< of a rank and each of its neighbours
  PipelineShape shape;
  unsigned stage; ///< ZeRO stage
  /// Bits that a device holds for a parameter: of a version of the weight, of its gradient, of that
  /// in a bucket, of the optimizer's state.
  double weightBits = 0, gradientBits = 0, bucketBits = 0, optimizerBits = 0;
};
/// The chunks of a rank, in order.
llvm::SmallVector<RankChunk, 8> rankChunks(const ir::Plan& plan, std::uint64_t rank);
/// Calls `see` with each pipeline rank and the schedule over which its in-flight micro-batches are
/// counted: its own per-rank schedule, or a longer one if the schedule does not flush.
void forEachInFlightSchedule(
    const ir::Plan& plan,
    llvm::function_ref<void(std::uint64_t, llvm::ArrayRef<ir::ScheduledAction>)> see);
/// Bytes of one device of each pipeline rank at its peak. Needs costs and the schedule; activations
/// are the largest sum over the rank's own timeline, not a formula.
std::vector<ir::RankMemory> memoryOf(const ir::Plan& plan);
/// Of each rank on the device that the blocks leave least, which need not be the one that the
/// tensors do: what is reserved beside context and communicators has room for them.
void addFreeBlocks(const ir::Plan& plan, const MemoryModel& model,
                   std::vector<ir::RankMemory>& memory);
/// Of what is reserved of a rank that which PyTorch's allocator keeps beside the tensors.
std::uint64_t freeBlockBytes(const ir::Plan& plan, const ir::RankMemory& memory);

/// Whether updated parameters, of which each rank has a part, are gathered through flat copies.
bool gathersFlat(const ir::Plan& plan);
/// Whether the optimizer updates a rank's part from a copy of its gradients in one piece, which is
/// on the device where they are.
bool stepsFromCopy(const ir::Plan& plan);

/// The device whose memory that is: of those that hold the rank the one that has the least left.
const ir::Device& deviceOf(const ir::Plan& plan, const ir::RankMemory& memory);

/// Units of a rank that are gathered and not yet scattered (GatheredParameters.h), a part of the
/// transient memory.
double gatheredBytes(const ir::Plan& plan, std::uint64_t rank);
GatheredBytes gatheredOf(const ir::Plan& plan, llvm::ArrayRef<RankChunk> chunks);
/// Bytes of units by which other chunks of the rank gather more than each of these: a pass of it
/// works in their place, which is counted in the rank's. Empty where none do.
llvm::SmallVector<std::uint64_t, 8> gatheredByOthers(const ir::Plan& plan,
                                                     llvm::ArrayRef<RankChunk> chunks);
/// Gradients of a rank that are summed whole, at its peak, and what recomputations have brought
/// back for longer than a pass; parts of the transient memory.
std::uint64_t wholeGradientsAtPeak(const ir::Plan& plan, std::uint64_t rank);
std::uint64_t restoredAtPeak(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
