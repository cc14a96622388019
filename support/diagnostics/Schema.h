#pragma once
//===- Schema.h - Messages 02xx: schemas, blocks and fields -----------------------------------===//
#include "support/Diagnostics.h"

namespace dpl::diag {
#define DIAG DPL_MESSAGE
#include "support/diagnostics/Schema.def"
#undef DIAG
} // namespace dpl::diag
