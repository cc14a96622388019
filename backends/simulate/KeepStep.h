#pragma once
//===- KeepStep.h - Groups whose devices go through a pass together -----------------------===//
#include "ir/Plan.h"
#include <set>

namespace dpl::simulation {

/// Groups whose members meet in every pass whose result others wait for, and all along it: the
/// slowest of them is as good as all. Who meets in one direction alone, such as for gradients of a
/// micro-batch, or leaves much of a pass behind the last meeting, sends on without waiting for the
/// others.
std::set<std::uint64_t> groupsThatKeepStep(const ir::Plan& plan);

} // namespace dpl::simulation
