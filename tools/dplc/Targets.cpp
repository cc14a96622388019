//===- Targets.cpp - Targets and rules as the command line names them -------------------------===//
#include "tools/dplc/Targets.h"
#include "backends/ChangedPlans.h"
#include "passes/PlaceRanks.h"
#include "support/diagnostics/Targets.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
std::string page(const Target& target, const RuleInfo& rule) {
  std::string message = rule.message;
  for (std::size_t at = 0; (at = message.find("{}", at)) != std::string::npos;)
    message.replace(at, 2, "…");
  const auto line = [](const char* head, const std::string& text) {
    return listRow(fmt::format("  {}", head), text, 12, terminalWidth());
  };
  std::string out = fmt::format("{}.{} {}\n\n", target.name, rule.code, rule.name);
  out += fmt::format("{} {}:\n", target.product,
                     rule.refused ? "refuses the plan" : "has no counterpart");
  out += listRow("", message + ".", 2, terminalWidth()) + "\n";
  if (rule.refused) {
    out += line("strikes", fateOf(rule));
    out += line("releases", rule.releases.text());
  }
  return out + line("mend", rule.fix);
}

/// Whether the target accepts the plan. Errors at fields that already have an error are dropped.
bool accepts(Session& session, const TargetRequest& request) {
  DiagnosticEngine& diags = session.diags;
  if (!request.plan.memory.empty())
    return check(request, diags).succeeded();
  std::vector<SourceRange> refused;
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error) {
      refused.push_back(d.range);
      for (const Diagnostic& note : d.notes)
        refused.push_back(note.range);
    }
  const std::size_t mark = diags.mark();
  const bool taken = check(request, diags).succeeded();
  for (Diagnostic& d : diags.rollback(mark))
    if (llvm::none_of(refused, [&](SourceRange at) {
          return at.file == d.range.file && at.begin < d.range.end && d.range.begin < at.end;
        }))
      diags.issue(std::move(d));
  return taken;
}
} // namespace

TargetRequest tool::requestFor(const ChosenTarget& chosen, const ir::Plan& plan,
                               const std::vector<ChosenTarget>& all) {
  const Release release = chosen.release.any() ? releaseFor(*chosen.target, plan) : chosen.release;
  TargetRequest request{*chosen.target, plan, release, {}};
  for (const ChosenTarget& other : all)
    if (other.target != chosen.target)
      request.alsoEmitted.emplace_back(other.target->name);
  return request;
}

std::string tool::nameOf(const TargetRequest& request) {
  return request.target.product + (request.release.any() ? "" : " " + request.release.text());
}

std::vector<TargetVerdict>
tool::askTargets(Session& session, const std::vector<ChosenTarget>& targets, ir::Plan& plan) {
  const bool complete = !plan.memory.empty();
  std::vector<TargetVerdict> verdicts;
  if (targets.empty() || (!complete && !placeLayers(plan)))
    return verdicts;
  for (const ChosenTarget& chosen : targets) {
    if (!complete && chosen.target->role != TargetRole::Framework)
      continue;
    TargetRequest request = requestFor(chosen, plan, targets);
    const bool taken = accepts(session, request);
    session.diags.endPhase();
    verdicts.push_back({std::move(request), taken});
  }
  return verdicts;
}

std::vector<Diagnostic> tool::refusalsBy(const TargetRequest& request) {
  DiagnosticEngine found;
  (void)check(request, found);
  found.endPhase();
  std::vector<Diagnostic> out;
  for (const Diagnostic& one : found.diagnostics())
    if (one.info.severity == Severity::Error) {
      out.push_back(one);
      out.back().info.severity = Severity::Warning;
    }
  return out;
}

void tool::warnOfFramework(DiagnosticEngine& diags, const ir::Plan& plan,
                           const std::vector<ChosenTarget>& targets) {
  const Target* const target = targetNamed(plan.framework.name);
  if (!target || llvm::any_of(targets, [&](const ChosenTarget& t) { return t.target == target; }))
    return;
  for (Diagnostic& one : refusalsBy({*target, plan, releaseFor(*target, plan), {}}))
    diags.issue(std::move(one));
}

