//===- CompletePlan.cpp - A plan with its open fields chosen and all passes run ---------------===//
#include "planner/CompletePlan.h"
#include "passes/Passes.h"
#include "planner/AutoBucket.h"
#include "planner/AutoMesh.h"
#include "planner/AutoMicroBatch.h"

using namespace dpl;

LogicalResult dpl::planner::completePlan(ir::Plan& plan, DiagnosticEngine& diags,
                                         const PipelineOptions& options,
                                         const SupportsSchedule& runs,
                                         const PlanRefusals& refusals) {
  // If mesh and schedule are both open, the mesh is chosen with its best schedule among few numbers
  // of chunks. The schedule is then chosen again among more of them.
  if (chooseMesh(plan, diags, mostActionsOfSearch, runs, refusals).failed() ||
      chooseSchedule(plan, diags, runs).failed())
    return LogicalResult::failure();
  chooseMicroBatch(plan);
  chooseBucket(plan);
  return runPipeline(plan, diags, options);
}
