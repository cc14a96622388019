#pragma once
//===- PassRunner.h - One pass on one plan, with what it said ---------------------------------===//
#include "passes/Passes.h"
#include <string>
#include <vector>

namespace dpl::test {

/// The messages of running the passes in turn, up to the first that fails: "DPL0301 mesh uses …".
inline std::vector<std::string> runPasses(ir::Plan& plan,
                                          std::vector<std::unique_ptr<Pass> (*)()> create) {
  DiagnosticEngine diags;
  for (const auto make : create)
    if (make()->run(plan, diags).failed())
      break;
  std::vector<std::string> said;
  for (const Diagnostic& d : diags.diagnostics())
    said.push_back(std::string(d.info.code) + " " + d.message);
  return said;
}

inline std::vector<std::string> checkLayout(ir::Plan& plan) {
  return runPasses(plan, {createResolveMeshPass, createCheckLayoutPass});
}
inline std::vector<std::string> placeRanks(ir::Plan& plan) {
  return runPasses(plan, {createResolveMeshPass, createCheckLayoutPass, createPlaceRanksPass});
}

} // namespace dpl::test
