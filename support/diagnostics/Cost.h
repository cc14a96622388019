#pragma once
//===- Cost.h - Messages 04xx: memory, schedule and advice ------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Cost.def"
#undef DIAG
} // namespace dpl::diag
