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

/// What trains a layout: whether it runs a schedule, and a changed plan. Empty where nothing is
/// known of it.
struct Trainer {
  planner::RunsSchedule runs = {};
  std::function<bool(const ir::Plan&)> takes = {};
};
/// What the target of the plan's framework takes.
Trainer trainerOf(const ir::Plan& plan);

/// All that the passes and the trainer accept. Relies on: a complete plan.
std::vector<Change> changesOf(const ir::Plan& plan, const Trainer& trainer);

/// The one with so long a delay of whoever is early, ps; nothing where that is not legal.
std::optional<Change> pacedBy(const ir::Plan& plan, double delay);

} // namespace dpl::diagnosis
