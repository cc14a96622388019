#pragma once
//===- LayerSpans.h - Layers of a chunk, alike ones together ----------------------------------===//
#include "cost/compute/LayerCost.h"
#include <algorithm>

namespace dpl::cost {

/// Calls `see` with the classes of layers first … first + count − 1, in order.
template <class See>
void forEachSpan(const ir::Model& m, std::uint64_t first, std::uint64_t count, See see) {
  std::uint64_t begin = 0;
  for (const ir::LayerRun& run : m.runs) {
    if (begin >= first + count)
      break;
    const std::uint64_t from = std::max(begin, first),
                        to = std::min(begin + run.count, first + count);
    if (from < to)
      see(LayerSpan{run.layerClass, to - from});
    begin += run.count;
  }
}

} // namespace dpl::cost
