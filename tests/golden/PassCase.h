#pragma once
//===- PassCase.h - `// RUN: pass NAME`: what one pass does, started from a printed plan ------===//
#include "tests/golden/Runner.h"

namespace dpl::test {

/// The pass of a case's command; empty for other commands.
std::string passOf(const Case& c);

/// Runs the pass on the printed plan that it finds. The record is the lines of the plan that the
/// pass took away and added, and a section more where it does not leave what it leaves in the whole
/// pipeline.
CaseRun runPass(const Case& c, const fs::path& folder);

} // namespace dpl::test
