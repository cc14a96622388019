#pragma once
//===- Rules.h - The rules of Megatron-LM and the checks that apply them ----------------------===//
#include "backends/Rules.h"
#include "backends/megatron/Shape.h"

namespace dpl::megatron {

namespace rule {
#define DPL_RULES "backends/megatron/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

void checkModel(const Shape& shape, Findings& findings);
/// What a model is beside its shape: norms, positions, activations, routing.
void checkFacts(const Shape& shape, Findings& findings);
void checkMesh(const Shape& shape, Findings& findings);
void checkLayout(const Shape& shape, Findings& findings);
void checkPrecision(const Shape& shape, Findings& findings);
/// What a launch starts beyond the plan: data, length, checkpoints.
void checkLaunch(const Shape& shape, Findings& findings);

} // namespace dpl::megatron
