#pragma once
//===- Trial.h - What the passes say of one point, without words ------------------------------===//
#include "cost/Point.h"
#include "passes/Pass.h"

namespace dpl::planner {

/// One copy of a plan that takes point after point. Only the passes that times and memory need are
/// run, no message is worded and no figure is made.
class Trial {
public:
  explicit Trial(const ir::Plan& plan);

  /// Which layers each chunk holds; the plan is not complete after it.
  llvm::ArrayRef<ir::Chunk> split(const cost::Point& point);
  struct Verdict {
    bool runs = false;      ///< the schedule has an order
    std::uint64_t time = 0; ///< ps to the end of the last operation, without jitter
    double memory = 0;      ///< largest share that a rank takes of what its device has
  };
  Verdict judge(const cost::Point& point);
  /// Of the point judged last: whether what the file asserts holds. `said` gets the first error.
  bool asserts(std::string& said);
  /// The first error that the passes have for a point; empty where there is none.
  std::string errorOf(const cost::Point& point);

private:
  bool place(const cost::Point& point);
  ir::Plan plan;
  bool experts;
};

} // namespace dpl::planner
