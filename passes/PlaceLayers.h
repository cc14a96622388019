#pragma once
//===- PlaceLayers.h - Where ranks and layers lie in a plan that is not legal -----------------===//
#include "ir/Plan.h"

namespace dpl {

/// Places ranks and layers of a plan that check-layout refused, as far as its degrees and its split
/// allow it, so that a framework can say what it refuses besides. False where they do not.
bool placeLayers(ir::Plan& plan);

} // namespace dpl
