//===- AdviseOnDevices.cpp - Advice about devices that differ
//-------------------------------------===//
#include "cost/execution/SlowestDeviceDistribution.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "passes/CheckLayout.h"
#include "support/diagnostics/Cost.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;

namespace {
/// The 99 % quantile of a device's time divided by its median.
double tailOf(const ir::Jitter& jitter) {
  constexpr double quantile = 2.3263478740408408; // of the standard normal distribution
  if (jitter.kind == ir::JitterKind::LogNormal)
    return std::exp(quantile * std::sqrt(std::log1p(jitter.spread * jitter.spread)));
  const cost::SlowestDeviceDistribution one(jitter, 1, 1);
  return one.exceededBy(0.01) / one.exceededBy(0.5);
}

void adviseOnJitter(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::Jitter& jitter = plan.cluster.jitter;
  if (!jitter.varies())
    return;
  const double ratio = tailOf(jitter);
  if (ratio <= plan.lint.jitter)
    return;
  (void)diags
      .report<diag::DeviceJitter>(plan.layout.rangeOf("cluster"), fmt::format("{:.3g}", ratio),
                                  plan.lint.jitter, plan.lint.originOf("jitter"))
      .help("`dplc simulate --diagnose` says what the jitter costs");
}

/// FLOP/s of matrix products in the layout's data type.
double rateOf(const ir::Plan& plan, const ir::NodeType& nodes) {
  return ir::real(nodes.device.peakOf(plan.layout.precision.compute)) *
         nodes.device.sustainedMatmul * nodes.device.speed;
}

void adviseOnSpeeds(const ir::Plan& plan, DiagnosticEngine& diags) {
  const std::vector<ir::NodeType>& all = plan.cluster.nodeTypes;
  if (all.size() < 2 ||
      (!plan.layout.dataRanks.empty() &&
       plan.layout.dataRanks.front().loadBalancing != ir::LoadBalancingKind::Equal))
    return;
  const auto [slowest, fastest] =
      std::minmax_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return rateOf(plan, a) < rateOf(plan, b);
      });
  const double ratio = rateOf(plan, *fastest) / rateOf(plan, *slowest);
  if (!(ratio > plan.lint.speeds))
    return;
  const auto nodes = [](const ir::NodeType& type) {
    return fmt::format("devices of {}",
                       type.name.empty() ? "the nominal nodes" : type.fieldLocation());
  };
  (void)diags
      .report<diag::UnequalSpeeds>(plan.layout.rangeOf("cluster"), nodes(*fastest),
                                   fmt::format("{:.3g}", ratio), nodes(*slowest), plan.lint.speeds,
                                   plan.lint.originOf("speeds"))
      .help(
          plan.mesh.size(ir::Axis::Pipeline) > 1
              ? "`split = balanced` gives slower stages fewer layers"
              : "`batch_balancing = proportional` divides the batch by speed where a data rank is "
                "one device");
}
} // namespace

void dpl::adviseOnDevices(const ir::Plan& plan, DiagnosticEngine& diags) {
  adviseOnJitter(plan, diags);
  adviseOnSpeeds(plan, diags);
}
