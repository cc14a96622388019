#pragma once
//===- MergedActions.h - A forward and a backward pass that overlap ---------------------------===//
//
// This follows DeepSeek's DualPipe (arXiv 2412.19437, section 3.2.1, figure 4). The experts and
// attention of one pass run while the other one exchanges tokens. Each pass runs up to its next
// token exchange, launches it, and lets the other pass run.
#include "cost/programs/ProgramTime.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace dpl::cost {

/// Whether the schedule has pairs of actions that run merged, and expert exchanges that can be
/// overlapped.
bool mergesPairs(const ir::Plan& plan);

/// Stores the segments of a stage program. After `clear` it reuses the memory of its loops.
class WrittenProgram {
public:
  void clear() { used = 0; }
  void open(std::uint64_t count) {
    if (used == all.size())
      all.emplace_back();
    all[used].count = count, all[used].segments.clear();
    ++used;
  }
  void segment(const ir::Segment& s) { all[used - 1].segments.push_back(s); }
  void close() {}
  /// Whether the last loop runs once.
  bool endsOnce() const { return used > 0 && all[used - 1].count == 1; }
  llvm::ArrayRef<ir::SegmentLoop> blocks() const { return {all.data(), used}; }

private:
  std::vector<ir::SegmentLoop> all;
  std::size_t used = 0;
};

/// Writes a forward and a backward pass as one stage program into `to`. Computation loses the share
/// `contention` of the time of overlapped collectives. If alternating is slower for micro-batches
/// of any of the `costs`, the backward pass follows the forward pass instead: parameter gathers may
/// have to wait for reductions of the other pass.
void merge(llvm::ArrayRef<ir::SegmentLoop> forward, llvm::ArrayRef<ir::SegmentLoop> backward,
           double contention, const ir::MicroBatchCosts& costs, WrittenProgram& to);

/// Appends the times of a merged program for each cost of the forward and of the backward
/// micro-batch.
void timesOfPair(llvm::ArrayRef<ir::SegmentLoop> merged, IncludesSegment includes,
                 const ir::MicroBatchCosts& costs, std::vector<ActionTime>& out);

} // namespace dpl::cost
