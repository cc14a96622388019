#pragma once
//===- Rules.h - The rules of DeepSpeed -------------------------------------------------------===//
#include "backends/Rules.h"

namespace dpl::deepspeed::rule {
#define DPL_RULES "backends/deepspeed/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace dpl::deepspeed::rule
