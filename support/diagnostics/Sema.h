#pragma once
//===- Sema.h - Messages 011x-016x: names, values, imports and settings -----------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Sema.def"
#undef DIAG
} // namespace dpl::diag
