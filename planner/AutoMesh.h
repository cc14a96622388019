#pragma once
//===- AutoMesh.h - `mesh = auto`: the fastest layout of a small space ------------------------===//
#include "planner/AutoSchedule.h"

namespace dpl::planner {

/// Where the layout says `mesh = auto`, writes the degrees into it that docs/auto-mesh.md
/// describes: the fastest that fits. One error if none does.
LogicalResult chooseMesh(ir::Plan& plan, DiagnosticEngine& diags);

/// Chooses a mesh or a schedule where the layout leaves one open, then runs all passes.
LogicalResult completePlan(ir::Plan& plan, DiagnosticEngine& diags, const PipelineOptions& options,
                           const RunsSchedule& runs = {});

} // namespace dpl::planner
