#pragma once
//===- IdleFields.h - What a file says and nothing reads --------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Warns of each field that has no effect beside the others, of those that the file says. Relies
/// on: chunks.
void checkIdleFields(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
