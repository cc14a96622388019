#pragma once
//===- ChangedPlans.h - Why the framework of a plan refuses layouts of it ---------------------===//
#include "ir/Plan.h"
#include <functional>
#include <set>
#include <string>

namespace dpl {

/// The reasons for which the framework of a plan refuses other layouts of it, each with its values;
/// for a framework without a target only its recomputation. No function without a framework.
/// Layouts need no more than their groups.
std::function<std::set<std::string>(const ir::Plan&)> refusalsOf(const ir::Plan& plan);

} // namespace dpl
