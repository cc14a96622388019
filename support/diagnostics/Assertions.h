#pragma once
//===- Assertions.h - Messages 05xx: assertions -----------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Assertions.def"
#undef DIAG
} // namespace dpl::diag
