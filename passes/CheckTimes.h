#pragma once
//===- CheckTimes.h - Whether the times of a step can be counted ------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Picoseconds are counted in 64 bits. All work of a step one after another, which no sum of a
/// schedule exceeds, has to stay below 2^62 of them. Relies on: costs and collectives.
LogicalResult checkTimes(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
