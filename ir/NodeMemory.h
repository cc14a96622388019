#pragma once
//===- NodeMemory.h - Host memory of the nodes of a cluster -----------------------------------===//
#include "ir/Cluster.h"

namespace dpl::ir {

/// Bytes of host memory of a node of this type; 0 if the file does not set it.
inline std::uint64_t hostMemoryOf(const Cluster& cluster, const NodeClass& type) {
  return type.hostMemory.value_or(cluster.hostMemory);
}

/// The least host memory that the file sets for a node type, in bytes; 0 if it sets none.
inline std::uint64_t leastHostMemory(const Cluster& cluster) {
  std::uint64_t least = 0;
  for (const NodeClass& type : cluster.classes)
    if (const std::uint64_t memory = hostMemoryOf(cluster, type);
        memory > 0 && (least == 0 || memory < least))
      least = memory;
  return least;
}

} // namespace dpl::ir
