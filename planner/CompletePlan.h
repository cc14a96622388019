#pragma once
//===- CompletePlan.h - A plan with its open fields chosen and all passes run -----------------===//
#include "planner/AutoSchedule.h"
#include "planner/TrainerRefusals.h"

namespace dpl::planner {

/// Chooses the open mesh, schedule, micro-batch and bucket of a plan, then runs all passes.
LogicalResult completePlan(ir::Plan& plan, DiagnosticEngine& diags, const PipelineOptions& options,
                           const SupportsSchedule& runs = {}, const PlanRefusals& refusals = {});

} // namespace dpl::planner
