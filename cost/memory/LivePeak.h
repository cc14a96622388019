#pragma once
//===- LivePeak.h - What live micro-batches hold at most --------------------------------------===//
#include "cost/schedules/Schedule.h"
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// The largest sum over a rank's list of what its live chunks hold: a chunk's bytes count from its
/// forward to its last backward, the weight gradient's where the two are apart.
struct LivePeak {
  std::uint64_t bytes = 0;
  llvm::SmallVector<std::uint64_t, 8> live; ///< micro-batches of each chunk at the peak
};

/// The states of a rank's list that can be its peak, whatever its chunks hold: those that no other
/// has as much of everything as.
class LivePeaks {
public:
  LivePeaks(llvm::ArrayRef<ir::ScheduledOperation> operations, std::uint64_t chunks);
  /// `chunkBytes[c]` is of one micro-batch; `working[c]` is added while a pass of chunk c runs.
  LivePeak of(llvm::ArrayRef<std::uint64_t> chunkBytes,
              llvm::ArrayRef<std::uint64_t> working) const;

private:
  /// Adds a state with a pass of `running` unless one of those covers it, and drops those that it
  /// covers: has as much of every chunk as. Gives the state that stays.
  std::size_t add(std::uint32_t running, llvm::ArrayRef<std::uint32_t> now);
  llvm::ArrayRef<std::uint32_t> heldIn(std::size_t state) const {
    return llvm::makeArrayRef(live).slice(state * chunks, chunks);
  }

  std::uint64_t chunks;
  std::vector<std::uint32_t> runs; ///< by state: the chunk whose pass runs
  std::vector<std::uint32_t> live; ///< by state and chunk
};

/// Of the ranks of a shape with these lists.
std::vector<LivePeaks> peaksOf(const PipelineShape& shape, const OperationLists& lists);

/// What the live chunks of a rank hold while a pass runs, and when it has ended.
struct LiveBytes {
  std::size_t pass = 0; ///< index into the rank's list
  std::uint64_t during = 0, after = 0;
  llvm::ArrayRef<std::uint64_t> live; ///< micro-batches of each chunk while it runs
};
/// Visits the passes of a list in its order.
void visitLive(llvm::ArrayRef<ir::ScheduledOperation> operations,
               llvm::ArrayRef<std::uint64_t> chunkBytes, llvm::ArrayRef<std::uint64_t> working,
               llvm::function_ref<void(const LiveBytes&)> visit);
LivePeak livePeak(llvm::ArrayRef<ir::ScheduledOperation> operations,
                  llvm::ArrayRef<std::uint64_t> chunkBytes, llvm::ArrayRef<std::uint64_t> working);

} // namespace dpl::cost
