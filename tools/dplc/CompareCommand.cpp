//===- CompareCommand.cpp - dplc compare: traces laid over the predicted step -----------------===//
#include "driver/compare/ComparisonText.h"
#include "support/Json.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
#include "tools/dplc/Terminal.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
void compareWith(Session& session, const CompareOptions& options, const ir::Plan& plan) {
  const llvm::ArrayRef<std::string> traces = llvm::ArrayRef(options.files).drop_front();
  std::vector<compare::Profile> profiles;
  for (const std::string& path : traces) {
    FailureOr<compare::Profile> profile = compare::readProfile(path, options.steps, session.diags);
    if (profile.failed())
      return;
    profiles.push_back(std::move(*profile));
  }
  const FailureOr<compare::Comparison> found =
      compare::compareTraces(plan, profiles, session.diags);
  if (found.failed())
    return;
  const compare::ComparisonOf of{plan.layout.name, traces};
  session.out = options.json ? textOf(compare::jsonOf(*found, of))
                             : compare::screenOf(*found, of, terminalWidth());
}
} // namespace

int tool::runCompare(Session& session, const CompareOptions& options) {
  if (options.files.size() < 2)
    return session.refuse("a .dpl file and a trace are needed, found one file",
                          "`dplc compare plan.dpl trace.json`");
  if (options.steps == 0)
    return session.refuse("--steps: at least one step is needed");
  session.withPlan([&](ir::Plan& plan, const CompiledUnit&) {
    if (complete(session, plan) || !plan.memory.empty())
      compareWith(session, options, plan);
  });
  return session.finish();
}
