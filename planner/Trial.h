#pragma once
//===- Trial.h - What the passes say of one point, without words ------------------------------===//
#include "cost/Point.h"
#include "passes/Pass.h"

namespace dpl::planner {

/// The first error that the passes have for a plan; empty where there is none.
std::string firstErrorOf(ir::Plan& plan);

/// One copy of a plan that takes point after point.
class Trial {
public:
  explicit Trial(const ir::Plan& plan);

  /// Whether what the file asserts holds of a point that fits. `said` gets the first error.
  bool asserts(const cost::Point& point, std::string& said);
  /// The first error that the passes have for a point; empty where there is none.
  std::string errorOf(const cost::Point& point);

private:
  ir::Plan plan;
  bool experts;
};

} // namespace dpl::planner
