#pragma once
//===- Rules.h - The rules of torchtitan and the checks that apply them -----------------------===//
#include "backends/Rules.h"
#include "backends/torchtitan/TorchtitanLayout.h"

namespace dpl::torchtitan {

namespace rule {
#define DPL_RULES "backends/torchtitan/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

void checkModel(const TorchtitanLayout& layout, Findings& findings);
void checkMesh(const TorchtitanLayout& layout, Findings& findings);
void checkPipeline(const TorchtitanLayout& layout, Findings& findings);
void checkLayout(const TorchtitanLayout& layout, Findings& findings);

} // namespace dpl::torchtitan
