#pragma once
//===- Changes.h - Layouts one change away ------------------------------------------------===//
#include "planner/AutoSchedule.h"

namespace dpl::diagnosis {

/// A layout with one change, complete and legal.
struct Change {
  std::string text; ///< as a line of the layout block
  ir::Plan plan;
};

/// All that the passes accept. Relies on: a complete plan. `runs` says whether what trains the
/// layout runs a schedule.
std::vector<Change> changesOf(const ir::Plan& plan, const planner::RunsSchedule& runs);

} // namespace dpl::diagnosis
