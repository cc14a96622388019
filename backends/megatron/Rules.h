#pragma once
//===- Rules.h - The rules of Megatron-LM and the checks that apply them ----------------------===//
#include "backends/Rules.h"
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

namespace rule {
#define DPL_RULES "backends/megatron/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

void checkModel(const MegatronLayout& layout, Findings& findings);
/// Checks the model's norms, positions, activations and routing.
void checkFacts(const MegatronLayout& layout, Findings& findings);
void checkMesh(const MegatronLayout& layout, Findings& findings);
void checkLayout(const MegatronLayout& layout, Findings& findings);
void checkPrecision(const MegatronLayout& layout, Findings& findings);
/// Checks properties that only the launch block sets: data, length, checkpoints.
void checkLaunch(const MegatronLayout& layout, Findings& findings);

} // namespace dpl::megatron
