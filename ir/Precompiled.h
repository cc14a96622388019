#pragma once
//===- Precompiled.h - The plan, parsed once for all who read it ------------------------------===//
//
// What support/Precompiled.h has, and the one header of our own that nearly every source above `ir`
// includes. A source still says itself what it includes; what else goes in here is compiled again
// by everyone when it changes.
#include "ir/Plan.h"
#include "support/Precompiled.h"
