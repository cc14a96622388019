//===- CheckCommand.cpp - dplc check: legality, fit and speed on one screen -------------------===//
#include "backends/report/Report.h"
#include "passes/CheckLaunchTime.h"
#include "passes/PhasesOfRuns.h"
#include "support/Json.h"
#include "support/diagnostics/Layout.h"
#include "tools/dplc/AdviceOutput.h"
#include "tools/dplc/CheckLimits.h"
#include "tools/dplc/FigureChoice.h"
#include "tools/dplc/LayoutRanking.h"
#include "tools/dplc/RunSums.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include <set>
using namespace dpl;
using namespace dpl::tool;

namespace {
using Spaces = std::vector<ir::Space>;

/// The spaces of all searches and studies of a file, without duplicates.
Spaces spacesOf(const CompiledFile& file) {
  Spaces out;
  for (const std::vector<ir::Plan>* plans : {&file.searched, &file.plans, &file.launched})
    for (const ir::Plan& plan : *plans)
      for (const ir::Space& space : plan.spaces)
        if (llvm::none_of(out, [&](const ir::Space& known) { return known.name == space.name; }))
          out.push_back(space);
  return out;
}

std::string linesOf(const NamedBlock& block, const Spaces& spaces) {
  for (const ir::Space& space : spaces)
    if (space.name == block.name)
      return report::spaceLines(space, terminalWidth());
  return "";
}

Json namesOf(const std::vector<NamedBlock>& blocks) {
  Json names = Json::array();
  for (const NamedBlock& block : blocks)
    names.push_back(block.name);
  return names;
}

/// Checks a plan against the targets of `--target`. Returns lines for the screen and adds objects
/// for `--json`.
std::string judge(Session& session, ir::Plan& plan, const std::vector<ChosenTarget>& targets,
                  Json& verdicts) {
  std::string lines;
  for (const auto& [request, taken] : askTargets(session, targets, plan)) {
    lines += fmt::format("{} {} this plan\n", nameOf(request), taken ? "takes" : "refuses");
    verdicts.push_back({{"target", request.target.name},
                        {"release", request.release.text()},
                        {"accepted", taken}});
  }
  return lines;
}

/// The plans to check: those of the file and the imported plans that its runs train, or only the
/// plan that `--layout` names.
std::vector<ir::Plan*> checkedPlans(CompiledFile& file, ir::Plan* only, bool one) {
  if (one)
    return only ? std::vector<ir::Plan*>{only} : std::vector<ir::Plan*>();
  std::vector<ir::Plan*> all;
  for (ir::Plan& plan : file.plans)
    all.push_back(&plan);
  for (ir::Plan& plan : file.launched)
    if (!plan.runs.empty())
      all.push_back(&plan);
  return all;
}

/// Text about the change of a layout that gains most, for the last lines of its screen.
std::string adviceText(Session& session, const std::string& path, const ir::Plan& plan) {
  const planner::AdviceResult advice = adviceFor(session, path, plan, 1);
  if (advice.found.empty())
    return report::renderAdvice(plan, nullptr, advice.all, terminalWidth());
  const report::ChangedLayout best{advice.found.front().change.text, advice.found.front().plan};
  return report::renderAdvice(plan, &best, advice.all, terminalWidth());
}

/// The results of `check` for one file.
struct Checked {
  CompiledFile file;
  Spaces spaces;
  std::size_t plans = 0;
  std::uint64_t passes = 0; ///< forward and backward passes in the schedules of all plans
  Json layouts = Json::array();
  RunSums runSums;
  std::set<std::string> endEarly; ///< names of launches whose job ends before its run does
  LayoutRanking ranking{{}};
  bool compiled = false;
};

/// One line for each search, study, run and launch of the file, which have no screen of their own.
std::string remarks(const std::string& path, const Checked& checked) {
  const CompiledFile& file = checked.file;
  std::string text;
  for (const NamedBlock& search : file.searches)
    text += fmt::format("search `{}` is well formed; `dplc search` runs it\n{}", search.name,
                        linesOf(search, checked.spaces));
  for (const NamedBlock& study : file.studies)
    text += fmt::format("study `{}` is well formed; `dplc study` runs it\n{}", study.name,
                        linesOf(study, checked.spaces));
  for (const NamedBlock& run : file.runs)
    text += fmt::format("run `{}` is well formed\n{}", run.name,
                        checked.runSums.line(run.name, terminalWidth()));
  for (const NamedBlock& launch : file.launches)
    text += fmt::format("launch `{}` {}\n", launch.name,
                        checked.endEarly.count(launch.name) ? "ends before its run does"
                                                            : "is well formed");
  if (checked.plans == 0 && text.empty())
    text = fmt::format("{}: {}, no layout to check\n", path, plural(file.blocks, "block"));
  return text;
}

/// Adds a plan to the ranking, with its first error if it has one.
void rank(const ir::Plan& plan, llvm::ArrayRef<Diagnostic> messages, bool good,
          LayoutRanking& ranking) {
  const auto error = llvm::find_if(
      messages, [](const Diagnostic& one) { return one.info.severity == Severity::Error; });
  if (good && error == messages.end())
    ranking.add(plan);
  else if (error != messages.end())
    ranking.addRefused(plan, error->info);
}

struct CheckRequest {
  const CheckOptions& options;
  std::vector<ChosenTarget> targets;
  unsigned& advised; ///< number of layouts of all files that have got advice
};

/// The limit of layouts with advice in one command: advice compiles the file again.
constexpr unsigned mostAdvised = 8;

/// Whether a layout gets advice: a complete one of the file, up to the limits.
bool isAdvised(const CheckRequest& request, const std::string& path, const ir::Plan& plan) {
  const bool wanted = request.options.json ? request.options.advice : !request.options.noAdvice;
  return wanted && request.options.figures.empty() && !path.empty() && !plan.memory.empty() &&
         plan.model.layerTypes.size() <= mostLayerTypesOfAdvice && request.advised++ < mostAdvised;
}

/// Checks one plan and adds its screen or JSON. `path` is the path of the plan's file; empty for an
/// imported layout.
void checkPlan(Session& session, const CompiledUnit& unit, const std::string& path, ir::Plan& plan,
               const CheckRequest& request, Checked& out) {
  const CheckOptions& options = request.options;
  const std::vector<ChosenTarget>& targets = request.targets;
  if (out.passes > mostActionsOfCheck)
    return;
  ++out.plans;
  const unsigned warnings = session.diags.warnings();
  if (!chooseLaunch(session, plan, targets, options.launch))
    return;
  // A plan that does not fit or breaks an assertion is predicted too, so that its time, and how far
  // it is from fitting, are known. Targets are asked about every plan, so that the user learns of
  // all errors at once.
  const std::size_t messages = session.diags.diagnostics().size();
  const bool good = complete(session, plan);
  if (options.rank)
    rank(plan, session.diags.diagnostics().drop_front(messages), good, out.ranking);
  Json verdicts = Json::array();
  if (!good && plan.memory.empty()) {
    (void)judge(session, plan, targets, verdicts);
    return;
  }
  out.runSums.add(plan);
  if (!plan.launches.empty()) {
    const figures::Figures figures(plan);
    for (const ir::Launch& launch : plan.launches)
      if (earlyEndOf(plan, launch, figures))
        out.endEarly.insert(launch.name);
  }
  for (const ir::RankSchedule& rank : plan.schedule)
    out.passes += rank.actions.size();
  if (const std::uint64_t passes = actionsOfPhases(plan); passes <= mostActionsOfPhases)
    out.passes += passes;
  if (out.passes > mostActionsOfCheck)
    (void)session.diags
        .report<diag::PlanTooLarge>(plan.layout.rangeOf(""), "passes of all layouts",
                                    mostActionsOfCheck)
        .help("`--layout` checks one of them");
  warnOfFramework(session.diags, plan, targets);
  const std::string lines = judge(session, plan, targets, verdicts);
  if (options.rank && !options.json)
    return;
  if (options.json) {
    out.layouts.push_back(options.figures.empty()
                              ? report::reportJson(plan, session.whereSet(plan, unit))
                              : report::chosenFiguresJson(plan, options.figures));
    if (!targets.empty())
      out.layouts.back()["targets"] = std::move(verdicts);
    if (isAdvised(request, path, plan))
      out.layouts.back()["advice"] = adviceJson(plan, adviceFor(session, path, plan, shownChanges));
  } else if (options.diagnostics ==
             DiagnosticFormat::Text) { // other formats do not print the screen
    session.out +=
        (session.out.empty() ? "" : "\n") +
        (options.figures.empty()
             ? report::renderCheck(plan, terminalWidth(), session.diags.warnings() - warnings)
             : report::chosenFigures(plan, options.figures, terminalWidth())) +
        lines;
    if (isAdvised(request, path, plan))
      session.out += adviceText(session, path, plan);
  }
}

/// Checks the layouts of a file. If the file has errors, the layouts without errors are checked.
Checked checkFile(Session& session, const std::string& path, const CheckRequest& request) {
  const CheckOptions& options = request.options;
  Checked out;
  out.ranking = LayoutRanking(options.figures);
  // Messages about the file are printed before those about plans; while the file compiles, both are
  // reported in turns.
  DiagnosticEngine ofPlans = session.diags;
  const std::unique_ptr<CompiledUnit> unit = session.compile(path, false, options.layout.empty());
  if (unit->file.failed())
    return out;
  while (std::optional<ir::Plan> plan = unit->nextPlan()) {
    std::swap(session.diags, ofPlans);
    checkPlan(session, *unit, path, *plan, request, out);
    std::swap(session.diags, ofPlans);
  }
  out.compiled = session.diags.errors() == 0;
  session.diags.continueWith(std::move(ofPlans));
  out.file = std::move(*unit->file);
  out.spaces = spacesOf(out.file);
  const bool one = !options.layout.empty();
  // If the file has errors, these may be why the layout is missing, so a missing layout is not
  // reported.
  ir::Plan* only = !one           ? nullptr
                   : out.compiled ? session.choose(out.file, path)
                                  : session.meant(out.file);
  for (ir::Plan* plan : checkedPlans(out.file, only, one)) {
    // The plan is freed at once, because a file can have thousands.
    const auto drop = llvm::make_scope_exit([&] { *plan = {}; });
    const bool imported =
        llvm::any_of(out.file.launched, [&](const ir::Plan& other) { return &other == plan; });
    checkPlan(session, *unit, imported ? "" : path, *plan, request, out);
  }
  if (options.layout.empty())
    out.runSums.checkBudgets(session.diags);
  if (options.rank && !options.json && !out.ranking.empty())
    session.out += report::searchText(out.ranking.table(Session::nameOf(path)), terminalWidth());
  if (out.compiled && options.layout.empty() && !options.json && !options.rank)
    if (const std::string text = remarks(Session::nameOf(path), out); !text.empty())
      session.out += (session.out.empty() ? "" : "\n") + text;
  return out;
}

/// The `--json` object for one file, with its diagnostics.
Json documentOf(Session& session, const std::string& path, Checked checked, bool ranks) {
  const bool ok = checked.compiled && session.diags.errors() == 0;
  Json spaces = Json::array();
  for (const ir::Space& space : checked.spaces)
    spaces.push_back(report::spaceJson(space));
  Json out = {{"schema", "dplc.check.1"},
              {"file", validUtf8(path)},
              {"ok", ok},
              {"layouts", std::move(checked.layouts)},
              {"searches", namesOf(checked.file.searches)},
              {"runs", namesOf(checked.file.runs)},
              {"run_totals", checked.runSums.json()},
              {"studies", namesOf(checked.file.studies)},
              {"launches", namesOf(checked.file.launches)},
              {"spaces", std::move(spaces)},
              {"diagnostics", session.releaseDiagnosticsAsJson()}};
  if (ranks)
    out["ranking"] = report::searchJson(checked.ranking.table(path))["layouts"];
  return out;
}
} // namespace

int tool::runCheck(Session& session, const CheckOptions& options) {
  session.diagnosticsInOutput = true;
  const FailureOr<std::vector<ChosenTarget>> targets = chooseTargets(session, options.targets);
  const bool ready = session.diags.errors() == 0 && !targets.failed() &&
                     knowsFigures(session, options.figures) && session.prepare();
  Json documents = Json::array();
  unsigned advised = 0;
  const std::vector<std::string> none{""};
  for (const std::string& path : options.files.empty() ? none : options.files) {
    Checked checked;
    if (ready) {
      session.beginFile();
      checked = checkFile(session, path, {options, *targets, advised});
    }
    if (options.json)
      documents.push_back(documentOf(session, path, std::move(checked), options.rank));
    if (!ready)
      break;
  }
  session.endFiles();
  if (options.json)
    session.out = textOf(documents.size() == 1 ? documents.front() : documents);
  return session.finish();
}
