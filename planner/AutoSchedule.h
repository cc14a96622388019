#pragma once
//===- AutoSchedule.h - `schedule = auto`: the fastest row that fits ------------------------===//
#include "passes/Pass.h"

namespace dpl::planner {

/// Whether what trains the layout runs its schedule; empty where nothing is known of it.
using SupportsSchedule = std::function<bool(const ir::Layout&)>;

/// Every row of Schedules.def with the chunks and limits of docs/reference/schedule.md, for so many
/// pipeline ranks and micro-batches, legal or not.
std::vector<ir::ScheduleCandidate> scheduleSpace(std::uint64_t ranks, std::uint64_t microBatches);

/// Whether an open schedule is searched for this number of pipeline ranks and micro-batches. On one
/// rank all schedules are the same, and for the longest steps the search would execute too much.
bool searchesSchedule(std::uint64_t ranks, std::uint64_t microBatches);

/// Where the layout says `schedule = auto`, writes the fastest schedule that fits into it, and into
/// the plan what was weighed. One error if none fits.
LogicalResult chooseSchedule(ir::Plan& plan, DiagnosticEngine& diags, const SupportsSchedule& runs);

} // namespace dpl::planner
