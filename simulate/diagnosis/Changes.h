#pragma once
//===- Changes.h - Layouts that differ from a plan by one change ------------------------------===//
#include "planner/AutoSchedule.h"

namespace dpl::diagnosis {

/// A layout with one change, as a complete and legal plan.
struct LayoutChange {
  std::string text; ///< the change as a line of the layout block
  ir::Plan plan;
  /// The field or block that the change sets, if it comes from planner/Neighbourhood.h.
  std::string field{};
  /// Whether the change affects what the model learns: gradients are dropped or are stale.
  bool learns = false;
};

/// The program that trains a layout. `runs` says whether it supports a schedule, `accepts` whether
/// it accepts a changed plan. A function is empty if nothing is known about the program.
struct Trainer {
  planner::SupportsSchedule runs = {};
  std::function<bool(const ir::Plan&)> accepts = {};
};
/// The trainer that is the target of the plan's framework.
Trainer trainerOf(const ir::Plan& plan);

/// All changes that the passes and the trainer accept. Relies on: a complete plan.
std::vector<LayoutChange> changesOf(const ir::Plan& plan, const Trainer& trainer);

/// For a change of a layout without a framework, the targets that accept the change. None if every
/// target that accepts the unchanged layout also accepts the change.
using AcceptingTargets = std::optional<std::vector<std::string>>;
AcceptingTargets acceptingTargets(const ir::Plan& plan, const ir::Plan& changed);
/// Such as "only megatron, torchtitan take it".
std::string acceptingTargetsText(const std::vector<std::string>& names);

/// The plan in which early data ranks are delayed by `delay` ps. None if it is not legal.
std::optional<LayoutChange> throttledBy(const ir::Plan& plan, double delay);

} // namespace dpl::diagnosis
