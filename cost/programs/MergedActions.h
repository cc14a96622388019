#pragma once
//===- MergedActions.h - A forward and a backward that take turns
//------------------------------===//
//
// As in DeepSeek's DualPipe (arXiv 2412.19437, section 3.2.1, figure 4): the experts of one pass
// are computed while tokens of the other are on their way, and so is attention. Each pass runs up
// to its next exchange of tokens, begins it, and lets the other run.
#include "cost/programs/ProgramTime.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace dpl::cost {

/// Whether pairs of the plan's schedule run merged: they have exchanges that may run beside them.
bool mergesPairs(const ir::Plan& plan);

/// Takes the segments of a pass; its blocks are kept from pass to pass, so that who writes many
/// allocates once.
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
  /// Its last block runs once.
  bool endsOnce() const { return used > 0 && all[used - 1].count == 1; }
  llvm::ArrayRef<ir::SegmentLoop> blocks() const { return {all.data(), used}; }

private:
  std::vector<ir::SegmentLoop> all;
  std::size_t used = 0;
};

/// Writes a forward and a backward as one body into `to`. Computation loses the share `contention`
/// of a call's time to a call beside it. Where taking turns would take longer, of micro-batches of
/// any of the `costs`, one pass stands behind the other: gathers of parameters may wait behind
/// reductions of the other pass.
void merge(llvm::ArrayRef<ir::SegmentLoop> forward, llvm::ArrayRef<ir::SegmentLoop> backward,
           double contention, const ir::MicroBatchCosts& costs, WrittenProgram& to);

/// Appends what a merged body takes, by the costs of the forward's micro-batch and of the
/// backward's.
void timesOfPair(llvm::ArrayRef<ir::SegmentLoop> merged, IncludesSegment includes,
                 const ir::MicroBatchCosts& costs, std::vector<ActionTime>& out);

} // namespace dpl::cost
