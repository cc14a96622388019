#pragma once
//===- IdleFields.h - Fields of a file that have no effect ------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Warns about each field set in the file that has no effect with the other fields. Relies on:
/// chunks.
void checkIdleFields(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
