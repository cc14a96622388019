//===- Pipeline.cpp - Runs the passes in order ------------------------------------------------===//
#include "passes/Passes.h"
#include "support/diagnostics/Plan.h"
#include <chrono>

using namespace dpl;

llvm::ArrayRef<PassInfo> dpl::allPasses() {
  static constexpr PassInfo passes[] = {
#define PASS(NAME, CREATE, SUMMARY) {NAME, SUMMARY, CREATE},
#include "passes/Passes.def"
  };
  return passes;
}

namespace {

/// Forgets what passes filled, so that a plan may be run again.
void forget(ir::Plan& plan) {
  plan.mesh = {};
  plan.groups.clear();
  plan.placement = {};
  plan.splitChoice.clear();
  plan.chunks.clear();
  plan.costs.clear();
  plan.collectives.clear();
  plan.bodies.clear();
  plan.programs.clear();
  plan.schedule.clear();
  plan.steady.clear();
  plan.memory.clear();
}

/// A broken rule after a pass is a mistake of ours, never of the file.
LogicalResult checkPlan(const ir::Plan& plan, llvm::StringRef pass, DiagnosticEngine& diags) {
  const std::vector<std::string> broken = ir::verify(plan);
  for (const std::string& rule : broken)
    diags.report<diag::PlanInconsistent>(plan.layout.rangeOf(""), pass, rule);
  return broken.empty() ? LogicalResult::success() : LogicalResult::failure();
}

/// Returns the index of the pass that failed, or the number of passes.
std::size_t runPasses(ir::Plan& plan, DiagnosticEngine& diags, const PipelineOptions& options) {
  using Clock = std::chrono::steady_clock;
  forget(plan);
  const llvm::ArrayRef<PassInfo> passes = allPasses();
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (options.before)
      options.before(passes[i].name, plan);
    const Clock::time_point begin = Clock::now();
    const bool failed = passes[i].create()->run(plan, diags).failed();
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    diags.endPhase();
    if (options.after)
      options.after(passes[i].name, seconds.count(), plan);
    if (failed || (options.verify && checkPlan(plan, passes[i].name, diags).failed()))
      return i;
  }
  return passes.size();
}

} // namespace

LogicalResult dpl::runPass(ir::Plan& plan, DiagnosticEngine& diags, const PassInfo& pass) {
  const bool failed = pass.create()->run(plan, diags).failed();
  diags.endPhase();
  return failed ? LogicalResult::failure() : checkPlan(plan, pass.name, diags);
}

LogicalResult dpl::runThrough(ir::Plan& plan, DiagnosticEngine& diags, llvm::StringRef last) {
  forget(plan);
  for (const PassInfo& pass : allPasses()) {
    if (pass.create()->run(plan, diags).failed())
      return LogicalResult::failure();
    if (last == pass.name)
      break;
  }
  return LogicalResult::success();
}

LogicalResult dpl::runPipeline(ir::Plan& plan, DiagnosticEngine& diags,
                               const PipelineOptions& options) {
  return runPasses(plan, diags, options) == allPasses().size() ? LogicalResult::success()
                                                               : LogicalResult::failure();
}
