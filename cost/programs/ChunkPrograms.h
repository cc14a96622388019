#pragma once
//===- ChunkPrograms.h - The collectives and bodies of a chunk
//---------------------------------===//
#include "cost/programs/LayerSegments.h"
#include "cost/programs/StageProgramWriter.h"
#include <unordered_map>

namespace dpl::cost {

/// What the passes of a chunk run, without the calls of its state. `segmentsOf` gives those of a
/// part, from `layers` or from what is known of them.
ChunkSegments chunkSegmentsOf(const ir::Plan& plan, llvm::ArrayRef<ChunkModule> modules,
                              const LayerLowering& layers, const ir::Chunk& chunk,
                              ChunkCollectives& collectives,
                              llvm::function_ref<ActionSegments(const ChunkModule&)> segmentsOf);

/// Lowers the chunks of a plan, one after the other, into its collectives, bodies and programs.
/// Relies on: groups (build-groups) and one cost a chunk (estimate-compute).
class ChunkLowering {
public:
  ChunkLowering(ir::Plan& plan, const ChunkEstimate& estimate, const LayerLowering& layers)
      : plan(plan), estimate(estimate), layers(layers), groups(stateGroups(plan)),
        pipeline(groupWith(plan, {ir::Axis::Pipeline})),
        boundary(boundaryBytes(plan, divisionOf(plan))) {}
  void lower(std::size_t chunk);
  /// The same where an earlier chunk is equal to it.
  void repeat(std::size_t chunk, std::size_t earlier);
  /// The passes of pairs, where they run merged; when all chunks are lowered.
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
  /// The plan's bodies by what they run, so that thousands are not compared with each other.
  std::unordered_multimap<std::size_t, ir::StageProgramId> known;
  std::vector<std::pair<MessageKind, CollectiveCost>> messages; ///< each kind once
};

/// Chunks that hold the same on the same kind of nodes.
class EqualChunks {
public:
  /// Borrows the plan.
  explicit EqualChunks(const ir::Plan& plan);
  /// The first chunk that is equal to this one, or its own index. Chunks are asked for in order,
  /// each once.
  std::size_t firstOf(std::size_t chunk);

private:
  std::uint64_t layerTypeOf(std::uint64_t layer) const;
  bool equal(const ir::Chunk& a, const ir::Chunk& b) const;

  const ir::Plan& plan;
  const bool replicated;                    ///< which the opposite rank holds
  const bool mixed;                         ///< ranks are held by nodes of several kinds
  const bool gathers;                       ///< what ranks receive in parts
  llvm::SmallVector<std::uint64_t, 8> ends; ///< of the runs of layers, where there are several
  llvm::SmallVector<std::size_t, 8> firsts; ///< each kind once
};

/// All of them. Relies on: the estimate is of the plan.
void lowerChunks(ir::Plan& plan, const ChunkEstimate& estimate);

/// Fills in what the passes of each chunk take by themselves.
void timeActions(ir::Plan& plan);

} // namespace dpl::cost
