#pragma once
//===- LayerSpans.h - Consecutive layers of a chunk with equal types --------------------------===//
#include "cost/compute/LayerCost.h"
#include <algorithm>
#include <utility>

namespace dpl::cost {

/// Calls `see` with each span of consecutive layers of one type among layers first … first + count
/// − 1, in order.
template <class See>
void forEachSpan(const ir::Model& m, std::uint64_t first, std::uint64_t count, See see) {
  std::uint64_t begin = 0;
  LayerSpan span;
  for (const ir::LayerRun& run : m.runs) {
    if (begin >= first + count)
      break;
    const std::uint64_t from = std::max(begin, first),
                        to = std::min(begin + run.count, first + count);
    if (from < to && span.count > 0 && span.layerType != run.layerType)
      see(std::exchange(span, {}));
    if (from < to)
      span = {run.layerType, span.count + to - from};
    begin += run.count;
  }
  if (span.count > 0)
    see(span);
}

} // namespace dpl::cost
