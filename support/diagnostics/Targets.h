#pragma once
//===- Targets.h - Messages 06xx: targets -----------------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Targets.def"
#undef DIAG
} // namespace dpl::diag
