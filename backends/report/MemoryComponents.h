#pragma once
//===- MemoryComponents.h - Memory components of a rank at each time of the step --------------===//
#include "cost/step/Timeline.h"
#include <vector>

namespace dpl::report {

/// A memory component, with its letter in text and its colour in pictures.
struct MemoryComponent {
  const char* name = "";
  char letter = ' ';
  const char* colour = "";
  std::uint64_t bytes = 0;
};

/// The memory of a rank over the step, and its peak.
struct MemoryBreakdown {
  explicit MemoryBreakdown(const ir::Plan& plan, std::uint64_t rank);
  /// All components at one point of the curve. Their sum is the total of the point. Permanent
  /// components come first, temporary ones last.
  std::vector<MemoryComponent> at(std::size_t index) const;
  /// Free blocks of PyTorch's allocator on a rank, in bytes.
  static std::uint64_t freeBlocksOf(const ir::Plan& plan, std::uint64_t rank);
  const ir::RankMemory& memory;
  std::vector<cost::MemorySample> curve;
  std::size_t peak = 0;    ///< index of the first point with the largest total
  cost::PeakMoment moment; ///< time of the peak, and the action that runs then
  std::uint64_t freeBlocks;
};

/// The peak in words: "at 12ms, while micro-batch 3 runs backward, in `head` at the loss".
std::string peakWords(const ir::Plan& plan, const MemoryBreakdown& breakdown);

} // namespace dpl::report
