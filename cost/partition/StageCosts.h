#pragma once
//===- StageCosts.h - What layers cost a stage that holds them --------------------------------===//
//
// Sums, so that any cut of the model is known at once: a layer takes what a chunk takes that has it
// alone. What depends on the neighbours of a layer inside its chunk is not in here; a split that
// matters is executed (SplitRun).
#include "ir/Placement.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// The last end from `from` to `to` up to which `holds` is true: of `from` it is not asked, and
/// behind an end of which it is false it is false.
template <class Holds>
std::uint64_t lastEnd(std::uint64_t from, std::uint64_t to, const Holds& holds) {
  while (from < to) {
    const std::uint64_t middle = to - (to - from) / 2;
    if (holds(middle))
      from = middle;
    else
      to = middle - 1;
  }
  return from;
}

/// Layers of each stage, in the order of the model.
using LayerSplit = std::vector<std::uint64_t>;

/// A stage on one of the ranks that hold it, with layers begin … end − 1.
struct StageReplicaCost {
  const std::uint64_t *times = nullptr, *states = nullptr, *saves = nullptr; ///< sums, as of Kind
  const std::uint64_t* restores = nullptr;
  std::uint64_t rank = 0;
  std::uint64_t endTime = 0, endState = 0, endSaved = 0, temporary = 0, live = 0, room = 0;
  std::uint64_t restored = 0; ///< micro-batches of which what was dropped is back

  std::uint64_t time(std::size_t begin, std::size_t end) const {
    return times[end] - times[begin] + endTime;
  }
  std::uint64_t bytes(std::size_t begin, std::size_t end) const {
    return states[end] - states[begin] + endState + (saves[end] - saves[begin] + endSaved) * live +
           (restores[end] - restores[begin]) * restored + temporary;
  }
};

/// A stage with layers begin … end − 1, on the worst of its ranks.
struct StageCost {
  llvm::SmallVector<StageReplicaCost, 2> replicas; ///< by direction

  std::uint64_t time(std::size_t begin, std::size_t end) const {
    std::uint64_t most = 0;
    for (const StageReplicaCost& replica : replicas)
      most = std::max(most, replica.time(begin, end));
    return most;
  }
  /// Bytes that the rank lacks were the stage alone there; 0 where it fits.
  std::uint64_t lacks(std::size_t begin, std::size_t end) const {
    std::uint64_t most = 0;
    for (const StageReplicaCost& replica : replicas)
      if (const std::uint64_t bytes = replica.bytes(begin, end); bytes > replica.room)
        most = std::max(most, bytes - replica.room);
    return most;
  }
};

/// Times are ps of one micro-batch, forward and backward; bytes are of one device.
struct StageCosts {
  /// What the first or the last stage has besides layers.
  struct EndCost {
    std::uint64_t time = 0;
    std::uint64_t state = 0, saved = 0; ///< bytes of state, and of each live micro-batch
    std::uint64_t temporary = 0;        ///< bytes more than layers need while it runs
    std::uint64_t restored = 0; ///< bytes that a recomputation brings back for longer than a pass
  };
  /// Ranks that the same classes of nodes hold. Sums over the first i layers.
  struct RankCostSums {
    std::vector<std::uint64_t> time, state, saved, restored;
    EndCost first, last;
  };

  ir::Placement placement;
  std::uint64_t microBatches = 1;
  std::vector<RankCostSums> rankCostSums;
  std::vector<std::size_t> rankCostSumsOf; ///< by rank
  std::vector<std::uint64_t> live;     ///< micro-batches that a copy holds, by Placement::indexOf
  std::vector<std::uint64_t> restored; ///< of which what was dropped is back, as `live`
  std::vector<std::uint64_t> room;     ///< bytes for state and micro-batches, by rank
  std::vector<std::uint64_t> message;  ///< by stage: ps to the next one and of the answer
  bool boundHolds = true; ///< a rank works for as long as its passes take one behind the other
  bool hasEnds = true;    ///< the ends of the model are work by themselves

  std::uint64_t layers() const { return rankCostSums.front().time.size() - 1; }
  std::uint64_t stages() const { return placement.stages(); }
  /// Only a stage with the embedding or the head may be without layers, where there are enough.
  std::uint64_t leastLayers(std::uint64_t stage) const;
  /// They point into this.
  StageCost stageCost(std::uint64_t stage) const;
  std::vector<StageCost> stageCosts() const; ///< by stage
};

/// What splits come to, rank by rank.
class RankCosts {
public:
  explicit RankCosts(const StageCosts& of) : costs(of), stages(of.stageCosts()) {}
  /// A micro-batch on each rank with all its chunks; of two directions each runs half of them.
  const std::vector<std::uint64_t>& times(llvm::ArrayRef<std::uint64_t> split);
  std::uint64_t slowest(llvm::ArrayRef<std::uint64_t> split);
  /// What no step falls below, if layers take what they take alone, but for what follows its last
  /// pass: the way of the first micro-batch to a rank and of the last gradient back, with the own
  /// work of the rank between them.
  std::uint64_t bound(llvm::ArrayRef<std::uint64_t> split);
  /// Bytes that the ranks lack together.
  std::uint64_t lacks(llvm::ArrayRef<std::uint64_t> split);

private:
  template <class Visit> void visit(llvm::ArrayRef<std::uint64_t> split, const Visit& see) const {
    for (std::size_t stage = 0, begin = 0; stage < stages.size(); begin += split[stage++])
      for (const StageReplicaCost& replica : stages[stage].replicas)
        see(stage, replica, begin, begin + split[stage]);
  }
  const StageCosts& costs;
  std::vector<StageCost> stages;
  std::vector<std::uint64_t> byRank;
  std::vector<bool> reached;
};

} // namespace dpl::cost
