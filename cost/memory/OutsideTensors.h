#pragma once
//===- OutsideTensors.h - What a device holds beside the tensors of its program ---------------===//
//
// Of programs on PyTorch, which a layout names as its framework: the driver's context and the
// buffers of NCCL's communicators. Constants are read in NCCL 2.21.5 at ab2b89c4 and 2.18.1 at
// d97a32fa.
#include "ir/Plan.h"

namespace dpl::cost {

/// Ranks of a communicator, and how many of them one scale-up domain has.
struct CommunicatorShape {
  std::uint64_t ranks = 1, inside = 1;
  bool inSwitch = false;   ///< the domain's switches add
  bool neighbours = false; ///< stages of a pipeline, which send to one another besides
  bool before220 = false;  ///< of NCCL 2.18 and 2.19, whose sums in switches have larger buffers
};
/// Bytes that NCCL holds on each of its ranks; of one rank none.
std::uint64_t communicatorBytes(const CommunicatorShape& shape);

/// Those of a device: of all devices, of a model replica, and of each axis. Groups of the same
/// ranks are one. Needs the mesh with its strides.
///
/// nanotron has all devices twice, of PyTorch's default group and of its own, and a node's ranks
/// (ParallelContext in parallel/context.py at 67c5ebb6, measure_bandwidth in trainer.py).
std::vector<CommunicatorShape> communicatorsOf(const ir::Plan& plan);

/// Of a rank and one stage that it sends to, where these have a communicator of their own: what is
/// sent in no batch (pointToPoint in ProcessGroupNCCL.cpp). Otherwise 0.
std::uint64_t pairBytes(const ir::Plan& plan);
/// Stages that one sends to or receives from.
std::uint64_t neighboursOf(const ir::Plan& plan, std::uint64_t rank);

/// Whether the layout's framework runs on PyTorch.
bool runsOnPyTorch(const ir::Plan& plan);
/// Whether its allocator's segments are of fixed size, as it is left alone.
bool hasFixedSegments(const ir::Plan& plan);

/// Of a context whose kernels are loaded when they are needed.
inline constexpr std::uint64_t contextBytes = std::uint64_t{512} << 20;
/// That and the communicators of every device; 0 of other programs.
std::uint64_t outsideBytes(const ir::Plan& plan);
/// The same, and what a device of the pipeline rank has with each of its neighbours.
std::uint64_t outsideBytes(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
