//===- EstimateStep.cpp - Where the time of a step goes ---------===//
#include "cost/bodies/Compression.h"
#include "figures/Compressed.h"
#include "figures/Exposure.h"
#include "figures/Figures.h"
#include "figures/StageWords.h"
#include "figures/StepTimes.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Plan.h"
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
  auto advice = diags
                    .report<diag::CommunicationBound>(plan.layout.rangeOf("mesh"), percent(share),
                                                      threshold(lint.communication), lint.origin)
                    .label(fmt::format("most of it along `{}`: {}", most.first,
                                       percent(most.second / times.step)));
  if (llvm::StringRef(most.first) == "expert")
    (void)std::move(advice).help(figures::fieldsOfExpertCalls(plan));
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

/// No step does more than the peak of its devices: HFU above 100 % is a mistake of ours, in every
/// build. Devices that jitter may be faster than their mean.
LogicalResult checkPeak(const Plan& plan, const figures::StepTimes& times,
                        DiagnosticEngine& diags) {
  const figures::Figures figures(plan);
  const double busy =
      figures.value("time.ideal").value_or(0) * (1 + figures.value("recomputed_share").value_or(0));
  if (times.amplification < 1 || busy <= times.step * (1 + 1e-9))
    return LogicalResult::success();
  return diags.report<diag::PlanInconsistent>(
      plan.layout.rangeOf(""), "estimate-step",
      fmt::format("its step of {:.4g} s runs at {} of the peak of its devices", times.step,
                  percent(busy / times.step)));
}

/// Relies on: bodies and a schedule with times.
class EstimateStep final : public Pass {
public:
  llvm::StringRef name() const override { return "estimate-step"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    const figures::StepTimes times = figures::stepTimes(plan);
    advise(plan, times, diags);
    return checkPeak(plan, times, diags);
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createEstimateStepPass() { return std::make_unique<EstimateStep>(); }
