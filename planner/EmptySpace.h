#pragma once
//===- EmptySpace.h - Why no mesh is legal ----------------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::planner {

/// The setting of a layout without which some mesh would be legal, as a sentence for a label; a
/// general one if no single setting is the reason. Relies on: no mesh is legal.
std::string whyNoMesh(const ir::Plan& plan);

} // namespace dpl::planner
