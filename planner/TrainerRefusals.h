#pragma once
//===- TrainerRefusals.h - The refusals of the program that trains a plan ---------------------===//
#include "ir/Plan.h"
#include <functional>
#include <set>
#include <string>

namespace dpl::planner {

/// The reasons for which the program that trains a plan refuses it; empty if it accepts the plan.
/// The plan needs its groups; its memory does not matter.
using PlanRefusals = std::function<std::set<std::string>(const ir::Plan&)>;

/// The program that trains a plan, for a search of layouts.
struct TrainerRefusals {
  PlanRefusals refusals;         ///< empty: the program accepts every layout
  std::set<std::string> ignored; ///< reasons that apply to every layout of the space
};

} // namespace dpl::planner
