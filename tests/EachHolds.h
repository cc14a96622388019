#pragma once
//===- EachHolds.h - Chunks that hold as much as each other -----------------------------------===//
#include "cost/memory/LivePeak.h"

namespace dpl::test {

/// So many bytes of each micro-batch on each chunk, and nothing beside them.
inline cost::ChunkBytes eachHolds(std::uint64_t chunks, std::uint64_t bytes) {
  cost::ChunkBytes each;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    each.add(bytes, 0);
  return each;
}

} // namespace dpl::test
