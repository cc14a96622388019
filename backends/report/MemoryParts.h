#pragma once
//===- MemoryParts.h - What a rank holds at a time, part by part ------------------------------===//
#include "figures/Timeline.h"
#include <vector>

namespace dpl::report {

/// What all pictures of memory call a part: a letter where characters are drawn, a colour
/// elsewhere.
struct MemoryPart {
  const char* name = "";
  char letter = ' ';
  const char* colour = "";
  std::uint64_t bytes = 0;
};

/// What a rank holds over the step, and the fullest time.
struct HeldParts {
  explicit HeldParts(const ir::Plan& plan, std::uint64_t rank);
  /// All parts at a time of the curve, from those that are there for good to those that come and
  /// go; together its bytes.
  std::vector<MemoryPart> at(std::size_t index) const;
  const ir::RankMemory& memory;
  std::vector<figures::HeldFrom> curve;
  std::size_t peak = 0;     ///< index of the first of the largest
  std::uint64_t peakTime;   ///< ps; when the pass that needs it begins
  std::uint64_t freeBlocks; ///< of an allocator, of what the rank's memory calls reserved
};

} // namespace dpl::report
