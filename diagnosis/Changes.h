#pragma once
//===- Changes.h - Layouts one change away ------------------------------------------------===//
#include "planner/AutoSchedule.h"

namespace dpl::diagnosis {

/// A layout with one change, complete and legal.
struct Change {
  std::string text; ///< as a line of the layout block
  ir::Plan plan;
  /// Data ranks wait for something else, so that gradients are lost, or of older parameters.
  bool learns = false;
};

/// All that the passes accept. Relies on: a complete plan. `runs` says whether what trains the
/// layout runs a schedule.
std::vector<Change> changesOf(const ir::Plan& plan, const planner::RunsSchedule& runs);

/// The one with so long a delay of whoever is early, ps; nothing where that is not legal.
std::optional<Change> pacedBy(const ir::Plan& plan, double delay);

} // namespace dpl::diagnosis
