#pragma once
//===- LivePeak.h - What live micro-batches hold at most --------------------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::cost {

/// The largest sum over a rank's list of what its live chunks hold: a chunk's bytes count from its
/// forward to its last backward, the weight gradient's where the two are apart. `chunkBytes[c]` is
/// of one micro-batch; `working[c]` is added while a pass of chunk c runs.
struct LivePeak {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> live; ///< micro-batches of each chunk at the peak
  std::uint64_t operation = 0;     ///< index of the operation that reaches it
};
LivePeak livePeak(llvm::ArrayRef<ir::ScheduledOperation> operations,
                  llvm::ArrayRef<std::uint64_t> chunkBytes, llvm::ArrayRef<std::uint64_t> working);

} // namespace dpl::cost
