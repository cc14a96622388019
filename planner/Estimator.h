#pragma once
//===- Estimator.h - Step and memory of many layouts of one plan ------------------------------===//
//
// The numbers that the passes would write for a point, from the functions that they call, without a
// plan. A property test holds both to each other, to the picosecond and byte.
#include "cost/programs/MergedActions.h"
#include "planner/EstimateTables.h"
#include "planner/PipelineShapes.h"

namespace dpl::planner {

struct Estimate {
  bool runs = false;        ///< legal, and its schedule comes to its end
  std::uint64_t step = 0;   ///< ps to the end of the last operation, without jitter
  std::uint64_t peak = 0;   ///< bytes of the rank that has the least left
  std::uint64_t usable = 0; ///< bytes of that rank's device
  double share = 0;         ///< largest share that a rank takes of what its device has
  double mostInFlight = 0;  ///< micro-batches that a rank holds at most; of an exact one
  bool executed = false;    ///< exact
};

/// It keeps a copy of the plan, which takes point after point, and shares the shapes of pipelines
/// with other estimators if they are given.
class Estimator {
public:
  explicit Estimator(const ir::Plan& plan, MeshOf mesh = MeshOf::Candidate,
                     std::shared_ptr<PipelineShapes> shared = std::make_shared<PipelineShapes>())
      : tables(plan, mesh), shapes(std::move(shared)) {}

  /// Executes the schedule. Of a point that is not legal `runs` is false.
  Estimate exact(const cost::LayoutCandidate& candidate);
  /// From closed forms, of a legal point (meshSpace). docs/internals/auto-mesh.md says how far off
  /// it is.
  Estimate quick(const cost::LayoutCandidate& candidate);
  /// Which layers each chunk of the point holds; none where it is not legal.
  llvm::ArrayRef<ir::Chunk> split(const cost::LayoutCandidate& candidate);
  /// Passes of a chunk in all steps that were executed so far, as countedActions counts them.
  std::uint64_t executed() const { return tables.executed; }

private:
  cost::ChunkStep stepOf(const StateTimes& state, const ChunkActionTimes& of);
  void addChunks(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
                 DivisionEstimate& divided);
  void addPairs(PlacedMesh& placed);
  void addQuickMemory(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
                      const DivisionEstimate& divided, const cost::PipelineShape& shape,
                      Estimate& out);
  void findIdle(PlacedMesh& placed, const cost::LayoutCandidate& candidate);
  void addMemory(const DivisionEstimate& divided, const ExecutedShape& shape, Estimate& out);

  EstimateTables tables;
  std::shared_ptr<PipelineShapes> shapes;
  cost::SteadyState steady;
  cost::StepChunks stepChunks;                                    ///< of the point at hand
  llvm::SmallVector<const ChunkActionTimes*, 4> chunkActionTimes; ///< of its distinct chunks
  llvm::SmallVector<const StateTimes*, 4> states;                 ///< parallel to them
  std::vector<cost::ChunkStep> steps;
  cost::WrittenProgram forward, backward, merged;
  std::vector<std::pair<std::size_t, std::size_t>> pairs; ///< distinct chunks whose passes merge
  std::vector<cost::ActionTime> pairTimes; ///< parallel to them, by kinds of micro-batches
  std::vector<cost::RankChunk> rankChunks; ///< by rank and chunk
};

} // namespace dpl::planner
