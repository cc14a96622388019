#pragma once
//===- Precompiled.h - Precompiled header with the plan ---------------------------------------===//
//
// This adds to support/Precompiled.h the one project header that nearly every source above `ir`
// includes. Sources still include what they use. A change of a header in this list recompiles
// everything.
#include "ir/Plan.h"
#include "support/Precompiled.h"
