//===- CheckRuns.cpp - What a run costs, and whether it gets anywhere
//---------------------------===//
#include "figures/Figures.h"
#include "passes/Passes.h"
#include "support/diagnostics/Cost.h"

using namespace dpl;

namespace {
/// Relies on: all figures of the plan.
class CheckRuns final : public Pass {
public:
  llvm::StringRef name() const override { return "check-runs"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    if (plan.runs.empty())
      return LogicalResult::success();
    const figures::Figures figures(plan);
    bool failed = false;
    for (const ir::Run& run : plan.runs)
      failed |= check(plan, run, figures, diags).failed();
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  static constexpr double leastGoodput = 1e-6;

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
