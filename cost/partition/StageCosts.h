#pragma once
//===- StageCosts.h - Costs of layers by stage ------------------------------------------------===//
//
// StageCosts has prefix sums over layers, which give the cost of any range of layers. Each layer
// has the cost of a chunk with this layer alone. Interactions between the layers of a chunk are not
// included; promising splits are executed (SplitRun).
#include "ir/Placement.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// The last end in [from, to] for which `holds` is true. `holds` must be monotonic and is not
/// evaluated for `from`.
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

/// Layers per stage, in model order.
using LayerSplit = std::vector<std::uint64_t>;

/// A stage on one of its ranks, with layers begin … end − 1.
struct StageReplicaCost {
  /// Prefix sums, as in RankCostSums.
  const std::uint64_t *times = nullptr, *states = nullptr, *saves = nullptr;
  const std::uint64_t* restores = nullptr;
  std::uint64_t rank = 0;
  std::uint64_t endTime = 0, endState = 0, endSaved = 0, temporary = 0, live = 0, room = 0;
  std::uint64_t restored = 0; ///< micro-batches whose recomputed tensors exist

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
  llvm::SmallVector<StageReplicaCost, 2> replicas; ///< one entry per direction

  std::uint64_t time(std::size_t begin, std::size_t end) const {
    std::uint64_t most = 0;
    for (const StageReplicaCost& replica : replicas)
      most = std::max(most, replica.time(begin, end));
    return most;
  }
  /// Bytes that the rank lacks if it has only this stage; 0 if it fits.
  std::uint64_t lacks(std::size_t begin, std::size_t end) const {
    std::uint64_t most = 0;
    for (const StageReplicaCost& replica : replicas)
      if (const std::uint64_t bytes = replica.bytes(begin, end); bytes > replica.room)
        most = std::max(most, bytes - replica.room);
    return most;
  }
};

/// Times are ps of one micro-batch, forward and backward; bytes are per device.
struct StageCosts {
  /// Costs of the first or last stage in addition to layers.
  struct EndCost {
    std::uint64_t time = 0;
    std::uint64_t state = 0, saved = 0; ///< bytes of state, and bytes per in-flight micro-batch
    std::uint64_t temporary = 0;        ///< temporary bytes beyond those of layers
    std::uint64_t restored = 0;         ///< recomputed bytes that outlive their action
  };
  /// Costs on ranks with the same node types, as sums over the first i layers.
  struct RankCostSums {
    std::vector<std::uint64_t> time, state, saved, restored;
    EndCost first, last;
  };

  ir::Placement placement;
  std::uint64_t microBatches = 1;
  std::vector<RankCostSums> rankCostSums;
  std::vector<std::size_t> rankCostSumsOf; ///< index into `rankCostSums`, by rank
  /// In-flight micro-batches of a stage replica, by Placement::indexOf.
  std::vector<std::uint64_t> live;
  std::vector<std::uint64_t> restored; ///< in-flight micro-batches with recomputed tensors
  std::vector<std::uint64_t> room;     ///< bytes for state and micro-batches, by rank
  std::vector<std::uint64_t> message;  ///< ps of messages to the next stage and back
  bool boundHolds = true; ///< a rank's work is the sum of its actions, as RankCosts::bound assumes
  bool hasEnds = true;    ///< embedding and head exist and have their own costs

  std::uint64_t layers() const { return rankCostSums.front().time.size() - 1; }
  std::uint64_t stages() const { return placement.stages(); }
  /// Fewest layers of a stage. Only the first and the last stage may be without layers: if they
  /// have the embedding or the head, or if there are fewer layers than stages.
  std::uint64_t leastLayers(std::uint64_t stage) const;
  /// The results point into this object.
  StageCost stageCost(std::uint64_t stage) const;
  std::vector<StageCost> stageCosts() const; ///< costs of all stages
};

/// The costs of splits by rank.
class RankCosts {
public:
  explicit RankCosts(const StageCosts& of) : costs(of), stages(of.stageCosts()) {}
  /// Time of a micro-batch on each rank with all its chunks; with two directions a rank runs half
  /// of the micro-batches in each.
  const std::vector<std::uint64_t>& times(llvm::ArrayRef<std::uint64_t> split);
  std::uint64_t slowest(llvm::ArrayRef<std::uint64_t> split);
  /// A lower bound of the step without its end, if layers take the times that they take alone: the
  /// path of the first micro-batch to a rank, the rank's own work, and the path of the last
  /// gradient back.
  std::uint64_t bound(llvm::ArrayRef<std::uint64_t> split);
  /// Missing bytes of all ranks together.
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
