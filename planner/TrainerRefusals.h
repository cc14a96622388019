#pragma once
//===- TrainerRefusals.h - The program that trains a plan, as a search asks it
//-----------------===//
#include "ir/Plan.h"
#include <functional>
#include <set>
#include <string>

namespace dpl::planner {

/// The reasons for which the program that trains a plan refuses it; empty if it takes the plan. The
/// plan has its groups, and whether it fits does not matter.
using PlanRefusals = std::function<std::set<std::string>(const ir::Plan&)>;

/// The program that trains a plan, as a search asks it about layouts.
struct TrainerRefusals {
  PlanRefusals refusals;         ///< no function: every layout is taken
  std::set<std::string> ignored; ///< reasons that no layout of the space avoids
};

} // namespace dpl::planner
