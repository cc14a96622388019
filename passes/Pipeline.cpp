//===- Pipeline.cpp - Runs the passes in order ------------------------------------------------===//
#include "cost/step/StepTimes.h"
#include "figures/Bounds.h"
#include "passes/Passes.h"
#include "support/diagnostics/Plan.h"
#include <chrono>
#include <fmt/format.h>

using namespace dpl;

llvm::ArrayRef<PassInfo> dpl::allPasses() {
  static constexpr PassInfo passes[] = {
#define PASS(NAME, CREATE, SUMMARY) {NAME, SUMMARY, CREATE},
#include "passes/Passes.def"
  };
  return passes;
}

namespace {

/// Removes the results of passes, so that a plan can be processed again.
void forget(ir::Plan& plan) {
  plan.mesh = {};
  plan.groups.clear();
  plan.placement = {};
  plan.splitChoice.clear();
  plan.chunks.clear();
  plan.costs.clear();
  plan.collectives.clear();
  plan.stagePrograms.clear();
  plan.chunkPrograms.clear();
  plan.schedule.clear();
  plan.steady.clear();
  plan.memory.clear();
  plan.degraded.clear();
  plan.step.reset();
}

/// Adds the step time of a plan that does not fit: it is predicted as well.
void addStep(ir::Plan& plan) {
  if (!plan.step && !plan.memory.empty())
    plan.step = cost::stepTimes(plan);
}

/// Checks the rules of a plan after a pass. A violated rule is an internal error, not an error of
/// the file.
LogicalResult checkPlan(const ir::Plan& plan, llvm::StringRef pass, DiagnosticEngine& diags) {
  std::vector<std::string> broken = ir::verify(plan);
  if (pass == "estimate-step")
    if (std::string figure = figures::brokenBound(plan); !figure.empty())
      broken.push_back(std::move(figure));
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
    const std::unique_ptr<Pass> pass = passes[i].create();
    pass->configure(options);
    const bool failed = pass->run(plan, diags).failed();
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    diags.endPhase();
    if (options.after)
      options.after(passes[i].name, seconds.count(), plan);
    if (failed)
      addStep(plan);
    if (failed || (options.verify && checkPlan(plan, passes[i].name, diags).failed()))
      return i;
  }
  return passes.size();
}

/// A result of a pass that every plan has for later passes.
struct PassOutput {
  llvm::StringLiteral pass;
  bool (*isIn)(const ir::Plan&);
};
constexpr PassOutput passOutputs[] = {
    {"resolve-mesh", [](const ir::Plan& p) { return !p.mesh.axes.empty(); }},
    {"place-ranks", [](const ir::Plan& p) { return !p.mesh.rankNodeTypes.empty(); }},
    {"partition-layers", [](const ir::Plan& p) { return !p.chunks.empty(); }},
    {"build-groups", [](const ir::Plan& p) { return !p.groups.empty(); }},
    {"estimate-compute", [](const ir::Plan& p) { return !p.costs.empty(); }},
    {"lower-collectives", [](const ir::Plan& p) { return !p.chunkPrograms.empty(); }},
    {"schedule-pipeline", [](const ir::Plan& p) { return !p.schedule.empty(); }},
    {"check-memory", [](const ir::Plan& p) { return !p.memory.empty(); }},
};

/// Checks that the plan has the results of all earlier passes. Before resolve-mesh it must not have
/// results that depend on a mesh.
LogicalResult hasWhatItNeeds(const ir::Plan& plan, llvm::StringRef pass, DiagnosticEngine& diags) {
  if (pass == "resolve-mesh" && !plan.mesh.rankNodeTypes.empty())
    return diags
        .report<diag::PlanInconsistent>(
            plan.layout.rangeOf(""), "reading it",
            fmt::format("`{}` begins the mesh anew, which has what `place-ranks` leaves", pass))
        .help(fmt::format("`dplc ir --dump-before={}` prints a plan that it can run on", pass));
  for (const PassInfo& before : allPasses()) {
    if (pass == before.name)
      break;
    for (const PassOutput& left : passOutputs)
      if (left.pass == before.name && !left.isIn(plan))
        return diags.report<diag::PlanInconsistent>(
            plan.layout.rangeOf(""), "reading it",
            fmt::format("`{}` needs what `{}` leaves", pass, left.pass));
  }
  return LogicalResult::success();
}

} // namespace

LogicalResult dpl::runPass(ir::Plan& plan, DiagnosticEngine& diags, const PassInfo& pass) {
  if (hasWhatItNeeds(plan, pass.name, diags).failed()) {
    diags.endPhase();
    return LogicalResult::failure();
  }
  plan.step.reset();
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
