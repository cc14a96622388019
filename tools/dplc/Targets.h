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

/// Those of `options.targets`, "megatron" or "megatron@0.16"; fails after a report.
FailureOr<std::vector<ChosenTarget>> chooseTargets(Session& session);

/// Leaves in the plan the launch that `--launch` names, or its only one; false after a report that
/// a target needs to know which.
bool chooseLaunch(Session& session, ir::Plan& plan, const std::vector<ChosenTarget>& targets);

/// The targets that can be asked about a plan: all of them where its memory is known, frameworks
/// where its ranks and layers can be placed though a rule of the language refuses it, else none.
std::vector<ChosenTarget> askable(std::vector<ChosenTarget> targets, ir::Plan& plan);

/// Whether the target takes the plan, after reporting why not. If a rule of the language refuses
/// the plan, the target's error at a place of its message is the same mistake and is left out.
bool asks(Session& session, const TargetRequest& request);

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