bool tool::complete(DiagnosticEngine& diags, ir::Plan& plan, const PipelineOptions& options) {
  PipelineOptions with = options;
  with.accepts = acceptsOf(plan);
  return checkRelease(plan, diags).succeeded() &&
         Workspace::complete(plan, diags, with, runsOf(plan), refusalsOf(plan)).succeeded();
}

FailureOr<std::vector<ChosenTarget>> tool::chooseTargets(Session& session,
                                                         const std::vector<std::string>& names) {
  std::vector<ChosenTarget> out;
  bool failed = false;
  for (const std::string& given : names) {
    const auto [name, wanted] = llvm::StringRef(given).split('@');
    const Target* target = targetNamed(name);
    if (!target) {
      std::vector<std::string> known;
      for (const Target* t : allTargets())
        known.emplace_back(t->name);
      (void)session.diags.report<diag::UnknownTarget>({}, name.str())
          .help(didYouMean(nearNames(name.str(), known), "the targets are " + alternatives(known)));
      failed = true;
      continue;
    }
    const std::optional<Release> release = Release::parse(wanted.str());
    const Release* found = nullptr;
    for (const Release& r : target->releases)
      if (release && r.covers(*release))
        found = &r;
    if (given.find('@') == std::string::npos) {
      out.push_back({target, {}});
    } else if (found) {
      out.push_back({target, *found});
    } else {
      const std::string known = target->releasesText();
      (void)session.diags.report<diag::UnknownRelease>({}, target->product, wanted.str(),
                                                       known.empty() ? "all of them" : known);
      failed = true;
    }
  }
  for (std::size_t i = 0; i < out.size() && !failed; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (out[i].target == out[j].target) {
        session.wrongUsage(fmt::format("target `{}` is named twice", out[i].target->name));
        failed = true;
      }
  if (failed)
    return LogicalResult::failure();
  return out;
}

bool tool::chooseLaunch(Session& session, ir::Plan& plan, const std::vector<ChosenTarget>& targets,
                        const std::string& wanted) {
  std::vector<std::string> names;
  for (const ir::Launch& launch : plan.launches)
    names.push_back(launch.name);
  if (!wanted.empty()) {
    const auto other = [&](const ir::Launch& launch) { return launch.name != wanted; };
    llvm::erase_if(plan.launches, other);
    if (!plan.launches.empty())
      return true;
    auto d = session.diags.report<diag::NoSuchLaunch>({}, plan.layout.name, wanted);
    if (names.empty())
      std::move(d).help("none starts it: a launch is `launch NAME for RUN { … }`");
    else
      std::move(d).help("it has " + alternatives(names));
    return false;
  }
  // The runs of two launches may train with different settings, which the files of frameworks
  // contain.
  const bool oneRun = llvm::all_of(plan.launches, [&](const ir::Launch& launch) {
    return launch.run == plan.launches.front().run;
  });
  const bool asked = llvm::any_of(targets, [&](const ChosenTarget& chosen) {
    return chosen.target->role == TargetRole::Launcher ||
           (chosen.target->role == TargetRole::Framework && !oneRun);
  });
  if (!asked || names.size() < 2)
    return true;
  auto d = session.diags.report<diag::LaunchNeeded>(plan.layout.rangeOf(""), plan.layout.name,
                                                    names.size());
  for (const ir::Launch& launch : plan.launches)
    std::move(d).note<diag::LaunchDeclaredHere>(launch.rangeOf("launch"), launch.name);
  std::move(d).help("choose with `--launch`: " + alternatives(names));
  return false;
}

std::string tool::targetList() {
  std::string out;
  for (const Target* target : allTargets()) {
    const std::string releases = target->releasesText();
    out += listRow(target->name, target->summary, 13, terminalWidth());
    if (!releases.empty())
      out += listRow("", fmt::format("{} {}", target->product, releases), 13, terminalWidth());
  }
  return out;
}

std::string tool::explainRule(llvm::StringRef topic) {
  const auto [name, wanted] = topic.split('.');
  const Target* target = targetNamed(name);
  if (!target)
    return "";
  std::string list;
  for (const RuleInfo& rule : target->rules) {
    if (wanted.equals_insensitive(rule.code) || wanted == rule.name)
      return page(*target, rule);
    list += fmt::format("{}.{:<5} {:<9} {}\n", target->name, rule.code,
                        rule.refused ? "refused" : "missing", rule.name);
  }
  return topic.contains('.') ? "" : list;
}
