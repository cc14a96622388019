#pragma once
//===- PlanCheck.h - Whether a plan that was read says one thing -----------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// What is wrong with a plan that was read: what ir::verify finds; else that its order hangs or
/// holds more than the layout's limit, that its chunks have other costs than their layers give, its
/// schedule other times than the order and the bodies, or its ranks another memory than the order
/// and the costs. Empty for a sound plan.
std::vector<std::string> whatIsUnsound(const ir::Plan& plan);

} // namespace dpl::cost
