#pragma once
//===- OutsideTensors.h - Memory of a device outside PyTorch's allocator ----------------------===//
//
// This memory is the driver's context and the buffers of NCCL's communicators. The device sets the
// size of a context. The buffers of a communicator follow from the release of NCCL that the layout
// names (`communicators`).
#include "ir/Plan.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dpl::cost {

/// The buffers and channels of one communicator of a release of NCCL on a device, without settings
/// in the environment (NCCL_BUFFSIZE, NCCL_MIN_NCHANNELS).
struct CommunicatorBuffers {
  /// Bytes per peer and channel: 0.5, 4.7 and 4 MiB for LL, LL128 and Simple, rounded up to 2 MiB
  /// (init.cc, computeBuffSizes; transport/p2p.cc, ncclP2pAllocateShareableBuffer).
  std::uint64_t connection = 10 << 20;
  /// Bytes per channel for point-to-point messages: 16 steps of 512 KiB if all links are NVLink,
  /// otherwise of 128 KiB (transport/net.cc, sharedNetBuffersInit).
  std::uint64_t sendsInside = 8 << 20, sendsAcross = 2 << 20;
  /// Bytes of NVLS (sums in switches) per channel and rank of the domain (transport/nvls.cc,
  /// ncclNvlsSetup); 0: the release allocates them only when they are used.
  std::uint64_t sums = 0;
  /// Channels inside a domain: 12 rings, as many as the bandwidth of NVLink allows, each twice.
  std::uint64_t channelsInside = 24;
  /// Channels between domains: eight ports, each twice (graph/connect.cc, ncclTopoPostset).
  std::uint64_t channelsAcross = 16;
  std::uint64_t channelsOfSums = 0; ///< NCCL_NVLS_NCHANNELS
  bool sumsInAll = false;           ///< NVLS has buffers in all channels, not only in its own
};
/// The buffers of a release; nothing for CommunicatorRelease::None.
std::optional<CommunicatorBuffers> buffersOf(ir::CommunicatorRelease release);

/// Ranks of a communicator, and how many of them one scale-up domain has.
struct CommunicatorShape {
  std::uint64_t ranks = 1, inside = 1;
  bool inSwitch = false;   ///< the domain's switches reduce (NVLS)
  bool neighbours = false; ///< the ranks are pipeline stages, which also send to their neighbours
};
/// Bytes that NCCL allocates for a communicator on each of its ranks; 0 if it has one rank.
std::uint64_t communicatorBytes(const CommunicatorBuffers& held, const CommunicatorShape& shape);

/// The communicators of a device: of all devices, of a model replica and of each axis. Groups with
/// the same ranks share one communicator. Relies on: the mesh with its strides.
///
/// nanotron has two communicators of all devices, PyTorch's default group and its own, and one of
/// the ranks of a node (ParallelContext in parallel/context.py at 67c5ebb6, measure_bandwidth in
/// trainer.py).
llvm::SmallVector<CommunicatorShape, 16> communicatorsOf(const ir::Plan& plan);

/// Bytes of the communicator of a rank and one neighbouring stage, which PyTorch creates for
/// messages that are not sent in a batch (pointToPoint in ProcessGroupNCCL.cpp); 0 if there is
/// none.
std::uint64_t pairBytes(const ir::Plan& plan);
/// Number of pipeline ranks that a rank sends to or receives from.
std::uint64_t neighboursOf(const ir::Plan& plan, std::uint64_t rank);

/// Whether the layout's framework runs on PyTorch.
bool runsOnPyTorch(const ir::Plan& plan);
/// Whether PyTorch's allocator has its default settings, so that segments have a fixed size.
bool hasFixedSegments(const ir::Plan& plan);

/// Bytes of all communicators of a device except those of pairs of stages.
std::uint64_t communicatorBytes(const ir::Plan& plan);
/// Memory outside the allocator on a device of a pipeline rank: CUDA context, communicators, and a
/// pair communicator for each neighbour.
std::uint64_t outsideBytes(const ir::Plan& plan, const ir::Device& device, std::uint64_t rank);

} // namespace dpl::cost
