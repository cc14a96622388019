#pragma once
//===- PrintedPlan.h - dplc ir: commands that read a printed plan -----------------------------===//
#include "passes/Pass.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// The pass with this name; null after a report.
const PassInfo* knownPass(Session& session, const std::string& name);

/// `ir --read` and `ir --run`: reads the plan, checks it, runs the passes that `--run` names and
/// prints it.
void runOnPrinted(Session& session, const IrOptions& options);

} // namespace dpl::tool
