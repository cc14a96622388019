#pragma once
//===- Score.h - Messages 10xx: tables of measured runs ---------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Score.def"
#undef DIAG
} // namespace dpl::diag
