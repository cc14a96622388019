#pragma once
//===- Study.h - Messages 11xx: running studies -----------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Study.def"
#undef DIAG
} // namespace dpl::diag
