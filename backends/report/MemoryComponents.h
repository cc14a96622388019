#pragma once
//===- MemoryComponents.h - What a rank holds at a time, part by part
//--------------------------===//
#include "cost/step/Timeline.h"
#include <vector>

namespace dpl::report {

/// What all pictures of memory call a part: a letter where characters are drawn, a colour
/// elsewhere.
struct MemoryComponent {
  const char* name = "";
  char letter = ' ';
  const char* colour = "";
  std::uint64_t bytes = 0;
};

/// What a rank holds over the step, and the fullest time.
struct MemoryBreakdown {
  explicit MemoryBreakdown(const ir::Plan& plan, std::uint64_t rank);
  /// All parts at a time of the curve, from those that are there for good to those that come and
  /// go; together its bytes.
  std::vector<MemoryComponent> at(std::size_t index) const;
  /// Of an allocator, of what the rank's memory calls reserved; bytes.
  static std::uint64_t freeBlocksOf(const ir::Plan& plan, std::uint64_t rank);
  const ir::RankMemory& memory;
  std::vector<cost::MemorySample> curve;
  std::size_t peak = 0;    ///< index of the first of the largest
  cost::PeakMoment moment; ///< what runs then, from its begin on
  std::uint64_t freeBlocks;
};

/// "at 12ms, while micro-batch 3 runs backward, in `head` at the loss".
std::string peakWords(const ir::Plan& plan, const MemoryBreakdown& breakdown);

} // namespace dpl::report
