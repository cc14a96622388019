#pragma once
//===- ChangedPlans.h - Why a plan's framework refuses other layouts of the same model --------===//
#include "ir/Plan.h"
#include <functional>
#include <set>
#include <string>

namespace dpl {

/// Returns a function that lists the reasons for which the plan's framework refuses another layout.
/// A framework without a target is checked for recomputation only. The result is empty if the plan
/// names no framework. The layouts need their process groups, but no other pass results.
std::function<std::set<std::string>(const ir::Plan&)> refusalsOf(const ir::Plan& plan);

} // namespace dpl
