#pragma once
//===- Passes.h - Create functions of the passes of Passes.def --------------------------------===//
#include "passes/Pass.h"

namespace dpl {

#define PASS(NAME, CREATE, SUMMARY) std::unique_ptr<Pass> CREATE();
#include "passes/Passes.def"

} // namespace dpl
