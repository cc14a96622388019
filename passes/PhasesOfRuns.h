#pragma once
//===- PhasesOfRuns.h - Steps of phases with a batch of their own ----------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// A plan with more of them is refused before any is executed.
constexpr std::uint64_t mostActionsOfPhases = 8'000'000;

/// What executing a step for each other batch that phases of the runs have comes to, in passes of a
/// chunk; each counts as so many at least, for what a step takes besides them.
std::uint64_t actionsOfPhases(const ir::Plan& plan);

} // namespace dpl
