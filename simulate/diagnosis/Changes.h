#pragma once
//===- Changes.h - Layouts one change away ------------------------------------------------===//
#include "planner/AutoSchedule.h"

namespace dpl::diagnosis {

/// A layout with one change, complete and legal.
struct LayoutChange {
  std::string text; ///< as a line of the layout block
  ir::Plan plan;
  /// Data ranks wait for something else, so that gradients are lost, or of older parameters.
  bool learns = false;
};

/// The program that trains a layout: whether it runs a schedule, and whether it takes a changed
/// plan. A function is empty if nothing is known of the program.
struct Trainer {
  planner::SupportsSchedule runs = {};
  std::function<bool(const ir::Plan&)> accepts = {};
};
/// The trainer that is the target of the plan's framework.
Trainer trainerOf(const ir::Plan& plan);

/// All changes that the passes and the trainer accept. Relies on: a complete plan.
std::vector<LayoutChange> changesOf(const ir::Plan& plan, const Trainer& trainer);

/// For a change of a layout without a framework: the targets that take the change, unless all
/// targets that take the unchanged layout do.
using AcceptingTargets = std::optional<std::vector<std::string>>;
AcceptingTargets acceptingTargets(const ir::Plan& plan, const ir::Plan& changed);
/// "only megatron, torchtitan take it"
std::string acceptingTargetsText(const std::vector<std::string>& names);

/// The one with so long a delay of whoever is early, ps; nothing where that is not legal.
std::optional<LayoutChange> throttledBy(const ir::Plan& plan, double delay);

} // namespace dpl::diagnosis
