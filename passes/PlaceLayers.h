#pragma once
//===- PlaceLayers.h - Placement of ranks and layers for a plan that is not legal -------------===//
#include "ir/Plan.h"

namespace dpl {

/// Places ranks and layers of a plan that check-layout refused, so that a framework can report
/// further errors. False if the degrees or the split do not allow it.
bool placeLayers(ir::Plan& plan);

} // namespace dpl
