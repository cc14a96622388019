#pragma once
//===- AutoMesh.h - `mesh = auto`: the fastest layout of a small space ------------------------===//
#include "planner/AutoSchedule.h"
#include "planner/TrainerRefusals.h"

namespace dpl::planner {

/// The limit of actions that one search may execute; executing so many needs about 3 s.
constexpr std::uint64_t mostActionsOfSearch = 100'000'000;

/// If the layout has `mesh = auto`, writes into it the degrees and the other open fields of the
/// fastest layout that fits, as docs/internals/auto-mesh.md describes. Reports one error if none
/// fits, and a warning if the search ended before all candidates were evaluated. Layouts that the
/// program of `refusals` refuses are left out if there are others.
LogicalResult chooseMesh(ir::Plan& plan, DiagnosticEngine& diags,
                         std::uint64_t mostExecuted = mostActionsOfSearch,
                         const SupportsSchedule& runs = {}, const PlanRefusals& refusals = {});

} // namespace dpl::planner
