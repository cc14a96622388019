#pragma once
//===- Megatron.h - Launch files for Megatron-LM ----------------------------------------------===//
#include "backends/Target.h"

namespace dpl::megatron {

/// Whether it runs the schedule of a layout.
bool runsSchedule(const ir::Layout& layout);
/// Reports, at the field that causes it, all that this plan asks for and Megatron-LM has no
/// counterpart for (DPL0601) or refuses (DPL0602).
void check(const TargetRequest& request, Findings& findings);
/// `launch.sh`, `arguments.txt`, `plan.json`, and `communicators.yaml` where something overlaps.
std::vector<EmittedFile> render(const TargetRequest& request);

} // namespace dpl::megatron
