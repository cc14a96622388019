#pragma once
//===- Parse.h - Messages 001x-010x: words, statements and units ------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Parse.def"
#undef DIAG
} // namespace dpl::diag
