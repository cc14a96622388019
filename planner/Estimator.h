#pragma once
//===- Estimator.h - Step and memory of many layouts of one plan ------------------------------===//
//
// The numbers that the passes would write for a point, from the functions that they call, without a
// plan: chunks that hold the same are worked out once, and the lists, the proof and the order of a
// pipeline once for its shape. A property test holds both to each other, to the picosecond and
// byte.
#include "cost/Point.h"
#include "cost/bodies/ChunkBodies.h"
#include "cost/memory/RankMemory.h"
#include "cost/schedules/StepSweep.h"
#include "planner/Bound.h"
#include <map>
#include <memory>
#include <unordered_map>

namespace dpl::planner {

struct Estimate {
  bool runs = false;        ///< legal, and its schedule comes to its end
  std::uint64_t step = 0;   ///< ps to the end of the last operation, without jitter
  std::uint64_t peak = 0;   ///< bytes of the rank that has the least left
  std::uint64_t usable = 0; ///< bytes of that rank's device
  double share = 0;         ///< largest share that a rank takes of what its device has
};

/// Borrows nothing: it keeps a copy of the plan, which takes point after point.
class Estimator {
public:
  explicit Estimator(const ir::Plan& plan);

  /// Executes the schedule. Of a point that is not legal `runs` is false.
  Estimate exact(const cost::Point& point);
  /// Which layers each chunk of the point holds.
  llvm::ArrayRef<ir::Chunk> split(const cost::Point& point);

private:
  /// The lists of a pipeline, proved and put in order once.
  struct Shape {
    std::vector<cost::OperationList> lists;
    bool runs = false;
    std::unique_ptr<cost::StoredOrder> order;
  };
  /// What the layers of a division cost and call; it refers to `plan`.
  struct Divided {
    explicit Divided(const ir::Plan& plan) : estimate(plan), layers(plan) {}
    cost::ChunkEstimate estimate;
    cost::LayerLowering layers;
  };
  using ShapeKey = std::tuple<ir::ScheduleKind, std::uint64_t, std::uint64_t, std::uint64_t>;

  bool place(const cost::Point& point);
  const Shape& shapeOf(const cost::PipelineShape& shape);
  const Divided& dividedAs(const cost::Point& point);
  void workOut(const Divided& divided);
  void addMemory(const Shape& shape, Estimate& out) const;

  ir::Plan plan;
  bool experts;
  std::map<ShapeKey, Shape> shapes;
  std::unordered_map<cost::Point, Divided, PointHash> divisions;
  cost::StepPieces pieces; ///< of the point at hand
};

} // namespace dpl::planner
