#pragma once
//===- HostMemory.h - Offloaded tensors in host memory ----------------------------------------===//
#include "ir/Plan.h"
#include <optional>

namespace dpl::cost {

/// Host memory of one device's process for offloaded tensors, in bytes, including the copies that
/// its framework makes on the host.
struct OffloadedBytes {
  std::uint64_t optimizer = 0, gradients = 0, parameters = 0, activations = 0;
  std::uint64_t all() const { return optimizer + gradients + parameters + activations; }
};
/// One entry for each pipeline rank; empty if nothing is offloaded. Activations are counted at the
/// moment of the per-rank schedule at which most are offloaded. Relies on: costs and the schedule.
std::vector<OffloadedBytes> offloadedOf(const ir::Plan& plan);

/// The node on which offloaded tensors leave the least host memory.
struct FullestNode {
  std::uint64_t node = 0;     ///< node number
  std::uint64_t nodeType = 0; ///< node type, an index into Cluster::nodeTypes
  std::uint64_t needed = 0;   ///< bytes that its devices offload
  std::uint64_t memory = 0;   ///< bytes of the node; 0 if not set in the file
  struct Share {
    /// Pipeline rank, and number of the node's devices with this rank.
    std::uint64_t rank = 0, devices = 0;
  };
  std::vector<Share> shares; ///< pipeline ranks in the order of the node's devices
  bool fits() const { return memory == 0 || needed <= memory; }
  /// Free share of the node's memory; 1 if the file does not set the memory.
  double free() const {
    return memory == 0 ? 1 : 1 - static_cast<double>(needed) / static_cast<double>(memory);
  }
};
/// The fullest node of each node type, in the order of Cluster::nodeTypes; empty if the layout
/// offloads nothing. Relies on: place-ranks.
std::vector<FullestNode> fullestNodes(const ir::Plan& plan, const std::vector<OffloadedBytes>& of);
/// The fullest of all nodes; nothing if the layout offloads nothing. Relies on: place-ranks.
std::optional<FullestNode> fullestNode(const ir::Plan& plan, const std::vector<OffloadedBytes>& of);
std::optional<FullestNode> fullestNode(const ir::Plan& plan);

} // namespace dpl::cost
