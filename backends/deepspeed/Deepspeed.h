#pragma once
//===- Deepspeed.h - Configuration and launch files for DeepSpeed -----------------------------===//
#include "backends/Target.h"
#include "backends/deepspeed/DeepspeedLayout.h"

namespace dpl::deepspeed {

/// Whether it runs the schedule of a layout.
bool runsSchedule(const ir::Layout& layout);
/// Reports, at the field that causes it, all that this plan asks for and DeepSpeed has no
/// counterpart for (DPL0601) or refuses (DPL0602).
void check(const TargetRequest& request, Findings& findings);
/// `ds_config.json`, `hostfile`, `launch.sh`, `dpl_layout.py` and `plan.json`, in that order.
std::vector<EmittedFile> render(const TargetRequest& request);

/// The text of ds_config.json.
std::string configFile(const TargetRequest& request, const DeepspeedLayout& layout);
/// Where DeepSpeed does otherwise than the plan's defaults, one sentence each.
std::vector<std::string> differencesOf(const DeepspeedLayout& layout);
/// What of the plan is left to the training script, one sentence each.
std::vector<std::string> dutiesOf(const DeepspeedLayout& layout);

} // namespace dpl::deepspeed
