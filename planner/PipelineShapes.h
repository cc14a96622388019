#pragma once
//===- PipelineShapes.h - Per-rank schedules of pipelines, each executed once -----------------===//
#include "cost/execution/Proof.h"
#include "cost/execution/StepSweep.h"
#include "cost/memory/LivePeak.h"
#include <map>
#include <memory>
#include <tuple>

namespace dpl::planner {

/// The per-rank schedules of a pipeline, which are checked for deadlocks and executed once, and the
/// most in-flight micro-batches of each rank.
struct ExecutedShape {
  bool runs = false; ///< whether the schedule has no deadlock
  std::unique_ptr<cost::StoredOrder> order;
  std::vector<cost::LivePeaks> peaks; ///< by rank
};

/// The shapes of many layouts. Estimates of plans may share them if the plans differ only in mesh,
/// recomputation, ZeRO stage, split and schedule.
class PipelineShapes {
public:
  struct FoundShape {
    const ExecutedShape& shape;
    bool ran; ///< whether the schedule was executed with the action times of these chunks
  };
  /// The shape of the plan's pipeline. Executes the schedule if the shape is new, or if its order
  /// depends on the times of actions.
  FoundShape find(const ir::Plan& plan, const cost::StepChunks& chunks);
  /// The shape if it was executed before and does not depend on times; otherwise null.
  const ExecutedShape* known(const ir::Plan& plan) const;

  /// The number of actions of all stored shapes, which take most of the memory.
  std::uint64_t actions() const { return storedActions; }
  /// Frees all shapes.
  void forget() { shapes.clear(), storedActions = 0; }

private:
  ExecutedShape make(const ir::Plan& plan, const cost::PipelineShape& shape,
                     const cost::StepChunks& chunks);

  /// The key of a shape: a pipeline, and what the memory peaks of its ranks depend on: unsharded
  /// gradients, restored activations, and whether a schedule restores them in both directions.
  using ShapeKey = std::tuple<cost::PipelineShape, bool, bool, bool>;
  static ShapeKey keyOf(const ir::Plan& plan);
  std::map<ShapeKey, ExecutedShape> shapes;
  std::uint64_t storedActions = 0;
  ExecutedShape timed; ///< last shape of a schedule whose order depends on action times
  cost::Proof proof;
  cost::Executor executor;
};

} // namespace dpl::planner
