//===- EstimateStep.cpp - Where the time of a step goes ---------===//
#include "cost/bodies/Compression.h"
#include "figures/Compressed.h"
#include "figures/Exposure.h"
#include "figures/StageWords.h"
#include "figures/StepTimes.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "support/diagnostics/Cost.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::ir;

namespace {
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string threshold(double share) { return fmt::format("{:g} %", 100 * share); }

void adviseOnCommunication(const Plan& plan, const figures::StepTimes& times,
                           DiagnosticEngine& diags) {
  const Lint& lint = plan.lint;
  figures::Exposure exposure(plan);
  const double share = exposure.all() / times.step;
  if (share <= lint.communication)
    return;
  std::pair<const char*, double> most{"", -1};
  for (const char* axis : figures::exposedAxes())
    if (const double along = exposure.along(axis); along > most.second)
      most = {axis, along};
  (void)diags
      .report<diag::CommunicationBound>(plan.layout.rangeOf("mesh"), percent(share),
                                        threshold(lint.communication), lint.origin)
      .label(
          fmt::format("most of it along `{}`: {}", most.first, percent(most.second / times.step)));
}

void adviseOnCompression(const Plan& plan, const figures::StepTimes& times,
                         DiagnosticEngine& diags) {
  if (plan.layout.compression.empty())
    return;
  const figures::CompressedSums sums = figures::compressedSums(plan, times.rank);
  const double coded =
      sums.calls + toSeconds(cost::partTime(plan, times.rank, ir::ComputePart::Coding));
  if (coded <= sums.whole)
    return;
  (void)diags
      .report<diag::CompressionLoses>(plan.layout.rangeOf("compression"),
                                      fmt::format("{:.3g} ms", 1e3 * coded),
                                      fmt::format("{:.3g} ms", 1e3 * sums.whole))
      .help("docs/network.md says when each pays");
}

/// Advice about a plan that is legal. Thresholds are the plan's lint values.
void advise(const Plan& plan, const figures::StepTimes& times, DiagnosticEngine& diags) {
  const Lint& lint = plan.lint;
  // What shows of communication is among what the rank waits for.
  if (times.waits > lint.communication * times.step)
    adviseOnCommunication(plan, times, diags);
  if (times.bubbleFraction > lint.bubble)
    (void)diags
        .report<diag::LargeBubble>(plan.layout.rangeOf("schedule"), percent(times.bubbleFraction),
                                   threshold(lint.bubble), lint.origin)
        .label(figures::stagesAndMicroBatches(plan));
  if (times.imbalance > lint.imbalance)
    (void)diags.report<diag::StageImbalance>(plan.layout.rangeOf("split"),
                                             fmt::format("{:.2f}", times.imbalance),
                                             fmt::format("{:g}", lint.imbalance), lint.origin);
  adviseOnCompression(plan, times, diags);
  const std::uint64_t tensor = plan.mesh.size(Axis::Tensor);
  if (const MeshAxis* axis = plan.mesh.find(Axis::Tensor);
      tensor > 1 && axis && axis->spans > Level::Domain)
    (void)diags.report<diag::TensorLeavesDomain>(plan.layout.rangeOf("mesh.tensor"), tensor,
                                                 plan.cluster.devicesIn(Level::Domain));
}

/// Relies on: bodies and a schedule with times.
class EstimateStep final : public Pass {
public:
  llvm::StringRef name() const override { return "estimate-step"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    advise(plan, figures::stepTimes(plan), diags);
    return LogicalResult::success();
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createEstimateStepPass() { return std::make_unique<EstimateStep>(); }
