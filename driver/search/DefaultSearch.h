#pragma once
//===- DefaultSearch.h - Searches the open fields of a layout ---------------------------------===//
#include "driver/workspace/Workspace.h"

namespace dpl::search {

/// The space of all fields that a layout leaves open, for a search without a `search` block. Fails,
/// after a report, if the layout leaves no field open or if no mesh is legal.
FailureOr<ir::Space> spaceOfLayout(const CompiledUnit& unit, const ir::Plan& plan,
                                   DiagnosticEngine& diags);

} // namespace dpl::search
