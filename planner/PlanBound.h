#pragma once
//===- PlanBound.h - Lower bounds of one plan -------------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::planner {
struct Bound;

struct PlanBound {
  double step = 0;   ///< lower bound of the step in seconds; 0 if there is none
  double memory = 0; ///< lower bound in bytes for the rank with the least free memory; 0 if there
                     ///< is none
  /// The share by which the lower bound of memory exceeds the largest device; 0 if it may fit.
  double excess = 0;
};

/// Memory of the largest device of a cluster, and the smallest reservation of any device: bytes
/// outside the allocator and the workspace of GEMMs.
struct DeviceMemory {
  double largest = 0, reserved = 0;
};
DeviceMemory deviceMemoryOf(const ir::Cluster& cluster);

/// Bounds of a layout on a cluster, from those of planner/Bound.h.
PlanBound planBoundOf(const Bound& bound, const ir::Cluster& cluster);

/// Whether bounds of planner/Bound.h are known for a plan: for meshes with the order `pipeline data
/// context tensor` and without replicas. Relies on: resolve-mesh is completed.
bool hasBounds(const ir::Plan& plan);
/// Lower bounds of a plan, from planner/Bound.h: the compiler passes never find less. Relies on:
/// partition-layers is completed.
PlanBound boundOf(const ir::Plan& plan);

} // namespace dpl::planner
