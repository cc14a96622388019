#pragma once
//===- Search.h - Messages 12xx: running searches ---------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Search.def"
#undef DIAG
} // namespace dpl::diag
