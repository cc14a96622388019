//===- Rules.cpp - Reports violations of a target's rules -------------------------------------===//
#include "backends/Rules.h"
#include "backends/Target.h"
#include "support/diagnostics/Targets.h"
using namespace dpl;

namespace {
const char* whileIt(StartupPhase stage) {
  switch (stage) {
  case StartupPhase::Parse:
    return "parses its arguments";
  case StartupPhase::Validate:
    return "validates its arguments";
  case StartupPhase::Configure:
    return "makes its configuration";
  case StartupPhase::Group:
    return "makes its process groups";
  case StartupPhase::Build:
    return "builds the model";
  case StartupPhase::Run:
    return "runs the first step";
  case StartupPhase::Submit:
    return "accepts the job";
  }
  return "";
}

/// The blocks that the user must also write if the plan has no launch block: a launch, and a run if
/// the file has none. For example "write `run … { … }` and `launch … { … }`; ".
std::string launchToWrite(const ir::Plan& plan, llvm::StringRef fix) {
  constexpr llvm::StringLiteral begin = "`launch job for RUN ";
  const std::size_t at = fix.find(begin);
  if (plan.launch() || at == llvm::StringRef::npos)
    return "";
  const llvm::StringRef fields =
      fix.drop_front(at + begin.size()).take_until([](char c) { return c == '`'; });
  const std::string run = plan.runs.empty() ? "train" : plan.runs.front().name;
  return fmt::format("write {}`launch job for {} {}`; ",
                     plan.runs.empty()
                         ? fmt::format("`run {} for {} {{ phase[0] {{ steps = 1000step }} }}` and ",
                                       run, plan.layout.name)
                         : "",
                     run, fields);
}
} // namespace

std::string dpl::fateOf(const RuleInfo& info) {
  return fmt::format("{} when it {}", info.errorClass, whileIt(info.phase));
}

SourceRange Findings::rangeOf(const std::string& path) const {
  const ir::Launch* launch = request.plan.launch();
  const bool ofLaunch = launch && (path.rfind("launch", 0) == 0 || path.rfind("run.", 0) == 0);
  return ofLaunch ? launch->rangeOf(path) : request.plan.layout.rangeOf(path);
}

void Findings::issue(const RuleInfo& info, const std::string& path, const std::string& message) {
  found = true;
  const SourceRange at = rangeOf(path);
  const Target& target = request.target;
  const std::string rule = fmt::format("{}.{}", target.name, info.code);
  const std::string help = fmt::format("{}`dplc explain {}` says how to repair it",
                                       launchToWrite(request.plan, info.fix), rule);
  if (!info.refused)
    diags.report<diag::TargetHasNoCounterpart>(at, target.product, message)
        .note<diag::TargetLacks>({}, rule, info.name)
        .help(help);
  else
    diags.report<diag::TargetRefuses>(at, target.product, message)
        .note<diag::TargetRule>({}, rule, info.name, fateOf(info), target.product,
                                info.releases.text())
        .help(help);
}
