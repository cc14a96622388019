#pragma once
//===- ChunkPrograms.h - The collectives and stage programs of a chunk ------------------------===//
#include "cost/programs/LayerSegments.h"
#include "cost/programs/StageProgramWriter.h"
#include <unordered_map>

namespace dpl::cost {

/// The segments of the actions of a chunk, without the collectives of its parameters and gradients.
/// `segmentsOf` returns the segments of a module, either from `layers` or from a cache.
ChunkSegments chunkSegmentsOf(const ir::Plan& plan, llvm::ArrayRef<ChunkModule> modules,
                              const LayerLowering& layers, const ir::Chunk& chunk,
                              ChunkCollectives& collectives,
                              llvm::function_ref<ActionSegments(const ChunkModule&)> segmentsOf);

/// Lowers the chunks of a plan one after the other into collectives and stage programs. Relies on:
/// groups (build-groups) and one cost per chunk (estimate-compute).
class ChunkLowering {
public:
  ChunkLowering(ir::Plan& plan, const ChunkEstimate& estimate, const LayerLowering& layers)
      : plan(plan), estimate(estimate), layers(layers), groups(stateGroups(plan)),
        pipeline(groupWith(plan, {ir::Axis::Pipeline})),
        boundary(boundaryBytes(plan, divisionOf(plan))) {}
  void lower(std::size_t chunk);
  /// Lowers a chunk that equals an earlier one.
  void repeat(std::size_t chunk, std::size_t earlier);
  /// Adds the stage programs of merged pairs. Called after all chunks are lowered.
  void mergePairs();

private:
  ir::StageProgramId idOf(ir::StageProgram program);
  void lowerMessages(const ir::Chunk& chunk, ChunkCollectives& collectives);
  const CollectiveCost& messageBetween(std::uint64_t from, std::uint64_t to);

  ir::Plan& plan;
  const ChunkEstimate& estimate;
  const LayerLowering& layers;
  const StateGroups groups;
  const std::optional<ir::GroupId> pipeline;
  const double boundary; ///< bytes of a message
  /// The plan's stage programs by hash, so that equal ones are found quickly.
  std::unordered_multimap<std::size_t, ir::StageProgramId> known;
  std::vector<std::pair<MessageKind, CollectiveCost>> messages; ///< cost of each kind
};

/// Finds chunks with equal modules on equal node types.
class EqualChunks {
public:
  /// Keeps a reference to the plan.
  explicit EqualChunks(const ir::Plan& plan);
  /// Returns the first chunk that equals this one, or its own index. Call it in order, once per
  /// chunk.
  std::size_t firstOf(std::size_t chunk);

private:
  std::uint64_t layerTypeOf(std::uint64_t layer) const;
  bool equal(const ir::Chunk& a, const ir::Chunk& b) const;

  const ir::Plan& plan;
  const bool replicated; ///< the opposite rank has a replica of each stage
  const bool mixed;      ///< ranks are on several node types
  const bool gathers;    ///< ranks all-gather messages that they receive scattered
  /// For each run of equal layers, the index after its last layer; used if there are several runs.
  llvm::SmallVector<std::uint64_t, 8> ends;
  llvm::SmallVector<std::size_t, 8> firsts; ///< first chunk of each set of equal chunks
};

/// Lowers all chunks. Relies on: an estimate of this plan.
void lowerChunks(ir::Plan& plan, const ChunkEstimate& estimate);

/// Fills in the time of the actions of each chunk, as if the data stream were idle.
void timeActions(ir::Plan& plan);

} // namespace dpl::cost
