#pragma once
//===- IdleFields.h - What a file says of memory and nothing reads ----------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Whether the file says a field of the layout, and not what its framework fills in.
bool says(const ir::Plan& plan, const std::string& field);

/// Warns of each field of `buffers`, `offload` and of a policy by operator that has no effect
/// beside the others. Relies on: chunks.
void checkIdleFields(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
