#pragma once
//===- Megatron.h - Launch files for Megatron-LM ----------------------------------------------===//
#include "backends/Target.h"

namespace dpl::megatron {

/// Whether the target runs the schedule of a layout.
bool runsSchedule(const ir::Layout& layout);
/// Reports every field of the plan that Megatron-LM has no counterpart for (DPL0601) or refuses
/// (DPL0602).
void check(const TargetRequest& request, Findings& findings);
/// Writes `launch.sh`, `arguments.txt`, `plan.json`, and `communicators.yaml` if a group overlaps.
std::vector<EmittedFile> render(const TargetRequest& request);

} // namespace dpl::megatron
