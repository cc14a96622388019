#pragma once
//===- FineTuningFiles.h - Frozen weights, adapters and documents for a training script -------===//
#include "backends/Target.h"
#include "ir/Plan.h"
#include "support/Json.h"

namespace dpl {

/// The fields `frozen`, `frozen_weights` and `documents` of a plan.json, if the layout sets them.
void addFineTuning(const ir::Plan& plan, Json& out);
/// A sentence for each thing that the training script must do for them.
void addFineTuningDuties(const ir::Plan& plan, std::vector<std::string>& duties);
/// Adds adapter_config.json, which PEFT reads, if the layout has adapters.
void addAdapterConfig(const ir::Plan& plan, std::vector<EmittedFile>& files);

} // namespace dpl
