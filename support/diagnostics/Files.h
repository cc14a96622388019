#pragma once
//===- Files.h - Messages 00xx: reading files and text ----------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Files.def"
#undef DIAG
} // namespace dpl::diag
