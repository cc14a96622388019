#pragma once
//===- Targets.h - Targets as the command line names them -------------------------------------===//
#include "backends/Target.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

struct ChosenTarget {
  const Target* target = nullptr;
  Release release; ///< release; any() if the command line names none
};

/// The request to one target; `all` are the targets of the command.
TargetRequest requestFor(const ChosenTarget& chosen, const ir::Plan& plan,
                         const std::vector<ChosenTarget>& all);
/// The name and release of a target: "Megatron-LM 0.19".
std::string nameOf(const TargetRequest& request);

/// The targets with these names, such as "megatron" or "megatron@0.16"; fails after a report.
FailureOr<std::vector<ChosenTarget>> chooseTargets(Session& session,
                                                   const std::vector<std::string>& names);

/// Keeps only the launch with the name `wanted`. If the name is empty, no launch is removed. False
/// after a report: there is no such launch, or the name is empty and a target must know which of
/// several to use.
bool chooseLaunch(Session& session, ir::Plan& plan, const std::vector<ChosenTarget>& targets,
                  const std::string& wanted);

/// The answer of one target about a plan.
struct TargetVerdict {
  TargetRequest request;
  bool accepted; ///< whether the target accepts the plan; false after a report
};
/// Checks a plan, after the passes, against the rules of targets: of all targets if its memory is
/// known; of frameworks only if the plan is illegal but its ranks and layers are placed; otherwise
/// of none. Errors of a target at a field that already has an error are dropped, because both are
/// the same mistake.
std::vector<TargetVerdict> askTargets(Session& session, const std::vector<ChosenTarget>& targets,
                                      ir::Plan& plan);

/// The errors of a target about a plan, as warnings: refused values, and fields without a
/// counterpart.
std::vector<Diagnostic> refusalsBy(const TargetRequest& request);
/// Reports refusalsBy the framework of the layout as warnings, unless it is one of the targets.
void warnOfFramework(DiagnosticEngine& diags, const ir::Plan& plan,
                     const std::vector<ChosenTarget>& targets);

/// Runs the passes and checks that the release of the layout exists; false after a report.
bool complete(DiagnosticEngine& diags, ir::Plan& plan, const PipelineOptions& options = {});
inline bool complete(Session& session, ir::Plan& plan, const PipelineOptions& options = {}) {
  return complete(session.diags, plan, options);
}

/// The text of `dplc emit --list`: one line per target with its releases and files.
std::string targetList();
/// The text of `dplc explain megatron.M17` or `megatron.kv-heads-by-tensor`; for `megatron` it
/// lists the rules. Empty if there is no such rule.
std::string explainRule(llvm::StringRef topic);

/// The output of `diff -u` between the files in `folder` and `files`; empty if they are equal.
/// Fails after a report, for example if there is no program `diff`.
FailureOr<std::string> differences(const std::string& folder, const std::vector<EmittedFile>& files,
                                   DiagnosticEngine& diags);

} // namespace dpl::tool
