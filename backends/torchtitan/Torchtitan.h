#pragma once
//===- Torchtitan.h - Configuration and launch files for torchtitan ---------------------------===//
#include "backends/Target.h"

namespace dpl::torchtitan {

/// Reports every field of the plan for which torchtitan has no counterpart, or which it refuses.
void check(const TargetRequest& request, Findings& findings);
/// Writes `launch.sh`, and `train.toml` for 0.2 or `dpl_plan.py` for 0.3.
std::vector<EmittedFile> render(const TargetRequest& request);

} // namespace dpl::torchtitan
