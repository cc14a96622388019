#pragma once
//===- RankMemory.h - Memory of the pipeline ranks from their schedule ------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::cost {

/// A chunk on its rank, and how many layers it has.
struct HeldChunk {
  const ir::ChunkCost* cost = nullptr;
  std::uint64_t layers = 0;
};
/// Of one rank with these chunks and passes; of the plan it needs the mesh and the layout.
ir::RankMemory memoryOf(const ir::Plan& plan, std::uint64_t rank, llvm::ArrayRef<HeldChunk> chunks,
                        llvm::ArrayRef<ir::ScheduledOperation> operations);
/// Bytes of one device of each pipeline rank at its peak. Needs costs and the schedule; activations
/// are the largest sum over the rank's own timeline, not a formula.
std::vector<ir::RankMemory> memoryOf(const ir::Plan& plan);

/// Parts of the transient memory. Whole layers of a rank that exist only while they are used:
double gatheredBytes(const ir::Plan& plan, std::uint64_t rank);
/// Buffers of messages: of the pipeline, and of an exchange of tokens between experts.
struct MessageBytes {
  double pipeline = 0, experts = 0;
};
MessageBytes messageBytes(const ir::Plan& plan);

} // namespace dpl::cost
