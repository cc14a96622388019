#pragma once
//===- PlanContent.h - The content of a plan as bytes, to compare plans -----------------------===//
#include "ir/Plan.h"

namespace dpl::planner {

/// The parts of a plan that the front end fills, apart from its spaces and the fields of an
/// OpenChoice. Equal bytes mean equal plans except for these fields and for places in the file.
std::string contentOf(ir::Plan& plan);

} // namespace dpl::planner
