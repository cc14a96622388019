#pragma once
//===- PlanCheck.h - Checks that a plan that was read is consistent ---------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// The errors of a plan that was read. First those of ir::verify; then a schedule that hangs or
/// exceeds the layout's limit of in-flight micro-batches, chunk costs that differ from those of
/// their layers, times that differ from those of the schedule and stage programs, and memory that
/// differs from that of the schedule and costs. Empty for a sound plan.
std::vector<std::string> whatIsUnsound(const ir::Plan& plan);

} // namespace dpl::cost
