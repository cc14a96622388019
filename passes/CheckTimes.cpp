//===- CheckTimes.cpp - Whether the times of a step can be counted ----------------------------===//
#include "passes/CheckTimes.h"
#include "ir/Arithmetic.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::ir;

namespace {
constexpr double most = 0x1p60; ///< ps; see cost::Delay

/// The update at the bandwidth of the slowest memory, at most 64 bytes a parameter.
double updateTime(const Plan& plan, const ChunkCost& c) {
  double longest = 0;
  for (const NodeClass& nodes : plan.cluster.classes) {
    const Device& d = nodes.device;
    longest = std::max(longest, real(c.parameters + c.expertParameters) * 64 * 8 /
                                    (real(d.memoryBandwidth) * d.sustainedMemory * d.speed));
  }
  return longest / picosecond;
}
} // namespace

LogicalResult dpl::checkTimes(const Plan& plan, DiagnosticEngine& diags) {
  double all = 0;
  for (const ChunkCost& c : plan.costs) {
    const double pass =
        real(c.forward) + real(c.backwardInput) + real(c.backwardWeight) + real(c.recompute);
    all += pass * real(plan.microBatchesOfChunk()) + updateTime(plan, c);
  }
  for (const Collective& c : plan.collectives)
    all += real(c.time) * real(c.count);
  if (all < most)
    return LogicalResult::success();
  const auto days = [](double ps) { return fmt::format("{:.4g} days", ps * picosecond / 86400); };
  return diags.report<diag::StepTooLong>(plan.layout.rangeOf("batch"), days(all), days(most))
      .label(plural(plan.mesh.microBatches, "micro-batch"));
}
