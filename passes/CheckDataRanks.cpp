//===- CheckDataRanks.cpp - Checks the synchronization mode of data ranks ---------------------===//
#include "cost/legality/Legality.h"
#include "ir/DataRanks.h"
#include "ir/Names.h"
#include "passes/CheckLayout.h"
#include "passes/CheckMeans.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Layout.h"
#include <fmt/format.h>

using namespace dpl;
using ir::Axis;

namespace {
/// Why data ranks are not single devices with the whole model; empty if they are.
std::string whyNotWhole(const ir::Plan& plan) {
  for (const Axis axis : {Axis::Pipeline, Axis::Context, Axis::Tensor})
    if (!cost::legal::wholeRank(plan.mesh.size(axis)))
      return fmt::format("each must be one device that holds the whole model, found `{} = {}`",
                         ir::name(axis), plan.mesh.size(axis));
  for (const ir::MeshAxis& a : plan.mesh.expertAxes)
    if ((a.axis == Axis::Expert || a.axis == Axis::ExpertTensor) && !cost::legal::wholeRank(a.size))
      return "each must be one device that holds the whole model, found a grid of experts";
  const ir::Shard& shard = plan.layout.shard;
  for (const auto& [what, axis] :
       {std::pair("parameters", shard.parameters), std::pair("gradients", shard.gradients),
        std::pair("optimizer", shard.optimizer)})
    if (axis != ir::ShardAxis::None)
      return fmt::format(
          "each must be one device that holds the whole model, found `shard.{} = {}`", what,
          ir::name(axis));
  return "";
}

struct StatedField {
  const char* field = "";
  std::string why; ///< reason why the mode does not support the field; empty if it does
};
/// A field that only steps with a barrier between the data ranks support.
StatedField ofWholeSteps(const ir::Plan& plan) {
  if (!plan.cluster.loading.empty())
    return {"cluster.data_loading",
            "loading of samples is simulated for steps that all ranks begin together"};
  if (!plan.cluster.delay.empty())
    return {"cluster.message_delay",
            "message delays are simulated for steps that all ranks end together"};
  if (!plan.cluster.linkJitter.empty())
    return {"cluster.link_jitter",
            "varying links are simulated for steps that all ranks begin together"};
  if (variesByAction(plan))
    return {"model.layer", "the step of a worker varies as a whole, found layers with `jitter`"};
  return {};
}

StatedField contradiction(const ir::Plan& plan) {
  if (!plan.cluster.coupling.empty()) {
    if (const std::string why = whyNotWhole(plan); !why.empty())
      return {"cluster.interference", why};
    if (const std::string why = ir::whyAlone(plan.cluster, plan.cluster.coupling.front().within);
        !why.empty())
      return {"cluster.interference", "`interference` has no effect: " + why};
  }
  if (const StatedField inSteps = ofWholeSteps(plan); !inSteps.why.empty())
    return inSteps;
  if (plan.layout.dataRanks.empty())
    return {};
  const ir::DataRanks& ranks = plan.layout.dataRanks.front();
  const char* field = ir::fieldOf(ranks);
  if (const std::string why = whyNotWhole(plan); !why.empty())
    return {field, why};
  if (const std::string why = ir::whyNotCoupled(plan, ranks.synchronization); !why.empty())
    return {ranks.throttling != ir::ThrottlingKind::None ? "throttling" : "synchronization", why};
  if (ranks.synchronization == ir::SynchronizationKind::Backup &&
      ranks.bound >= plan.mesh.dataRanks())
    return {"synchronization", fmt::format("`workers = {}` must be below the {} data ranks",
                                           ranks.bound, plan.mesh.dataRanks())};
  if (ranks.synchronization == ir::SynchronizationKind::Hierarchical) {
    if (!plan.layout.compression.empty())
      return {"synchronization",
              "compressed gradients are exchanged between all ranks, found `compression`"};
    if (const std::string why = ir::whyNoUnits(plan, ranks.among); !why.empty())
      return {"synchronization", why};
  }
  if (!ranks.servers.empty()) {
    if (ranks.synchronization != ir::SynchronizationKind::Barrier &&
        ranks.synchronization != ir::SynchronizationKind::Bounded &&
        ranks.synchronization != ir::SynchronizationKind::Asynchronous)
      return {"parameter_servers",
              fmt::format("servers support `barrier`, `bounded` and `asynchronous`, found "
                          "`synchronization = {}`",
                          ir::name(ranks.synchronization))};
    if (ranks.late == ir::LateGradients::Reject)
      return {"parameter_servers", "servers let late workers wait, found `late = reject`"};
    if (ranks.servers.front().density < 1 && !plan.layout.compression.empty())
      return {"parameter_servers",
              "`density` and `compression` both set the share of the gradients that is sent"};
    if (ranks.throttling != ir::ThrottlingKind::None)
      return {"throttling", "the delay is chosen for an exchange of constant duration, found "
                            "`parameter_servers`"};
  }
  if (ranks.throttling == ir::ThrottlingKind::None)
    return {};
  if (plan.cluster.coupling.empty())
    return {"throttling",
            fmt::format("devices of cluster `{}` share nothing: it has no `interference`, so that "
                        "delays only cost time",
                        plan.cluster.name)};
  return {};
}
} // namespace

LogicalResult dpl::checkDataRanks(const ir::Plan& plan, DiagnosticEngine& diags) {
  if (!cost::legal::ranksAreWhole(plan.cluster, plan.layout))
    return LogicalResult::success();
  if (const StatedField found = contradiction(plan); !found.why.empty())
    return diags.report<diag::WorkersMeet>(plan.layout.rangeOf(found.field), plan.layout.name,
                                           found.why);
  const bool ranks = !plan.layout.dataRanks.empty();
  (void)diags
      .report<diag::PredictedWithBarrier>(
          plan.layout.rangeOf(ranks ? ir::fieldOf(plan.layout.dataRanks.front())
                                    : "cluster.interference"),
          plan.layout.name,
          !ranks ? "its devices did not slow down one another"
          : plan.layout.dataRanks.front().servers.empty()
              ? "its data ranks synchronized after each step and had equal work"
              : "its data ranks used all-reduce instead of parameter servers")
      .help(simulatedAsStated);
  return LogicalResult::success();
}
