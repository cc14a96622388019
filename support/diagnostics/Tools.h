#pragma once
//===- Tools.h - Messages 07xx: the command line ----------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Tools.def"
#undef DIAG
} // namespace dpl::diag
