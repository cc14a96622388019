#pragma once
//===- SplitRun.h - What the splits of a plan cost, executed ----------------------------------===//
#include "cost/execution/StepSweep.h"
#include "cost/memory/RankMemory.h"
#include "cost/partition/LayerSplits.h"
#include "cost/partition/SplitSearch.h"
#include "cost/programs/ChunkPrograms.h"
#include "cost/programs/MergedActions.h"
#include <map>
#include <memory>

namespace dpl::cost {

/// Passes of a chunk in a step, of which splits are executed whole where their order is found by
/// what passes take.
constexpr std::uint64_t mostActionsByTime = 1 << 16;

/// Of a plan that is placed, how many micro-batches of a step its splits are executed with: fewer
/// than all where the lists are found by what passes take and a step has too many of them.
std::uint64_t splitMicroBatches(const ir::Plan& plan);

/// Step and memory of splits of one plan, as the passes would write them: from the functions that
/// they call, each kind of chunk lowered once.
class SplitRun {
public:
  /// Of a plan whose ranks and stages are placed and whose groups are built; it keeps a copy.
  explicit SplitRun(const ir::Plan& plan);
  SplitRun(const SplitRun&) = delete;

  /// Empty where no bound on the times of a plan holds (passes/LowerCollectives) or the lists of
  /// its schedule do not come to their end.
  std::optional<StageCosts> costs();
  std::optional<SplitOutcome> execute(const LayerSplit& split);
  /// Splits worth executing for one choice: fewer where the lists are long; none where they are
  /// ordered by what passes take and one is as many as should be ordered for a choice.
  std::uint64_t most() const;
  static constexpr std::uint64_t least = 8; ///< what `most` is but then
  /// Micro-batches of a step that are executed. Where they are not all, a step has for each of the
  /// others what one takes in the middle, and memory is that of the shorter step.
  std::uint64_t microBatches() const { return shape.microBatches; }

private:
  /// A chunk but for where it lies.
  struct ChunkKind {
    std::size_t ranks = 0; ///< index into Mesh::rankNodeTypes
    bool embedding = false, head = false;
    GatheredMessages gathered;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> layers; ///< class and how many
    auto operator<=>(const ChunkKind&) const = default;
  };
  std::size_t lowered(const ir::Chunk& chunk);
  StageCosts::RankCostSums kindCosts(std::size_t ranks, std::uint64_t& beside);
  const std::vector<ActionTime>& pairOf(std::size_t forward, std::size_t backward);
  bool isByTime() const { return scheduleInfo(shape.kind).byTime; }
  bool executesAll() const { return shape.microBatches == placed.mesh.microBatches; }
  bool order();
  double steadyTimeOf(const ActionList& schedule) const;
  std::uint64_t afterExecuted();
  std::uint64_t lacking();

  ir::Plan work;   ///< whose chunks are the kinds of chunks so far
  ir::Plan placed; ///< whose chunks are those of the split at hand
  PipelineShape shape;
  ChunkEstimate estimate;
  LayerLowering layers;
  ChunkLowering lowering;
  MemoryModel memory;
  std::map<ChunkKind, std::size_t> kinds; ///< to the chunks of `work`
  std::vector<ChunkStep> steps;           ///< parallel to the chunks of `work`
  /// Of merged pairs, by the chunks of `work` whose forward and backward they are: times by the
  /// costs of the two micro-batches.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<ActionTime>> pairs;
  std::vector<ChunkTime> messages; ///< of each copy; what its passes take is 0
  std::vector<std::vector<ir::Device>> pacingDevicesOfRanks; ///< parallel to Mesh::rankNodeTypes
  std::unique_ptr<StoredOrder> stored;
  Executor executor;
  SteadyState steady;
  std::vector<LivePeaks> peaks; ///< by rank
  StepChunks stepChunks;
  std::vector<RankChunk> rankChunks; ///< by rank and chunk
  std::size_t actions = 0;
  double steadyTime = 0; ///< ps of a micro-batch in the middle of a step that is not all executed
  bool broken = false;   ///< times are beyond what a plan can have
};

} // namespace dpl::cost
