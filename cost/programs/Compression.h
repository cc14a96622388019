#pragma once
//===- Compression.h - What the reduction of gradients becomes that are compressed ------------===//
//
// Sparse values of different places do not add, so that top-k gathers; quantised ones do not add
// either and are exchanged, summed and gathered; factors of matrices and values of places that all
// ranks draw alike do add.
#include "ir/Plan.h"

namespace dpl::cost {

/// Gradients of one layer's share of a chunk that a group reduces.
struct ReducedGradients {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  double elements = 0, ranks = 1;
  /// Of `elements` those of matrices that are sent as factors, elements of either factor for a rank
  /// of 1, and matrices.
  double inFactors = 0, leftFactor = 0, rightFactor = 0;
  ReducedGradients times(double n) const {
    return {kind, n * elements, ranks, n * inFactors, n * leftFactor, n * rightFactor};
  }
};

/// A collective and the whole buffer of a rank in it.
struct ReductionCollective {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  double bytes = 0;
};
struct CompressedReduction {
  llvm::SmallVector<ReductionCollective, 2> collectives; ///< one behind the other
  double payload = 0; ///< bytes of a rank's gradients as they are sent
  double buffers = 0; ///< bytes of buffers of what is sent and comes
  /// Seconds in which a device codes and decodes them.
  double coding = 0;
};

/// Whether the gradients that a group reduces are compressed: those between replicas where others
/// are sharded, else those between data ranks.
bool compresses(const ir::Plan& plan, bool betweenReplicas);

/// Relies on: a layout that compresses.
CompressedReduction compressed(const ir::Plan& plan, const ReducedGradients& gradients,
                               llvm::ArrayRef<ir::Device> devices);

/// Of a chunk divided by layers, `ways` devices that share what is sharded: its dense part with or
/// without experts, or experts alone.
enum class ParameterSet : std::uint8_t { Dense, Experts, All };
ReducedGradients gradientsOf(const ir::Plan& plan, const ir::Chunk& chunk, ParameterSet part,
                             double elements, double ways);

/// Bytes that a device holds for good: what was not sent, and buffers of a layer.
double compressionBytes(const ir::Plan& plan, const ir::Chunk& chunk, const ir::ChunkCost& cost);

/// Bytes of the gradients of a chunk that are compressed, and of what is sent for them.
struct Payload {
  double whole = 0, sent = 0;
};
Payload payloadOf(const ir::Plan& plan, const ir::Chunk& chunk, const ir::ChunkCost& cost);

/// ps of a part of the passes of a chunk, such as the coding of gradients, of every micro-batch or
/// of the last one.
std::uint64_t computeKindTime(const ir::Plan& plan, const ir::ChunkPrograms& programs,
                              ir::ComputeKind part, ir::MicroBatchSelection when);
/// ps of a step in which a device of the pipeline rank has such a part.
std::uint64_t computeKindTime(const ir::Plan& plan, std::uint64_t rank, ir::ComputeKind part);

} // namespace dpl::cost
