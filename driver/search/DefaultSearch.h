#pragma once
//===- DefaultSearch.h - Searches the open fields of a layout ---------------------------------===//
#include "driver/workspace/Workspace.h"

namespace dpl::search {

/// The space of everything that a layout of the unit leaves open, for a search without a `search`
/// block. Fails after a report if the layout leaves nothing open or no mesh is legal.
FailureOr<ir::Space> spaceOfLayout(const CompiledUnit& unit, const ir::Plan& plan,
                                   DiagnosticEngine& diags);

} // namespace dpl::search
