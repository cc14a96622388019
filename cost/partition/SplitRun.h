#pragma once
//===- SplitRun.h - Executes the splits of a plan ---------------------------------------------===//
#include "cost/execution/StepSweep.h"
#include "cost/memory/RankMemory.h"
#include "cost/partition/LayerSplits.h"
#include "cost/partition/SplitSearch.h"
#include "cost/programs/ChunkPrograms.h"
#include "cost/programs/MergedActions.h"
#include <map>
#include <memory>

namespace dpl::cost {

/// Largest number of chunk actions per step for which splits are executed with all micro-batches if
/// their order depends on action times.
constexpr std::uint64_t mostActionsByTime = 1 << 16;

/// Number of micro-batches with which splits of a placed plan are executed. It is less than a full
/// step if the order depends on action times and the step has too many.
std::uint64_t splitMicroBatches(const ir::Plan& plan);

/// Step time and memory of splits of one plan, computed with the functions that the compiler passes
/// use. Each kind of chunk is lowered once.
class SplitRun {
public:
  /// Relies on: placed ranks and stages, and built groups. Keeps a copy of the plan.
  explicit SplitRun(const ir::Plan& plan);
  SplitRun(const SplitRun&) = delete;

  /// The costs of layers for a search; empty if times exceed the limits of a plan
  /// (passes/LowerCollectives) or the schedules do not complete.
  std::optional<StageCosts> costs();
  std::optional<SplitOutcome> execute(const LayerSplit& split);
  /// Number of splits worth executing for one choice: fewer for long schedules. 0 if the order
  /// depends on action times and even one split is too many.
  std::uint64_t most() const;
  static constexpr std::uint64_t least = 8; ///< smallest result of `most`, except 0
  /// Micro-batches per step that are executed. If these are not all, each of the others adds the
  /// time of a middle one, and memory is that of the shorter step.
  std::uint64_t microBatches() const { return shape.microBatches; }

private:
  /// The properties of a chunk except its position.
  struct ChunkKind {
    std::size_t ranks = 0; ///< index into Mesh::rankNodeTypes
    bool embedding = false, head = false;
    GatheredMessages gathered;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> layers; ///< layer type and count
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

  ir::Plan work;   ///< plan with one chunk of each kind found so far
  ir::Plan placed; ///< plan with the chunks of the current split
  PipelineShape shape;
  ChunkEstimate estimate;
  LayerLowering layers;
  ChunkLowering lowering;
  MemoryModel memory;
  std::map<ChunkKind, std::size_t> kinds; ///< index into the chunks of `work`
  std::vector<ChunkStep> steps;           ///< parallel to the chunks of `work`
  /// Times of merged pairs, by the chunks in `work` of the forward and of the backward pass, and by
  /// the costs of both micro-batches.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<ActionTime>> pairs;
  std::vector<ChunkTime> messages;                           ///< times of messages by stage replica
  std::vector<std::vector<ir::Device>> pacingDevicesOfRanks; ///< parallel to Mesh::rankNodeTypes
  std::unique_ptr<StoredOrder> stored;
  Executor executor;
  SteadyState steady;
  std::vector<LivePeaks> peaks; ///< peaks of each rank
  StepChunks stepChunks;
  std::vector<RankChunk> rankChunks; ///< all chunks with costs, by rank and chunk
  std::size_t actions = 0;
  double steadyTime = 0; ///< ps of a middle micro-batch if not all are executed
  bool broken = false;   ///< times exceed the limits of a plan
};

} // namespace dpl::cost
