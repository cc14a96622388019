#pragma once
//===- Plan.h - Messages 09xx: the plan's own consistency -------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Plan.def"
#undef DIAG
} // namespace dpl::diag
