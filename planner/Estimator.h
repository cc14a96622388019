#pragma once
//===- Estimator.h - Step and memory of many layouts of one plan ------------------------------===//
//
// The numbers that the passes would write for a point, from the functions that they call, without a
// plan. A property test holds both to each other, to the picosecond and byte.
#include "cost/programs/MergedPass.h"
#include "planner/EstimateTables.h"
#include "planner/PipelineShapes.h"

namespace dpl::planner {

struct Estimate {
  bool runs = false;        ///< legal, and its schedule comes to its end
  std::uint64_t step = 0;   ///< ps to the end of the last operation, without jitter
  std::uint64_t peak = 0;   ///< bytes of the rank that has the least left
  std::uint64_t usable = 0; ///< bytes of that rank's device
  double share = 0;         ///< largest share that a rank takes of what its device has
  double held = 0;          ///< micro-batches that a rank holds at most; of an exact one
  bool executed = false;    ///< exact
};

/// It keeps a copy of the plan, which takes point after point, and shares the shapes of pipelines
/// with other estimators if they are given.
class Estimator {
public:
  explicit Estimator(const ir::Plan& plan, MeshOf mesh = MeshOf::Point,
                     std::shared_ptr<PipelineShapes> shared = std::make_shared<PipelineShapes>())
      : tables(plan, mesh), shapes(std::move(shared)) {}

  /// Executes the schedule. Of a point that is not legal `runs` is false.
  Estimate exact(const cost::Point& point);
  /// From closed forms, of a legal point (meshSpace). docs/auto-mesh.md says how far off it is.
  Estimate quick(const cost::Point& point);
  /// Which layers each chunk of the point holds; none where it is not legal.
  llvm::ArrayRef<ir::Chunk> split(const cost::Point& point);
  /// Passes of a chunk in all steps that were executed so far, as countedPasses counts them.
  std::uint64_t executed() const { return tables.executed; }

private:
  cost::ChunkStep stepOf(const StateTimes& state, const ChunkUnits& of);
  void addChunks(Placed& placed, const cost::Point& point, Divided& divided);
  void addPairs(Placed& placed);
  void addQuickMemory(Placed& placed, const cost::Point& point, const Divided& divided,
                      const cost::PipelineShape& shape, Estimate& out);
  void findIdle(Placed& placed, const cost::Point& point);
  void addMemory(const Divided& divided, const Shape& shape, Estimate& out);

  EstimateTables tables;
  std::shared_ptr<PipelineShapes> shapes;
  cost::SteadyState steady;
  cost::StepPieces pieces;                        ///< of the point at hand
  llvm::SmallVector<const ChunkUnits*, 4> units;  ///< of its distinct chunks
  llvm::SmallVector<const StateTimes*, 4> states; ///< parallel to them
  std::vector<cost::ChunkStep> steps;
  cost::WrittenPass forward, backward, merged;
  std::vector<std::pair<std::size_t, std::size_t>> pairs; ///< distinct chunks whose passes merge
  std::vector<cost::PassTime> pairTimes; ///< parallel to them, by kinds of micro-batches
  std::vector<cost::HeldChunk> held;     ///< by rank and chunk
};

} // namespace dpl::planner
