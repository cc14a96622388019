#pragma once
//===- AutoSchedule.h - `schedule = auto`: the fastest schedule that fits ---------------------===//
#include "passes/Pass.h"

namespace dpl::planner {

/// Whether the program that trains the layout runs the schedule of the layout; empty if no program
/// is known.
using SupportsSchedule = std::function<bool(const ir::Layout&)>;

/// All rows of Schedules.def with the chunks and limits of docs/reference/schedule.md, for this
/// number of pipeline ranks and micro-batches, legal or not.
std::vector<ir::ScheduleCandidate> scheduleSpace(std::uint64_t ranks, std::uint64_t microBatches);

/// Whether an open schedule is searched for this number of pipeline ranks and micro-batches. On one
/// rank all schedules are the same, and for the longest steps the search would execute too much.
bool searchesSchedule(std::uint64_t ranks, std::uint64_t microBatches);

/// If the layout has `schedule = auto`, sets the fastest schedule that fits, and stores the
/// candidates in the plan. Reports one error if none fits.
LogicalResult chooseSchedule(ir::Plan& plan, DiagnosticEngine& diags, const SupportsSchedule& runs);

} // namespace dpl::planner
