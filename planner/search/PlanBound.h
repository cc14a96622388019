#pragma once
//===- PlanBound.h - Lower bounds of one plan -------------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::planner {

struct PlanBound {
  double step = 0;   ///< seconds; 0 where no bound is known
  double memory = 0; ///< bytes of the rank with the least left; 0 where no bound is known
  /// The share by which the lower bound of memory exceeds the largest device; 0 if it may fit.
  double excess = 0;
};

/// Of a plan that partition-layers has completed. The bound is that of planner/Bound.h, which does
/// not exceed what the compiler passes find. It is known for meshes whose axes stand in the order
/// `pipeline data context tensor`, without replicas.
PlanBound boundOf(const ir::Plan& plan);

} // namespace dpl::planner
