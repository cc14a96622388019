//===- EstimateStep.cpp - The components of the step time -------------------------------------===//
#include "cost/programs/Compression.h"
#include "cost/step/Compressed.h"
#include "cost/step/Exposure.h"
#include "cost/step/StageWords.h"
#include "cost/step/StepTimes.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "ir/MeshText.h"
#include "passes/CheckLayout.h"
#include "passes/Passes.h"
#include "passes/Words.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Plan.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <numeric>

using namespace dpl;
using namespace dpl::ir;

namespace {
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string threshold(double share) { return fmt::format("{:g} %", 100 * share); }

void adviseOnCommunication(const Plan& plan, const StepResult& times, DiagnosticEngine& diags) {
  const Lint& lint = plan.lint;
  cost::Exposure exposure(plan);
  const double share = exposure.all() / times.step;
  if (share <= lint.communication)
    return;
  const std::pair<const char*, double> most = exposure.most();
  auto advice = diags
                    .report<diag::CommunicationBound>(plan.layout.rangeOf("mesh"), percent(share),
                                                      threshold(lint.communication),
                                                      lint.originOf("communication"))
                    .label(fmt::format("most of it along `{}`: {}", most.first,
                                       percent(most.second / times.step)));
  if (llvm::StringRef(most.first) == "expert")
    (void)std::move(advice).help(cost::fieldsOfExpertCommunication(plan));
}

void adviseOnCompression(const Plan& plan, const StepResult& times, DiagnosticEngine& diags) {
  if (plan.layout.compression.empty())
    return;
  const cost::CompressedSums sums = cost::compressedSums(plan, times.rank);
  const double coded =
      sums.compressed + toSeconds(cost::computeKindTime(plan, times.rank, ir::ComputeKind::Coding));
  if (coded <= sums.whole)
    return;
  (void)diags
      .report<diag::CompressionLoses>(plan.layout.rangeOf("compression"),
                                      fmt::format("{:.3g} ms", 1e3 * coded),
                                      fmt::format("{:.3g} ms", 1e3 * sums.whole))
      .help("docs/reference/network.md says when compression saves time");
}

/// Warns if local steps save little: they remove exposed data communication, but need more steps to
/// learn as much.
void adviseOnLocalSteps(const Plan& plan, const StepResult& times, DiagnosticEngine& diags) {
  const bool counted = llvm::any_of(plan.runs, [](const Run& run) { return run.problem(); });
  if (plan.layout.dataRanks.empty() || counted)
    return;
  const SynchronizationKind kind = plan.layout.dataRanks.front().synchronization;
  if (kind != SynchronizationKind::Local && kind != SynchronizationKind::Hierarchical)
    return;
  const double saved = cost::Exposure(plan).along("data") / times.step;
  if (saved >= plan.lint.communication)
    return;
  (void)diags
      .report<diag::LocalStepsSaveLittle>(plan.layout.rangeOf("synchronization"), percent(saved),
                                          threshold(plan.lint.communication),
                                          plan.lint.originOf("communication"))
      .label("exposed data communication with a barrier after each step");
}

/// The fewest and the most units, of `unit` consecutive devices each, that a group of the axis
/// spans. Groups begin at the first `stride` devices of each block of stride × size devices.
std::pair<std::uint64_t, std::uint64_t> unitsSpanned(const MeshAxis& axis, std::uint64_t unit) {
  if (axis.stride >= unit)
    return {axis.size, axis.size};
  const std::uint64_t apart = std::gcd(axis.stride * axis.size, unit);
  // `latest` is the last place in a unit at which a group can begin.
  const std::uint64_t latest = unit - apart + std::min(axis.stride, apart) - 1;
  const std::uint64_t reach = (axis.size - 1) * axis.stride;
  return {reach / unit + 1, (latest + reach) / unit + 1};
}

/// The text of the mesh with `tensor` last, if the groups of the axis are then inside one unit.
/// Tensor groups of experts follow the place of `tensor`.
std::string withTensorLast(const Plan& plan, Axis axis, std::uint64_t unit,
                           llvm::StringRef unitName) {
  if (unit == 1)
    return "";
  MeshRequest mesh = plan.layout.mesh;
  const auto is = [](Axis wanted) { return [=](const auto& r) { return r.axis == wanted; }; };
  const auto tensor = llvm::find_if(mesh.axes, is(Axis::Tensor));
  if (tensor == mesh.axes.end() || unit % plan.mesh.size(axis) != 0)
    return fmt::format("a degree that divides {} stays inside one {}", unit, unitName);
  std::rotate(tensor, tensor + 1, mesh.axes.end());
  std::string without;
  for (std::vector<AxisRequest>* requests : {&mesh.axes, &mesh.experts})
    if (const auto own = llvm::find_if(*requests, is(axis));
        own != requests->end() && own->hasAcross) {
      without = fmt::format(" and leave out `across {}`", ir::name(own->across));
      own->hasAcross = false;
    }
  return fmt::format("write `tensor` last{}: `{}`", without, meshText(mesh));
}

/// Warns about tensor groups that span several fast domains, because they communicate in every
/// layer.
void adviseOnTensor(const Plan& plan, Axis which, DiagnosticEngine& diags) {
  const MeshAxis* axis = plan.mesh.find(which);
  if (!axis || axis->size == 1 || axis->spans <= Level::Domain)
    return;
  const std::uint64_t unit = plan.cluster.devicesIn(Level::Domain);
  const char* unitName = unit == plan.cluster.gpusPerNode ? "node" : "domain";
  bool outermost = true;
  std::vector<std::string> inner;
  for (const MeshAxis& other : which == Axis::Tensor ? plan.mesh.axes : plan.mesh.expertAxes)
    if (other.size > 1 && other.stride > axis->stride)
      outermost = false;
    else if (other.size > 1 && other.stride < axis->stride)
      inner.push_back(spelling(other.axis));
  const auto [fewest, most] = unitsSpanned(*axis, unit);
  if (most == 1)
    return;
  const std::string cause =
      axis->size > unit
          ? fmt::format("has {} ranks and a {} has {} devices", axis->size, unitName, unit)
      : inner.empty() ? fmt::format("has {} ranks, which do not divide the {} devices of a {}",
                                    axis->size, unit, unitName)
      : outermost     ? "is the outermost axis"
                      : fmt::format("is outside `{}`", llvm::join(inner, "` and `"));
  const char* group = which == Axis::Tensor ? "tensor group" : "expert tensor group";
  (void)diags
      .report<diag::TensorLeavesDomain>(rangeOf(plan.layout, which), spelling(which), cause,
                                        fewest == most ? fmt::format("each {} spans", group)
                                                       : fmt::format("some {}s span", group),
                                        plural(most, unitName))
      .help(withTensorLast(plan, which, unit, unitName));
}

/// Warns about experts that get unequal numbers of tokens, or drop them.
void adviseOnExperts(const Plan& plan, DiagnosticEngine& diags) {
  if (plan.mesh.size(Axis::Expert) < 2)
    return;
  const figures::Figures figures(plan);
  const Lint& lint = plan.lint;
  if (const auto busiest = figures.value("routing.busiest_rank"); busiest > lint.experts)
    (void)diags.report<diag::UnevenExperts>(plan.layout.rangeOf("mesh"),
                                            fmt::format("{:.3g}", *busiest), lint.experts,
                                            lint.originOf("experts"));
  if (const auto dropped = figures.value("routing.dropped"); dropped > lint.droppedTokens)
    (void)diags.report<diag::DroppedTokens>(plan.layout.rangeOf("mesh"), percent(*dropped),
                                            threshold(lint.droppedTokens),
                                            lint.originOf("dropped_tokens"));
}

/// Advice about a plan that is legal. Thresholds are the plan's lint values.
void advise(const Plan& plan, const StepResult& times, DiagnosticEngine& diags) {
  const Lint& lint = plan.lint;
  // Exposed communication is part of the time that a rank waits.
  if (times.waits > lint.communication * times.step)
    adviseOnCommunication(plan, times, diags);
  if (times.bubbleFraction > lint.bubble)
    (void)diags
        .report<diag::LargeBubble>(plan.layout.rangeOf("schedule"), percent(times.bubbleFraction),
                                   threshold(lint.bubble), lint.originOf("bubble"))
        .label(cost::stagesAndMicroBatches(plan));
  if (times.imbalance > lint.imbalance)
    (void)diags.report<diag::StageImbalance>(
        plan.layout.rangeOf("split"), fmt::format("{:.2f}", times.imbalance),
        fmt::format("{:g}", lint.imbalance), lint.originOf("imbalance"));
  adviseOnCompression(plan, times, diags);
  adviseOnLocalSteps(plan, times, diags);
  adviseOnTensor(plan, Axis::Tensor, diags);
  adviseOnTensor(plan, Axis::ExpertTensor, diags);
  adviseOnExperts(plan, diags);
  adviseOnDevices(plan, diags);
}

/// Checks that HFU is at most 100 %, in every build; a higher value is an internal error. With
/// jitter, devices may be faster than their mean.
LogicalResult checkPeak(const Plan& plan, const StepResult& times, DiagnosticEngine& diags) {
  const figures::Figures figures(plan);
  const double busy =
      figures.value("time.ideal").value_or(0) * (1 + figures.value("recomputed_share").value_or(0));
  if (times.amplification < 1 || busy <= times.step * (1 + 1e-9))
    return LogicalResult::success();
  return diags.report<diag::PlanInconsistent>(
      plan.layout.rangeOf(""), "estimate-step",
      fmt::format("a step of {:.4g} s would run at {} of the peak of the devices", times.step,
                  percent(busy / times.step)));
}

/// Computes the step time. Relies on: stage programs, and a schedule with times.
class EstimateStep final : public Pass {
public:
  llvm::StringRef name() const override { return "estimate-step"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    plan.step = cost::stepTimes(plan);
    advise(plan, *plan.step, diags);
    return checkPeak(plan, *plan.step, diags);
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createEstimateStepPass() { return std::make_unique<EstimateStep>(); }
