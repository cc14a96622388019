#pragma once
//===- Estimator.h - Step time and memory of many layouts of one plan -------------------------===//
//
// Computes the results that the passes have for a candidate, by the same functions but without a
// plan. A property test compares both, to the picosecond and byte.
#include "cost/programs/MergedActions.h"
#include "planner/EstimateTables.h"
#include "planner/PipelineShapes.h"

namespace dpl::planner {

struct Estimate {
  bool runs = false;        ///< whether the candidate is legal and its schedule has no deadlock
  std::uint64_t step = 0;   ///< ps to the end of the last action, without jitter
  std::uint64_t peak = 0;   ///< bytes of the rank with the least headroom
  std::uint64_t usable = 0; ///< bytes of that rank's device
  double share = 0;         ///< largest share of the memory of its device that a rank needs
  double mostInFlight = 0;  ///< largest number of in-flight micro-batches of a rank; only if exact
  bool executed = false;    ///< whether the schedule was executed, so that the estimate is exact
};

/// Estimates many candidates on its copy of the plan. Estimators may share pipeline shapes.
class Estimator {
public:
  explicit Estimator(const ir::Plan& plan, MeshOf mesh = MeshOf::Candidate,
                     std::shared_ptr<PipelineShapes> shared = std::make_shared<PipelineShapes>())
      : tables(plan, mesh), shapes(std::move(shared)) {}

  /// Executes the schedule. `runs` is false for a candidate that is not legal.
  Estimate exact(const cost::LayoutCandidate& candidate) { return run(candidate, false); }
  /// The same, but the step of a candidate that does not fit may be 0, because memory is cheaper.
  /// `split` is the result of partition-layers.
  Estimate exactIfFits(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split) {
    return run(candidate, true, split);
  }
  /// Uses closed forms, for a legal candidate (meshSpace). docs/internals/auto-mesh.md describes
  /// the error.
  Estimate quick(const cost::LayoutCandidate& candidate);
  /// The layers of each chunk of the candidate; none if it is not legal.
  llvm::ArrayRef<ir::Chunk> split(const cost::LayoutCandidate& candidate);
  /// Frees the tables to make room for estimates of other candidates.
  void forget() { tables.forget(); }
  /// The actions of all steps executed so far, as countedActions counts them.
  std::uint64_t executed() const { return tables.executed; }

private:
  Estimate run(const cost::LayoutCandidate& candidate, bool memoryFirst,
               llvm::ArrayRef<ir::Chunk> split = {});
  cost::ChunkStep stepOf(const StateTimes& state, const ChunkActionTimes& of);
  void addChunks(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
                 DivisionEstimate& divided);
  /// Sets `rankChunks`.
  void addRanks(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
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
  cost::StepChunks stepChunks; ///< chunks of the current candidate
  llvm::SmallVector<const ChunkActionTimes*, 4> chunkActionTimes; ///< times of its distinct chunks,
                                                                  ///< by distinct chunk
  llvm::SmallVector<const StateTimes*, 4> states;                 ///< state collectives, parallel
                                                                  ///< to `chunkActionTimes`
  std::vector<cost::ChunkStep> steps;
  cost::WrittenProgram forward, backward, merged;
  std::vector<std::pair<std::size_t, std::size_t>> pairs; ///< distinct chunks with merged actions
  std::vector<cost::ActionTime> pairTimes; ///< parallel to `pairs`, by kinds of micro-batches
  std::vector<cost::RankChunk> rankChunks; ///< by rank and chunk
};

} // namespace dpl::planner
