//===- CheckOffload.cpp - Checks the host link and the sharding of offloaded tensors ----------===//
#include "cost/legality/Legality.h"
#include "passes/CheckLayout.h"
#include "support/diagnostics/Layout.h"

using namespace dpl;

LogicalResult dpl::checkOffload(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::Layout& layout = plan.layout;
  const ir::Shard& shard = layout.shard;
  if (const ir::NodeType* nodes = cost::legal::nodeTypeWithoutHostLink(plan.cluster, layout)) {
    const char* field = layout.offload.empty() ? "recompute.offloaded" : "offload";
    return diags.report<diag::OffloadWithoutHost>(layout.rangeOf(field), field, nodes->device.name)
        .help(fmt::format("`node.gpu.host {{ link_bandwidth = 55GB/s, memory_bandwidth = 40GB/s "
                          "}}` in {} says how "
                          "fast it is reached",
                          nodes->fieldLocation()));
  }
  if (!cost::legal::offloadedParameters(layout.offloadSettings(), shard))
    return diags.report<diag::OffloadedWhole>(
        layout.rangeOf("offload.parameters"), "parameters",
        shard.stage() == 3 ? "shard.reshard_after_forward = false" : "shard.parameters = none");
  if (!cost::legal::offloadedGradients(layout.offloadSettings(), shard.stage()))
    return diags.report<diag::OffloadedWhole>(layout.rangeOf("offload.gradients"), "gradients",
                                              "shard.gradients = none");
  return LogicalResult::success();
}
