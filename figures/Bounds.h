#pragma once
//===- Bounds.h - Figures of a plan that have bounds ------------------------------------------===//
#include "ir/Plan.h"
#include <string>

namespace dpl::figures {

/// The first figure of a complete plan that violates its bound, as a text with its value; empty if
/// there is none. Parts of a step are not negative and add up to the executed step; MFU, HFU and
/// other shares are at most 1. A violated bound is a bug.
std::string brokenBound(const ir::Plan& plan);

} // namespace dpl::figures
