//===- Trial.cpp - What the passes say of one point, without words ----------------------------===//
#include "planner/Trial.h"
#include "cost/Legality.h"
#include "cost/memory/RankMemory.h"
#include "passes/Passes.h"
#include "planner/MeshSpace.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::planner;
using cost::Point;

namespace {
using Create = std::unique_ptr<Pass> (*)();

bool run(llvm::ArrayRef<Create> passes, ir::Plan& plan, DiagnosticEngine& diags) {
  return std::all_of(passes.begin(), passes.end(),
                     [&](Create create) { return create()->run(plan, diags).succeeded(); });
}

std::string firstError(const DiagnosticEngine& diags) {
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      return d.message;
  return "";
}
} // namespace

Trial::Trial(const ir::Plan& from) : plan(from), experts(cost::hasExperts(from.model)) {}

bool Trial::place(const Point& point) {
  writePoint(point, plan.layout, experts);
  plan.mesh = {};
  DiagnosticEngine silent;
  return run({createResolveMeshPass, createPlaceRanksPass, createPartitionLayersPass}, plan,
             silent);
}

llvm::ArrayRef<ir::Chunk> Trial::split(const Point& point) {
  plan.chunks.clear();
  (void)place(point);
  return plan.chunks;
}

Trial::Verdict Trial::judge(const Point& point) {
  Verdict verdict;
  DiagnosticEngine silent;
  if (!place(point) || !run({createBuildGroupsPass, createEstimateComputePass,
                             createLowerCollectivesPass, createSchedulePipelinePass},
                            plan, silent))
    return verdict;
  verdict.runs = true;
  for (const ir::RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.operations.size(); ++i)
      verdict.time = std::max(verdict.time, rank.endOf(i));
  plan.memory = cost::memoryOf(plan);
  for (const ir::RankMemory& rank : plan.memory)
    verdict.memory = std::max(verdict.memory,
                              static_cast<double>(rank.peak()) / static_cast<double>(rank.usable));
  return verdict;
}

bool Trial::asserts(std::string& said) {
  if (plan.assertions.empty())
    return true;
  DiagnosticEngine silent;
  if (run({createEstimateStepPass, createCheckAssertsPass}, plan, silent))
    return true;
  said = firstError(silent);
  return false;
}

std::string Trial::errorOf(const Point& point) {
  DiagnosticEngine silent;
  writePoint(point, plan.layout, experts);
  (void)runPipeline(plan, silent, {});
  return firstError(silent);
}
