#pragma once
//===- Bounds.h - Figures of a plan that have bounds ------------------------------------------===//
#include "ir/Plan.h"
#include <string>

namespace dpl::figures {

/// The first figure of a complete plan that breaks its bound, with its value; empty where none
/// does. Parts of a step are not negative and add up to the executed step, and MFU, HFU and other
/// shares are at most 1. Each broken bound is a mistake of ours.
std::string brokenBound(const ir::Plan& plan);

} // namespace dpl::figures
