#pragma once
//===- Changes.h - Layouts that differ from a plan by one change ------------------------------===//
#include "planner/AutoSchedule.h"

namespace dpl::diagnosis {

/// A layout with one change, as a complete and legal plan.
struct LayoutChange {
  std::string text; ///< the change as a line of the layout block
  ir::Plan plan;
  /// The field or block of a change of the neighbourhood (planner/Neighbourhood.h).
  std::string field{};
  /// Whether training changes: gradients are dropped or computed from stale parameters.
  bool learns = false;
};

/// The program that trains a layout: whether it runs a schedule, and whether it accepts a changed
/// plan. A function is empty if nothing is known about the program.
struct Trainer {
  planner::SupportsSchedule runs = {};
  std::function<bool(const ir::Plan&)> accepts = {};
};
/// The trainer that is the target of the plan's framework.
Trainer trainerOf(const ir::Plan& plan);

/// All changes that the passes and the trainer accept. Relies on: a complete plan.
std::vector<LayoutChange> changesOf(const ir::Plan& plan, const Trainer& trainer);

/// For a change of a layout without a framework: the targets that accept the change. None if all
/// targets that accept the unchanged layout also accept the change.
using AcceptingTargets = std::optional<std::vector<std::string>>;
AcceptingTargets acceptingTargets(const ir::Plan& plan, const ir::Plan& changed);
/// "only megatron, torchtitan take it"
std::string acceptingTargetsText(const std::vector<std::string>& names);

/// The plan with this delay of early data ranks, in ps. None if it is not legal.
std::optional<LayoutChange> throttledBy(const ir::Plan& plan, double delay);

} // namespace dpl::diagnosis
