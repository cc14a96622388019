#pragma once
//===- Rules.h - The rules of torchtitan and the checks that apply them -----------------------===//
#include "backends/Rules.h"
#include "backends/torchtitan/Shape.h"

namespace dpl::torchtitan {

namespace rule {
#define DPL_RULES "backends/torchtitan/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

void checkModel(const Shape& shape, Findings& findings);
void checkMesh(const Shape& shape, Findings& findings);
void checkPipeline(const Shape& shape, Findings& findings);
void checkLayout(const Shape& shape, Findings& findings);

} // namespace dpl::torchtitan
