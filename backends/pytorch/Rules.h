#pragma once
//===- Rules.h - The rules of the PyTorch target ----------------------------------------------===//
#include "backends/Rules.h"

namespace dpl::pytorch::rule {
#define DPL_RULES "backends/pytorch/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace dpl::pytorch::rule
