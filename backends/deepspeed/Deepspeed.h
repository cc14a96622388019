#pragma once
//===- Deepspeed.h - Configuration and launch files for DeepSpeed -----------------------------===//
#include "backends/Target.h"
#include "backends/deepspeed/DeepspeedLayout.h"

namespace dpl::deepspeed {

/// Whether the target runs the schedule of a layout.
bool runsSchedule(const ir::Layout& layout);
/// Reports every field of the plan that DeepSpeed has no counterpart for (DPL0601) or refuses
/// (DPL0602).
void check(const TargetRequest& request, Findings& findings);
/// `ds_config.json`, `hostfile`, `launch.sh`, `dpl_layout.py` and `plan.json`, in that order.
std::vector<EmittedFile> render(const TargetRequest& request);

/// The text of ds_config.json.
std::string configFile(const TargetRequest& request, const DeepspeedLayout& layout);
/// The differences between the plan's defaults and what DeepSpeed does, one sentence each.
std::vector<std::string> differencesOf(const DeepspeedLayout& layout);
/// The parts of the plan that the training script must implement, one sentence each.
std::vector<std::string> dutiesOf(const DeepspeedLayout& layout);

} // namespace dpl::deepspeed
