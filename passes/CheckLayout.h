#pragma once
//===- CheckLayout.h - Parts of the pass check-layout -----------------------------------------===//
//
// Each function checks one aspect of a layout. All of them run. A mistake is reported once, so the
// consequences of a wrong mesh are not checked. They rely on the sizes that resolve-mesh sets to
// values other than 0.
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Checks the number of devices of the mesh and of the expert grid, and the batch.
LogicalResult checkMesh(const ir::Plan& plan, DiagnosticEngine& diags);
/// Checks heads, widths, experts and sequence against the degrees that divide them, and data types.
LogicalResult checkModel(const ir::Plan& plan, DiagnosticEngine& diags);
/// Checks how layers divide over stages and chunks, and the requirements of the schedule.
LogicalResult checkStages(const ir::Plan& plan, DiagnosticEngine& diags);
LogicalResult checkShard(const ir::Plan& plan, DiagnosticEngine& diags);
LogicalResult checkCompression(const ir::Plan& plan, DiagnosticEngine& diags);
/// Checks that nodes have a host link, and that offloaded parameters and gradients are sharded.
LogicalResult checkOffload(const ir::Plan& plan, DiagnosticEngine& diags);
LogicalResult checkDataRanks(const ir::Plan& plan, DiagnosticEngine& diags);
/// Warns about a legal layout whose data ranks exchange gradients in a way that learns less, or
/// that takes longer than a ring.
void adviseOnMethod(const ir::Plan& plan, DiagnosticEngine& diags);
/// Warns about devices whose speeds differ, always or from step to step.
void adviseOnDevices(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
