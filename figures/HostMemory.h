#pragma once
//===- HostMemory.h - What is offloaded to the memory of the nodes ----------------------------===//
#include "ir/Plan.h"
#include <optional>

namespace dpl::figures {

/// Bytes that the process of one device keeps in the memory of its host for what the layout
/// offloads, with the copies that its framework makes there.
struct OffloadedBytes {
  std::uint64_t optimizer = 0, gradients = 0, parameters = 0, activations = 0;
  std::uint64_t all() const { return optimizer + gradients + parameters + activations; }
};
/// Bytes of a device of each pipeline rank; empty where nothing is offloaded. Needs costs and the
/// schedule; activations are those of the fullest moment of the rank's own list.
std::vector<OffloadedBytes> offloadedOf(const ir::Plan& plan);

/// The node whose memory has the least left of what is offloaded.
struct FullestNode {
  std::uint64_t node = 0;      ///< its number
  std::uint64_t nodeClass = 0; ///< its type, by index into Cluster::classes
  std::uint64_t needed = 0;    ///< bytes that its devices keep there
  std::uint64_t memory = 0;    ///< bytes that it has; 0 is not set in the file
  struct Share {
    std::uint64_t rank = 0, devices = 0; ///< a pipeline rank, and how many devices of the node
  };
  std::vector<Share> shares; ///< in the order of its devices
  bool fits() const { return memory == 0 || needed <= memory; }
  /// Share of its memory that is left; all of it where that is not set.
  double free() const {
    return memory == 0 ? 1 : 1 - static_cast<double>(needed) / static_cast<double>(memory);
  }
};
/// Nothing where nothing is offloaded. Relies on: place-ranks.
std::optional<FullestNode> fullestNode(const ir::Plan& plan, const std::vector<OffloadedBytes>& of);
std::optional<FullestNode> fullestNode(const ir::Plan& plan);

} // namespace dpl::figures
