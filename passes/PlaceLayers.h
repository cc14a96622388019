#pragma once
//===- PlaceLayers.h - Where ranks and layers lie in a plan that is not legal -----------------===//
#include "ir/Plan.h"

namespace dpl {

/// Places ranks and layers of a plan that check-layout refused, so that a framework can report
/// further errors. False if the degrees or the split do not allow it.
bool placeLayers(ir::Plan& plan);

} // namespace dpl
