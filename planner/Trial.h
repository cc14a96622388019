#pragma once
//===- Trial.h - What the passes say of one point, without words ------------------------------===//
#include "cost/Point.h"
#include "passes/Pass.h"

namespace dpl::planner {

/// Whether the passes may refuse a plan that fits as it was estimated.
bool mayBeRefused(const ir::Plan& plan);
/// The first error that the passes have for a plan; empty where there is none.
std::string firstErrorOf(ir::Plan& plan);

/// One copy of a plan that takes point after point.
class Trial {
public:
  explicit Trial(const ir::Plan& plan);

  /// The first error that the passes have for a point; empty where there is none.
  std::string errorOf(const cost::Point& point);
  /// The same of one that fits as it was estimated: they are asked where they may refuse it still,
  /// as what the file asserts may not hold and an allocator's free blocks leave it no room.
  std::string errorOfFitting(const cost::Point& point);
  /// Whether both the passes and the program that runs the plan take a point.
  bool isTaken(const cost::Point& point, const TakesPlan& takes);
  /// Passes of a chunk in all steps that the passes executed so far, as countedPasses counts them.
  std::uint64_t executed() const { return counted; }

private:
  ir::Plan plan;
  std::uint64_t counted = 0;
  bool experts;
};

} // namespace dpl::planner
