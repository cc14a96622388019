#pragma once
//===- Passes.h - How each pass of Passes.def is made -----------------------------------------===//
#include "passes/Pass.h"

namespace dpl {

#define PASS(NAME, CREATE, SUMMARY) std::unique_ptr<Pass> CREATE();
#include "passes/Passes.def"

} // namespace dpl
