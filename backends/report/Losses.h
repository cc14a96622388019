#pragma once
//===- Losses.h - Why the step takes longer than its arithmetic at peak -----------------------===//
#include "ir/Plan.h"
#include <string>
#include <vector>

namespace dpl::report {

/// One part of the step beyond `time.ideal`. Together with it they make up the step.
struct Loss {
  std::string path;   ///< the figure that says it; for kernels `time.compute`
  std::string reason; ///< "pipeline bubble: 8 stages x 2 chunks, 64 micro-batches"
  double seconds = 0;
  double share = 0; ///< of the step
};

/// Largest first, equal ones in the order of the step; none below a thousandth of the step. Empty
/// when the plan has no step time.
std::vector<Loss> losses(const ir::Plan& plan);

} // namespace dpl::report
