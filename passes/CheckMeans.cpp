//===- CheckMeans.cpp - Warnings about variation that predictions ignore ----------------------===//
#include "passes/CheckMeans.h"
#include "ir/Uplinks.h"
#include "support/diagnostics/Cost.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;

bool dpl::variesByAction(const ir::Plan& plan) {
  return llvm::any_of(plan.model.layerTypes,
                      [](const ir::LayerType& c) { return !c.stated.jitter.empty(); });
}

void dpl::warnOfMeans(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::Cluster& cluster = plan.cluster;
  const auto warn = [&](const char* field, const char* asIf, const char* help) {
    (void)diags
        .report<diag::PredictedWithBarrier>(plan.layout.rangeOf(field), plan.layout.name, asIf)
        .help(help);
  };
  if (!cluster.loading.empty() && cluster.loading.front().jitter.varies())
    warn("cluster.data_loading", "each sample took the mean time to load", simulatedAsStated);
  if (variesByAction(plan))
    warn("model.layer", "each layer took its mean time in each micro-batch", simulatedAsStated);
  if (plan.collectives.empty())
    return;
  if (!cluster.delay.empty() && cluster.delay.front().mean > 0)
    warn("cluster.message_delay", "no message was delayed", simulatedAsStated);
  if (!cluster.linkJitter.empty() && cluster.linkJitter.front().jitter.varies())
    warn("cluster.link_jitter", "each link kept its mean bandwidth",
         "`dplc simulate --level message`, and a study with `level = message`, simulate the "
         "variation");
  if (!ir::hashesFlows(cluster))
    return;
  const ir::LinkType* leaf = cluster.network.find(ir::LinkKind::Leaf);
  const bool byThemselves = !plan.layout.dataRanks.empty() || !cluster.coupling.empty();
  warn(leaf && leaf->count > 1 && !leaf->isDirect() ? "cluster.leaf.uplinks"
                                                    : "cluster.pod.uplinks",
       "flows spread evenly over uplinks",
       byThemselves
           ? "so does `dplc simulate`, as data ranks that step independently have no message level"
           : "`dplc simulate --level message`, and a study with `level = message`, hash "
             "the flows");
}
