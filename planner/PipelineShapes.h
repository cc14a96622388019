#pragma once
//===- PipelineShapes.h - Per-rank schedules of pipelines, each executed once -----------------===//
#include "cost/execution/Proof.h"
#include "cost/execution/StepSweep.h"
#include "cost/memory/LivePeak.h"
#include <map>
#include <memory>
#include <tuple>

namespace dpl::planner {

/// The per-rank schedules of a pipeline, proved and executed once, and the most micro-batches that
/// each rank holds.
struct ExecutedShape {
  bool runs = false; ///< the schedule comes to its end
  std::unique_ptr<cost::StoredOrder> order;
  std::vector<cost::LivePeaks> peaks; ///< by rank
};

/// The shapes of many layouts. Estimates of plans may share them if the plans differ only in mesh,
/// recomputation, ZeRO stage, split and schedule.
class PipelineShapes {
public:
  struct FoundShape {
    const ExecutedShape& shape;
    bool ran; ///< its order has the results of these pieces
  };
  /// The shape of the plan's pipeline. Executes the pieces if the shape is new, or if the order of
  /// its schedule depends on the times of the pieces.
  FoundShape find(const ir::Plan& plan, const cost::StepChunks& chunks);

private:
  ExecutedShape make(const ir::Plan& plan, const cost::PipelineShape& shape,
                     const cost::StepChunks& chunks);

  /// A pipeline, and what the peaks of its ranks depend on: whole gradients, restored activations,
  /// and whether a schedule restores them both ways.
  using ShapeKey = std::tuple<cost::PipelineShape, bool, bool, bool>;
  std::map<ShapeKey, ExecutedShape> shapes;
  ExecutedShape timed; ///< the last one of a schedule that is ordered by times
  cost::Proof proof;
  cost::Executor executor;
};

} // namespace dpl::planner
