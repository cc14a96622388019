#pragma once
//===- Imports.h - Messages 08xx: files of other programs -------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Imports.def"
#undef DIAG
} // namespace dpl::diag
