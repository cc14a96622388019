#pragma once
//===- PhasesOfRuns.h - Steps of runs that differ from that of the layout ---------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// The limit of actions above which a plan is refused before the steps of its phases are executed.
constexpr std::uint64_t mostActionsOfPhases = 8'000'000;

/// The number of actions of one step for each other batch size in the phases of runs, in total.
/// Each step counts as a minimum number of actions, because it has other costs too.
std::uint64_t actionsOfPhases(const ir::Plan& plan);

/// Computes the steps of phases with a batch or a period of their own, by the same plan with these.
/// Fails for a batch with which the plan is illegal or does not fit.
LogicalResult stepsOfPhases(ir::Plan& plan, DiagnosticEngine& diags);
/// Computes the steps while nodes of the cluster are degraded.
void degradedSteps(ir::Plan& plan);

} // namespace dpl
