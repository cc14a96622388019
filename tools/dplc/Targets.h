#pragma once
//===- Targets.h - Targets as the command line names them -------------------------------------===//
#include "backends/Target.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

struct ChosenTarget {
  const Target* target = nullptr;
  Release release; ///< any() where the command line names none
};

/// What is asked of one of the targets that are written together.
TargetRequest requestFor(const ChosenTarget& chosen, const ir::Plan& plan,
                         const std::vector<ChosenTarget>& all);
/// "Megatron-LM 0.19".
std::string nameOf(const TargetRequest& request);

/// The targets of the names, "megatron" or "megatron@0.16"; fails after a report.
FailureOr<std::vector<ChosenTarget>> chooseTargets(Session& session,
                                                   const std::vector<std::string>& names);

/// Leaves in the plan the launch of that name, or its only one where the name is empty; false after
/// a report that a target needs to know which.
bool chooseLaunch(Session& session, ir::Plan& plan, const std::vector<ChosenTarget>& targets,
                  const std::string& wanted);

/// The answer of one target about a plan.
struct TargetVerdict {
  TargetRequest request;
  bool accepted; ///< false after a report
};
/// Asks the targets about a plan that the passes have seen: all of them where its memory is known,
/// frameworks alone where a rule of the language refuses the plan but its ranks and layers can be
/// placed, else none. An error of a target at the place of such a rule is the same mistake and is
/// left out.
std::vector<TargetVerdict> askTargets(Session& session, const std::vector<ChosenTarget>& targets,
                                      ir::Plan& plan);

/// The target's refusals of a plan, and fields that it has no counterpart for, as warnings.
std::vector<Diagnostic> refusalsBy(const TargetRequest& request);
/// The same of the framework that the layout names, unless it is one of the targets.
void warnOfFramework(Session& session, const ir::Plan& plan,
                     const std::vector<ChosenTarget>& targets);

/// The passes, and whether there is the release that the layout names; false after a report.
bool complete(Session& session, ir::Plan& plan, const PipelineOptions& options = {});

/// `dplc emit --list`: a line a target, its releases, what is written.
std::string targetList();
/// The text of `dplc explain megatron.M17` or `megatron.kv-heads-by-tensor`; of `megatron` the list
/// of its rules. Empty when there is none of this name.
std::string explainRule(llvm::StringRef topic);

/// What `diff -u` says of the files that stand in `folder` and those that would be written; empty
/// when they are the same. Fails after a report, as where there is no program `diff`.
FailureOr<std::string> differences(const std::string& folder, const std::vector<EmittedFile>& files,
                                   DiagnosticEngine& diags);

} // namespace dpl::tool
