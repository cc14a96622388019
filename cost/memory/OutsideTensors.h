#pragma once
//===- OutsideTensors.h - What a device holds beside the tensors of its program ---------------===//
//
// The driver's context and the buffers of NCCL's communicators. What a context takes is a fact of
// the device, what a communicator takes one of the layout (`communicators`), which the library has
// by release of NCCL.
#include "ir/Plan.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// Ranks of a communicator, and how many of them one scale-up domain has.
struct CommunicatorShape {
  std::uint64_t ranks = 1, inside = 1;
  bool inSwitch = false;   ///< the domain's switches add
  bool neighbours = false; ///< stages of a pipeline, which send to one another besides
};
/// Bytes that NCCL holds on each of its ranks; of one rank none.
std::uint64_t communicatorBytes(const ir::CommunicatorBuffers& held,
                                const CommunicatorShape& shape);

/// Those of a device: of all devices, of a model replica, and of each axis. Groups of the same
/// ranks are one. Needs the mesh with its strides.
///
/// nanotron has all devices twice, of PyTorch's default group and of its own, and a node's ranks
/// (ParallelContext in parallel/context.py at 67c5ebb6, measure_bandwidth in trainer.py).
llvm::SmallVector<CommunicatorShape, 16> communicatorsOf(const ir::Plan& plan);

/// Of a rank and one stage that it sends to, where these have a communicator of their own: what is
/// sent in no batch (pointToPoint in ProcessGroupNCCL.cpp). Otherwise 0.
std::uint64_t pairBytes(const ir::Plan& plan);
/// Stages that one sends to or receives from.
std::uint64_t neighboursOf(const ir::Plan& plan, std::uint64_t rank);

/// Whether the layout's framework runs on PyTorch.
bool runsOnPyTorch(const ir::Plan& plan);
/// Whether its allocator's segments are of fixed size, as it is left alone.
bool hasFixedSegments(const ir::Plan& plan);

/// Of all communicators of a device but those of pairs.
std::uint64_t communicatorBytes(const ir::Plan& plan);
/// A device of the pipeline rank: its context, its communicators, and what it has with each of its
/// neighbours.
std::uint64_t outsideBytes(const ir::Plan& plan, const ir::Device& device, std::uint64_t rank);

} // namespace dpl::cost
