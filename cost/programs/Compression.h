#pragma once
//===- Compression.h - The collectives of compressed gradients --------------------------------===//
//
// Top-k gradients are all-gathered, because values at different indices cannot be summed by NCCL.
// Quantised gradients are exchanged, summed and gathered. Low-rank factors are all-reduced.
#include "ir/Plan.h"

namespace dpl::cost {

/// Gradients of one layer of a chunk that a group reduces.
struct ReducedGradients {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  double elements = 0, ranks = 1;
  /// inFactors: elements of the matrices that are sent as low-rank factors. leftFactor,
  /// rightFactor: elements of their factors at rank 1.
  double inFactors = 0, leftFactor = 0, rightFactor = 0;
  ReducedGradients times(double n) const {
    return {kind, n * elements, ranks, n * inFactors, n * leftFactor, n * rightFactor};
  }
};

/// A collective and the bytes of its whole buffer on one rank.
struct ReductionCollective {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  double bytes = 0;
};
struct CompressedReduction {
  llvm::SmallVector<ReductionCollective, 2> collectives; ///< collectives in launch order
  double payload = 0;                                    ///< bytes of a rank's compressed gradients
  double buffers = 0;                                    ///< bytes of send and receive buffers
  /// Seconds in which a device encodes and decodes.
  double coding = 0;
};

/// Whether reductions between replicas (`betweenReplicas`) or between data ranks are compressed. If
/// state is sharded and has replicas, only those between replicas are compressed, otherwise only
/// those between data ranks.
bool compresses(const ir::Plan& plan, bool betweenReplicas);

/// The compressed reduction of these gradients. Relies on: a layout with gradient compression.
CompressedReduction compressed(const ir::Plan& plan, const ReducedGradients& gradients,
                               llvm::ArrayRef<ir::Device> devices);

/// The parameters of a chunk that a reduction covers: dense parameters, routed experts, or both.
/// `ways` is the number of devices that share sharded state.
enum class ParameterSet : std::uint8_t { Dense, Experts, All };
ReducedGradients gradientsOf(const ir::Plan& plan, const ir::Chunk& chunk, ParameterSet part,
                             double elements, double ways);

/// Bytes that a device keeps allocated: error feedback and the buffers of one layer.
double compressionBytes(const ir::Plan& plan, const ir::Chunk& chunk, const ir::ChunkCost& cost);

/// Bytes of a chunk's gradients before and after compression.
struct Payload {
  double whole = 0, sent = 0;
};
Payload payloadOf(const ir::Plan& plan, const ir::Chunk& chunk, const ir::ChunkCost& cost);

/// ps of the segments of one kind in the actions of a chunk, such as the coding of gradients, in
/// every micro-batch or in the last one.
std::uint64_t computeKindTime(const ir::Plan& plan, const ir::ChunkPrograms& programs,
                              ir::ComputeKind part, ir::MicroBatchSelection when);
/// ps of the segments of one kind in one step on a device of a pipeline rank.
std::uint64_t computeKindTime(const ir::Plan& plan, std::uint64_t rank, ir::ComputeKind part);

} // namespace dpl::cost
