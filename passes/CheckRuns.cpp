//===- CheckRuns.cpp - Checks that runs make progress and have plausible costs ----------------===//
#include "cost/legality/Legality.h"
#include "cost/step/HostMemory.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "ir/NodeResources.h"
#include "passes/CheckLaunchTime.h"
#include "passes/Passes.h"
#include "passes/PhasesOfRuns.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Layout.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace dpl;

std::uint64_t dpl::actionsOfPhases(const ir::Plan& plan) {
  constexpr double least = 20'000;
  std::set<std::pair<std::uint64_t, std::uint64_t>> steps;
  for (const ir::Run& run : plan.runs)
    for (const ir::RunPhase& phase : run.phases)
      if (phase.batch != plan.layout.batch || phase.period)
        steps.emplace(phase.batch, phase.period.value_or(0));
  double all = 0;
  const double ofASequence = ir::real(plan.mesh.microBatches) * ir::real(plan.placement.chunks) *
                             ir::real(plan.placement.ranks) / ir::real(plan.layout.batch);
  for (const auto& [batch, period] : steps)
    all += std::clamp(ir::real(batch) * ofASequence, least, ir::real(cost::legal::mostActions));
  return static_cast<std::uint64_t>(all);
}

namespace {
/// Checks the runs. Relies on: all figures of the plan.
class CheckRuns final : public Pass {
public:
  llvm::StringRef name() const override { return "check-runs"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    if (plan.runs.empty())
      return LogicalResult::success();
    if (tooManyActions(plan, diags).failed())
      return LogicalResult::failure();
    bool failed = stepsOfPhases(plan, diags).failed();
    degradedSteps(plan);
    const figures::Figures figures(plan);
    for (const ir::Run& run : plan.runs)
      failed |= check(plan, run, figures, diags).failed();
    if (!failed)
      checkLaunchTime(plan, figures, diags);
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  static constexpr double leastGoodput = 1e-6;

  static LogicalResult tooManyActions(const ir::Plan& plan, DiagnosticEngine& diags) {
    if (actionsOfPhases(plan) <= mostActionsOfPhases)
      return LogicalResult::success();
    const ir::Run& longest = *std::max_element(
        plan.runs.begin(), plan.runs.end(),
        [](const ir::Run& a, const ir::Run& b) { return a.phases.size() < b.phases.size(); });
    return diags
        .report<diag::PlanTooLarge>(
            plan.layout.rangeOf(
                fmt::format("run.{}.phase[{}].batch", longest.name, longest.phases.back().index)),
            "actions of the steps of all phases", mostActionsOfPhases)
        .label(fmt::format("{} of run `{}`", plural(longest.phases.size(), "phase"), longest.name))
        .help("phases with the same batch share a step");
  }

  /// Checks failures against checkpoints. With more than one failure in twice the duration of a
  /// checkpoint, no time for work remains between two failures (Young's interval is at most that
  /// duration). With many failures per interval, hardly any interval completes.
  static LogicalResult check(const ir::Plan& plan, const ir::Run& run,
                             const figures::Figures& figures, DiagnosticEngine& diags) {
    const auto of = [&](const char* column) {
      return figures.value(fmt::format("run[{}].{}", run.name, column));
    };
    if (nodesNeverLack(plan, run, diags).failed())
      return LogicalResult::failure();
    const auto write = figures.value("checkpoint.write"), between = figures.value("failures.mtbf");
    if (run.checkpoint.every > 0 && write && between && *write >= 2 * *between)
      return diags.report<diag::NoProgress>(plan.layout.rangeOf("cluster.failures"), run.name,
                                            "a checkpoint takes", duration(*write),
                                            duration(*between));
    const auto goodput = of("goodput");
    if (goodput && between && !(*goodput >= leastGoodput)) // also a goodput that is not a number
      return diags.report<diag::NoProgress>(
          plan.layout.rangeOf("cluster.failures"), run.name,
          run.checkpoint.every > 0 ? "from checkpoint to checkpoint it takes" : "its work takes",
          duration(
              of(run.checkpoint.every > 0 ? "checkpoint_interval" : "productive_time").value_or(0)),
          duration(*between));
    const bool tiers = !run.checkpoint.tiers.empty(),
               beside = tiers || run.checkpoint.mode == ir::CheckpointMode::Async;
    const auto each = of("checkpoint_interval");
    const double interval =
        each.value_or(0) * (tiers ? ir::real(run.checkpoint.tiers.front().everyStorage) : 1);
    if (beside && write && each && *write > interval)
      (void)diags.report<diag::CheckpointsOverlap>(plan.layout.rangeOf("cluster.storage"), run.name,
                                                   duration(interval), duration(*write));
    const auto staged = of("checkpoint_staging");
    if (staged)
      checkpointsInMemory(plan, run, *staged, diags);
    if (!tiers)
      adviseOnInterval(plan, run, figures, diags);
    if (goodput)
      adviseOnLoss(plan, run, *goodput, diags);
    if (const auto cost = of("cost"); cost && run.budget && *cost > *run.budget)
      (void)diags.report<diag::RunOverBudget>(
          plan.layout.rangeOf("run." + run.name + ".budget"), run.name,
          fmt::format("{} with layout `{}`", money(*cost), plan.layout.name), money(*run.budget));
    return LogicalResult::success();
  }
  static std::string percent(double share) { return fmt::format("{:g} %", 100 * share); }
  /// Warns if failures and checkpoints take a large part of the run.
  static void adviseOnLoss(const ir::Plan& plan, const ir::Run& run, double goodput,
                           DiagnosticEngine& diags) {
    if (1 - goodput <= plan.lint.runLoss)
      return;
    (void)diags.report<diag::RunLoss>(plan.layout.rangeOf("run." + run.name + ".checkpoint"),
                                      fmt::format("{:.1f} %", 100 * (1 - goodput)), run.name,
                                      percent(plan.lint.runLoss), plan.lint.originOf("run_loss"));
  }
  /// Warns if the interval is far from the best one and that costs some of the run. The optimum is
  /// flat, so that nearer intervals hardly differ.
  static void adviseOnInterval(const ir::Plan& plan, const ir::Run& run,
                               const figures::Figures& figures, DiagnosticEngine& diags) {
    const double farOff = plan.lint.checkpointInterval, leastLoss = plan.lint.checkpointLoss;
    const auto of = [&](const figures::Figures& from, const char* column) {
      return from.value(fmt::format("run[{}].{}", run.name, column));
    };
    const auto interval = of(figures, "checkpoint_interval"),
               best = of(figures, "optimal_interval"),
               steps = of(figures, "optimal_interval_steps"), time = of(figures, "time");
    if (!interval || !best || !steps || !time ||
        (*interval <= farOff * *best && *best <= farOff * *interval))
      return;
    ir::Plan other = plan;
    for (ir::Run& same : other.runs)
      if (same.name == run.name)
        same.checkpoint.every =
            std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(*steps)));
    const auto least = of(figures::Figures(other), "time");
    if (!least || *time / *least - 1 < leastLoss)
      return;
    (void)diags.report<diag::CheckpointInterval>(
        plan.layout.rangeOf("run." + run.name + ".checkpoint"), run.name, duration(*interval),
        fmt::format("{:.1f} %", 100 * (*time / *least - 1)), duration(*best), percent(leastLoss),
        plan.lint.originOf("checkpoint_loss"));
  }
  /// Warns about the node type whose host memory checkpoints and offloaded tensors exceed by the
  /// most. `staged` is the number of bytes that the checkpoints of a run need per node.
  static void checkpointsInMemory(const ir::Plan& plan, const ir::Run& run, double staged,
                                  DiagnosticEngine& diags) {
    const std::vector<cost::FullestNode> fullest =
        cost::fullestNodes(plan, cost::offloadedOf(plan));
    double least = 0, memory = 0, offloaded = 0; // `least`: free bytes, negative if exceeded
    for (std::size_t c = 0; c < plan.cluster.nodeTypes.size(); ++c) {
      const double has = ir::real(ir::hostMemoryOf(plan.cluster, plan.cluster.nodeTypes[c])),
                   needed = fullest.empty() ? 0 : ir::real(fullest[c].needed);
      if (has > 0 && has - staged - needed < least)
        least = has - staged - needed, memory = has, offloaded = needed;
    }
    if (least >= 0)
      return;
    auto found = diags.report<diag::CheckpointsInMemory>(
        plan.layout.rangeOf("run." + run.name + ".checkpoint"), run.name, bytes(staged),
        bytes(memory));
    if (offloaded > 0)
      std::move(found).label(
          fmt::format("in addition to {} of offloaded tensors", bytes(offloaded)));
  }
  /// Refuses spare nodes, or continuing with fewer nodes, if nodes are never missing.
  static LogicalResult nodesNeverLack(const ir::Plan& plan, const ir::Run& run,
                                      DiagnosticEngine& diags) {
    const auto refused = [&](const char* field, const std::string& said, const std::string& why) {
      return diags.report<diag::NodesThatNeverLack>(
          plan.layout.rangeOf(fmt::format("run.{}.{}", run.name, field)), run.name, said, why);
    };
    if (run.least > plan.cluster.nodes)
      return refused("min_nodes", fmt::format("min_nodes = {}", run.least),
                     fmt::format("but its cluster has {}", plural(plan.cluster.nodes, "node")));
    const bool away =
        !plan.cluster.failureDetails.empty() && plan.cluster.failureDetails.front().repair > 0;
    if (away || (run.spares == 0 && run.least == 0))
      return LogicalResult::success();
    const bool spares = run.spares > 0;
    return refused(spares ? "spare_nodes" : "min_nodes",
                   spares ? fmt::format("spare_nodes = {}", run.spares)
                          : fmt::format("min_nodes = {}", run.least),
                   fmt::format("but no node is ever missing: `failures` of cluster `{}` has no "
                               "`repair`",
                               plan.cluster.name));
  }
  static std::string duration(double seconds) {
    return human(seconds, *dimensionNamed("Duration"));
  }
  static std::string bytes(double count) { return human(count, *dimensionNamed("Bytes"), true); }
  static std::string money(double dollars) { return human(dollars, *dimensionNamed("Money")); }
};
} // namespace

std::unique_ptr<Pass> dpl::createCheckRunsPass() { return std::make_unique<CheckRuns>(); }
