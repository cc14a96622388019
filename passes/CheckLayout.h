#pragma once
//===- CheckLayout.h - The parts of check-layout ----------------------------------------------===//
//
// Each checks one side of a layout and says whether it is legal. All of them run; one mistake is
// said once: what follows from a wrong mesh is not checked.
// They rely on the sizes that resolve-mesh set, none of which is 0.
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Devices of the mesh and of the expert grid, and the batch.
LogicalResult checkMesh(const ir::Plan& plan, DiagnosticEngine& diags);
/// Heads, widths, experts and sequence against the axes that divide them; data types.
LogicalResult checkModel(const ir::Plan& plan, DiagnosticEngine& diags);
/// Layers over stages and chunks, and what the schedule needs.
LogicalResult checkStages(const ir::Plan& plan, DiagnosticEngine& diags);
/// Sharding.
LogicalResult checkShard(const ir::Plan& plan, DiagnosticEngine& diags);
/// How data ranks step.
LogicalResult checkCompression(const ir::Plan& plan, DiagnosticEngine& diags);
/// Whether devices have a way to what is offloaded.
LogicalResult checkOffload(const ir::Plan& plan, DiagnosticEngine& diags);
LogicalResult checkDataRanks(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
