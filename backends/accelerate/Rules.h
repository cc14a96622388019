#pragma once
//===- Rules.h - The rules of Accelerate ------------------------------------------------------===//
#include "backends/Rules.h"

namespace dpl::accelerate::rule {
#define DPL_RULES "backends/accelerate/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace dpl::accelerate::rule
