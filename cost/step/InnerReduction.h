#pragma once
//===- InnerReduction.h - Reductions of gradients inside a unit of devices --------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// ps of a step's reductions of gradients where the data ranks of each `within` reduce them among
/// themselves, one after the other. Relies on: a complete plan whose ranks are one device each and
/// compress nothing.
double innerReduction(const ir::Plan& plan, ir::Level within);

} // namespace dpl::cost
