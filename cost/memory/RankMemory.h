#pragma once
//===- RankMemory.h - Peak memory of each pipeline rank from its schedule ---------------------===//
#include "cost/compute/GatheredParameters.h"
#include "cost/compute/WeightUse.h"
#include "cost/memory/LivePeak.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::cost {

/// Bytes of communication buffers, which are equal on all ranks. Buffers of pipeline messages and
/// of token exchanges are temporary. Buffers of gathered tensors are permanent.
struct BufferBytes {
  double pipeline = 0, experts = 0, gathered = 0;
  double messages() const { return pipeline + experts; }
};
BufferBytes bufferBytes(const ir::Plan& plan, const Division& division);
inline BufferBytes bufferBytes(const ir::Plan& plan) { return bufferBytes(plan, divisionOf(plan)); }

/// Number of copies of 8-bit or 4-bit weights: 2 if GEMMs need their operands in one memory order,
/// or if block scales run along one dimension.
unsigned weightOrders(const ir::Plan& plan);

/// A chunk on its rank with its cost.
struct RankChunk {
  const ir::ChunkCost* cost = nullptr;
  const ir::Chunk* chunk = nullptr;
};
/// Bytes of receive buffers of a chunk, one for each micro-batch of a step
/// (`buffers.receive_buffer_per_micro_batch`).
double receivedBytes(const ir::Plan& plan, const ir::Chunk& chunk);

/// Parameters of a model chunk that are sharded over the same devices. With an expert axis a chunk
/// has two such parts, dense parameters and routed experts; without one it has one part.
struct ShardedParameters {
  double parameters = 0, ways = 1; ///< of `parameters` all are counted, also frozen ones
  UsedParameters use;
};
llvm::SmallVector<ShardedParameters, 2> shardedParametersOf(const ir::Plan& plan,
                                                            const ir::ChunkCost& cost);

/// Computes the memory of a rank. Relies on: the model, the mesh and the layout.
class MemoryModel {
public:
  explicit MemoryModel(const ir::Plan& plan);
  MemoryModel(const ir::Plan& plan, const BufferBytes& buffers);
  /// Finds the peak from the bytes of each chunk.
  using PeakOf = llvm::function_ref<LivePeak(const ChunkBytes&)>;
  /// Peak memory of a rank with these chunks.
  ir::RankMemory of(std::uint64_t rank, llvm::ArrayRef<RankChunk> chunks, PeakOf peakOf) const;
  /// Memory of a rank with these chunks and no in-flight micro-batch.
  ir::RankMemory idle(std::uint64_t rank, llvm::ArrayRef<RankChunk> chunks) const;
  ChunkBytes bytesOf(llvm::ArrayRef<RankChunk> chunks) const;
  /// The rank's memory on each node type that runs the rank; the current one comes first. Node
  /// types with equal memory appear once.
  std::vector<ir::RankMemory> onEach(const ir::RankMemory& m) const;

private:
  /// Places the rank on the node type with the least headroom.
  void limit(ir::RankMemory& m) const;
  void placeOn(ir::RankMemory& m, std::uint64_t nodeType) const;
  ir::RankMemory on(ir::RankMemory m, std::uint64_t nodeType) const;
  void addState(ir::RankMemory& m, const ShardedParameters& part) const;
  double updateBytes(const ShardedParameters& part) const;
  double stateBitsEach(const UsedParameters& use) const;

  const ir::Plan& plan;
  BufferBytes buffers;
  std::uint64_t communicators; ///< bytes of communicators on every rank
  std::uint64_t pair;          ///< bytes of the communicator of a rank and one neighbour
  PipelineShape shape;
  unsigned stage; ///< ZeRO stage
  /// Bits per trained parameter: one weight version, the gradient, the gradient in buckets; bits of
  /// a master weight and of an element of a moment; the share of both that is not offloaded.
  double weightBits = 0, gradientBits = 0, bucketBits = 0, masterBits = 0, momentBits = 0,
         optimizerShare = 1;
};
/// The chunks of a rank, in order.
llvm::SmallVector<RankChunk, 8> rankChunks(const ir::Plan& plan, std::uint64_t rank);
/// Calls `see` with each pipeline rank and the schedule over which its in-flight micro-batches are
/// counted: its own per-rank schedule, or a longer one if the schedule does not flush.
void forEachInFlightSchedule(
    const ir::Plan& plan,
    llvm::function_ref<void(std::uint64_t, llvm::ArrayRef<ir::ScheduledAction>)> see);
/// Peak bytes of one device of each pipeline rank. Relies on: costs and the schedule. The
/// activations are those at the peak of the rank's schedule.
std::vector<ir::RankMemory> memoryOf(const ir::Plan& plan);
/// Adds the free blocks of the allocator to reserved memory, then places each rank on the node type
/// with the least headroom. Reserved memory that is neither CUDA context nor communicators already
/// covers free blocks.
void addFreeBlocks(const ir::Plan& plan, const MemoryModel& model,
                   std::vector<ir::RankMemory>& memory);
/// Free blocks of PyTorch's allocator, as a part of reserved memory.
std::uint64_t freeBlockBytes(const ir::Plan& plan, const ir::RankMemory& memory);

/// Whether sharded updated parameters are all-gathered through flat copies.
bool gathersFlat(const ir::Plan& plan);
/// Whether the optimizer updates a rank's shard from a flat copy of its gradients on the device.
bool stepsFromCopy(const ir::Plan& plan);

/// The device of the node type for which `memory` was computed.
const ir::Device& deviceOf(const ir::Plan& plan, const ir::RankMemory& memory);

/// Bytes of the rank's unsharded units (GatheredParameters.h), a part of temporary memory.
double gatheredBytes(const ir::Plan& plan, std::uint64_t rank);
GatheredBytes gatheredOf(const ir::Plan& plan, llvm::ArrayRef<RankChunk> chunks);
/// For each chunk, the bytes by which the rank's largest unsharded units exceed its own. An action
/// of the chunk can use these bytes, because the rank's memory counts the largest units. Empty if
/// the rank has one chunk or gathers nothing.
llvm::SmallVector<std::uint64_t, 8> gatheredByOthers(const ir::Plan& plan,
                                                     llvm::ArrayRef<RankChunk> chunks);
/// Bytes at the rank's peak of unsharded gradients, and of recomputed tensors that outlive their
/// action. Both are parts of temporary memory.
std::uint64_t wholeGradientsAtPeak(const ir::Plan& plan, std::uint64_t rank);
std::uint64_t restoredAtPeak(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
