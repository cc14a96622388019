#pragma once
//===- Layout.h - Messages 03xx: layout legality ----------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Layout.def"
#undef DIAG
} // namespace dpl::diag
