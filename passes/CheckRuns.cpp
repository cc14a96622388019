//===- CheckRuns.cpp - What a run costs, and whether it gets anywhere
//---------------------------===//
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "support/diagnostics/Cost.h"
#include <map>

using namespace dpl;

namespace {
/// Relies on: all figures of the plan.
class CheckRuns final : public Pass {
public:
  llvm::StringRef name() const override { return "check-runs"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    if (plan.runs.empty())
      return LogicalResult::success();
    stepsOfOtherBatches(plan);
    const figures::Figures figures(plan);
    bool failed = false;
    for (const ir::Run& run : plan.runs)
      failed |= check(plan, run, figures, diags).failed();
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  static constexpr double leastGoodput = 1e-6;

  /// A phase may have another batch than the layout: its step is that of the same plan with it.
  static void stepsOfOtherBatches(ir::Plan& plan) {
    std::map<std::uint64_t, std::uint64_t> known;
    for (ir::Run& run : plan.runs)
      for (ir::RunPhase& phase : run.phases)
        if (phase.batch != plan.layout.batch)
          phase.step = known.try_emplace(phase.batch, 0).second
                           ? known[phase.batch] = stepOf(plan, phase.batch)
                           : known[phase.batch];
  }
  /// 0 where that plan is not legal, or does not fit.
  static std::uint64_t stepOf(ir::Plan other, std::uint64_t batch) {
    other.layout.batch = batch;
    other.runs.clear(), other.assertions.clear(), other.spaces.clear();
    DiagnosticEngine silent;
    if (runPipeline(other, silent, {}).failed())
      return 0;
    return ir::toPicoseconds(figures::Figures(other).value("step_time").value_or(0));
  }

  /// More than one failure in twice the time that a checkpoint takes leaves no time for work
  /// between two (Young's interval is no longer than the writing), and hardly an interval is ever
  /// whole where many failures fall into one.
  static LogicalResult check(const ir::Plan& plan, const ir::Run& run,
                             const figures::Figures& figures, DiagnosticEngine& diags) {
    const auto of = [&](const char* column) {
      return figures.value(fmt::format("run[{}].{}", run.name, column));
    };
    const auto write = figures.value("checkpoint.write"),
               between = figures.value("failures.between");
    if (run.checkpoint.every > 0 && write && between && *write >= 2 * *between)
      return diags.report<diag::NoProgress>(plan.layout.rangeOf("cluster.failures"), run.name,
                                            "a checkpoint takes", duration(*write),
                                            duration(*between));
    const auto goodput = of("goodput");
    if (goodput && between && *goodput < leastGoodput)
      return diags.report<diag::NoProgress>(
          plan.layout.rangeOf("cluster.failures"), run.name,
          run.checkpoint.every > 0 ? "from checkpoint to checkpoint it takes" : "its work takes",
          duration(of(run.checkpoint.every > 0 ? "interval" : "work").value_or(0)),
          duration(*between));
    const bool beside = run.checkpoint.mode == ir::CheckpointMode::Async;
    if (const auto interval = of("interval"); beside && write && interval && *write > *interval)
      (void)diags.report<diag::CheckpointsOverlap>(plan.layout.rangeOf("cluster.storage"), run.name,
                                                   duration(*interval), duration(*write));
    if (const auto cost = of("cost"); cost && run.budget > 0 && *cost > run.budget)
      (void)diags.report<diag::RunOverBudget>(plan.layout.rangeOf("run." + run.name + ".budget"),
                                              run.name, money(*cost), money(run.budget));
    return LogicalResult::success();
  }
  static std::string duration(double seconds) {
    return human(seconds, *dimensionNamed("Duration"));
  }
  static std::string money(double dollars) { return human(dollars, *dimensionNamed("Money")); }
};
} // namespace

std::unique_ptr<Pass> dpl::createCheckRunsPass() { return std::make_unique<CheckRuns>(); }
