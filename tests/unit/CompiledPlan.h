#pragma once
//===- CompiledPlan.h - A plan from the text of its file --------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::test {

/// The one plan of a file of that name and text, completed by the passes. Without one the test
/// fails, with what was said.
ir::Plan completedPlan(const std::string& name, const std::string& text);

} // namespace dpl::test
