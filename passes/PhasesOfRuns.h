#pragma once
//===- PhasesOfRuns.h - Steps of run phases with other batch sizes ----------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// The limit of actions, above which a plan is refused before its steps are executed.
constexpr std::uint64_t mostActionsOfPhases = 8'000'000;

/// The actions of a step for each other batch size of the runs' phases, in total. Each step counts
/// as a minimum number of actions, because it has other costs too.
std::uint64_t actionsOfPhases(const ir::Plan& plan);

} // namespace dpl
