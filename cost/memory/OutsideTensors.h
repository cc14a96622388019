#pragma once
//===- OutsideTensors.h - What a device holds beside the tensors of its program ---------------===//
//
// Of programs on PyTorch, which a layout names as its framework: the driver's context and the
// buffers of NCCL's communicators. Constants are read in NCCL 2.21.5 at ab2b89c4.
#include "ir/Plan.h"

namespace dpl::cost {

/// Ranks of a communicator, and how many of them one scale-up domain has.
struct CommunicatorShape {
  std::uint64_t ranks = 1, inside = 1;
  bool inSwitch = false;   ///< the domain's switches add
  bool neighbours = false; ///< stages of a pipeline, which send to one another besides
};
/// Bytes that NCCL holds on each of its ranks; of one rank none.
std::uint64_t communicatorBytes(const CommunicatorShape& shape);

/// Those of a device: of all devices, of a model replica, and of each axis. Groups of the same
/// ranks are one. Needs the mesh with its strides.
std::vector<CommunicatorShape> communicatorsOf(const ir::Plan& plan);

/// Whether the layout's framework runs on PyTorch.
bool runsOnPyTorch(const ir::Plan& plan);
/// Whether its allocator's segments are of fixed size, as it is left alone.
bool hasFixedSegments(const ir::Plan& plan);

/// Of a context whose kernels are loaded when they are needed.
inline constexpr std::uint64_t contextBytes = std::uint64_t{512} << 20;
/// That and all communicators of a device; 0 of other programs.
std::uint64_t outsideBytes(const ir::Plan& plan);

} // namespace dpl::cost
