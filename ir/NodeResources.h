#pragma once
//===- NodeResources.h - Host memory and CPUs of nodes ----------------------------------------===//
#include "ir/Cluster.h"

namespace dpl::ir {

/// Bytes of host memory of a node of this type; 0 if the file does not set it.
inline std::uint64_t hostMemoryOf(const Cluster& cluster, const NodeType& type) {
  return type.hostMemory.value_or(cluster.hostMemory);
}
/// Hardware threads of a node of this type; 0 if the file does not set them.
inline std::uint64_t cpusOf(const Cluster& cluster, const NodeType& type) {
  return type.cpus.value_or(cluster.cpusPerNode);
}

/// The least amount of a resource that the file sets for a node type; 0 if it sets none.
template <class Of> std::uint64_t leastOf(const Cluster& cluster, const Of& of) {
  std::uint64_t least = 0;
  for (const NodeType& type : cluster.nodeTypes)
    if (const std::uint64_t amount = of(cluster, type);
        amount > 0 && (least == 0 || amount < least))
      least = amount;
  return least;
}
inline std::uint64_t leastHostMemory(const Cluster& cluster) {
  return leastOf(cluster, hostMemoryOf);
}
inline std::uint64_t leastCpus(const Cluster& cluster) { return leastOf(cluster, cpusOf); }

} // namespace dpl::ir
