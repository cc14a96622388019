//===- DefaultSearch.cpp - Searches the open fields of a layout -------------------------------===//
#include "driver/search/DefaultSearch.h"
#include "backends/Target.h"
#include "passes/TakeDevices.h"
#include "planner/EmptySpace.h"
#include "planner/search/DefaultSpace.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Search.h"
using namespace dpl;

FailureOr<ir::Space> search::spaceOfLayout(const CompiledUnit& unit, const ir::Plan& plan,
                                           DiagnosticEngine& diags) {
  const ir::Layout& layout = plan.layout;
  const auto isOpen = [&](const char* path) { return unit.isOpen(plan, path); };
  planner::OpenLayoutFields open;
  open.mesh = layout.mesh.automatic;
  open.microBatch = isOpen("micro_batch");
  open.schedule = layout.scheduleAutomatic || isOpen("schedule");
  // Slots for embedding and head require an even split.
  open.split = isOpen("split") && isOpen("embedding_slots") && isOpen("head_slots");
  open.recompute = isOpen("recompute") && !plan.model.isLayerList();
  open.optimizer = isOpen("shard.optimizer");
  open.gradients = isOpen("shard.gradients");
  open.parameters = isOpen("shard.parameters");
  open.sequence = isOpen("shard.sequence");
  ir::Plan used = plan;
  if (takeDevices(used, diags).failed())
    return LogicalResult::failure();
  std::optional<ir::Space> space = planner::defaultSpace(used, open, runsOf(plan));
  if (!space)
    return diags.report<diag::NoMeshFits>(layout.rangeOf("mesh"), used.cluster.devices(), "")
        .label(planner::whyNoMesh(used));
  if (space->open.empty())
    return diags.report<diag::NothingOpen>(layout.rangeOf(""), layout.name)
        .help("`mesh = auto` opens the degrees, and a field without a line in the block is open");
  return std::move(*space);
}
