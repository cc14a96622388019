//===- CheckOffload.cpp - Whether devices reach the memory of their host ----------------------===//
#include "passes/CheckLayout.h"
#include "support/diagnostics/Layout.h"

using namespace dpl;

LogicalResult dpl::checkOffload(const ir::Plan& plan, DiagnosticEngine& diags) {
  if (plan.layout.offload.empty())
    return LogicalResult::success();
  for (const auto& nodes : plan.cluster.classes)
    if (nodes.device.hostLink.empty())
      return diags
          .report<diag::OffloadWithoutHost>(plan.layout.rangeOf("offload"), nodes.device.name)
          .help("`node.gpu.host { link = 55GB/s, memory = 40GB/s }` in the cluster says how fast "
                "it is reached");
  return LogicalResult::success();
}
