//===- FileCheck.cpp - The check of one open file ---------------------------------------------===//
#include "tools/dplc/lsp/FileCheck.h"
#include "ir/InputKey.h"
#include "passes/PhasesOfRuns.h"
#include "support/diagnostics/Layout.h"
#include "tools/dplc/CheckLimits.h"
#include "tools/dplc/Targets.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The bytes of old texts, and of what was parsed from them, that are kept for a file.
constexpr std::size_t mostOldBytes = 256'000;
/// Plans that are judged while the user waits, after one change.
constexpr unsigned mostJudgedAtOnce = 200;
} // namespace

FileCheck::FileCheck(std::string path, const FileSource& files, PlanTable& table)
    : file(std::move(path)), files(files), table(table) {}

bool FileCheck::isOutdated() const {
  return stamps && std::any_of(stamps->begin(), stamps->end(), [this](const auto& read) {
           return files.stampOf(read.first) != read.second;
         });
}

void FileCheck::run(const std::string& text) {
  compiled.reset();
  fileNames.reset();
  ofFile = DiagnosticEngine();
  checked.clear(), slow.clear(), aroundMissing.reset();
  judgedNow = 0;
  bytes += text.size();
  if (!workspace || bytes > mostOldBytes || isOutdated()) {
    bytes = text.size();
    stamps = std::make_shared<std::map<std::string, std::uint64_t>>();
    // Jobs may use the workspace after this object.
    workspace =
        std::make_shared<Workspace>([&from = files, read = stamps](const std::string& path) {
          read->emplace(path, from.stampOf(path));
          return from.textOf(path);
        });
  }
  workspace->overlay(file, text);
  compiled = workspace->compile(file, ofFile, {}, /*keepNames=*/false, /*plansOneByOne=*/true);
  if (!compiled->file.failed()) {
    while (std::optional<ir::Plan> plan = compiled->nextPlan())
      judge(std::move(*plan), false);
    for (ir::Plan& plan : compiled->file->plans)
      judge(std::move(plan), true);
    for (ir::Plan& plan : compiled->file->launched)
      if (!plan.runs.empty())
        judge(std::move(plan), true);
  }
  join();
}

FileNames& FileCheck::names() {
  if (!fileNames)
    fileNames = workspace->names(file);
  return *fileNames;
}

std::optional<double> FileCheck::figure(const std::string& layout, const std::string& path) {
  const std::vector<CheckedPlan> all = plans();
  const auto plan = std::find_if(all.begin(), all.end(), [&](const CheckedPlan& one) {
    return one.layout == layout && one.result && !one.awaited;
  });
  if (plan == all.end() || !plan->result->judged)
    return std::nullopt;
  if (const auto known = plan->result->figures.find(path); known != plan->result->figures.end())
    return known->second;
  if (!plan->result->figures.empty())
    return std::nullopt;
  // The plan was judged without keeping it.
  DiagnosticEngine ignored;
  const bool around = std::none_of(checked.begin(), checked.end(),
                                   [&](const CheckedPlan& one) { return one.layout == layout; });
  const std::unique_ptr<CompiledUnit> unit =
      around ? workspace->compileAroundMissingValues(file)
             : workspace->compile(file, ignored, {}, false, false, layout);
  if (unit->file.failed())
    return std::nullopt;
  for (std::vector<ir::Plan>* plans : {&unit->file->plans, &unit->file->launched})
    for (ir::Plan& one : *plans)
      if (one.layout.name == layout) {
        (void)complete(ignored, one, withoutAdvice());
        return one.memory.empty() ? std::nullopt : figures::Figures(one).value(path);
      }
  return std::nullopt;
}

void FileCheck::judge(ir::Plan&& plan, bool later) {
  CheckedPlan& here = checked.emplace_back();
  here.layout = plan.layout.name, here.range = plan.layout.rangeOf("");
  here.checkedLater = later;
  here.key = ir::inputKey(plan);
  here.result = table.find(here.key, plan);
  if (here.result)
    return;
  here.awaited = isSlow(plan) || judgedNow >= mostJudgedAtOnce;
  if (!here.awaited) {
    here.result = judgeNow(plan, *compiled);
    here.awaited = here.result->failed;
  }
  if (here.awaited)
    slow.push_back({here.key, std::make_shared<ir::Plan>(std::move(plan)), compiled, workspace});
  else
    table.add(here.key, here.result);
}

std::shared_ptr<const PlanResult> FileCheck::judgeNow(ir::Plan plan, const CompiledUnit& unit) {
  ++judgedNow;
  return std::make_shared<PlanResult>(resultOf(plan, unit, sources(), /*advise=*/false));
}

std::vector<CheckedPlan> FileCheck::plans() {
  if (!aroundMissing)
    judgeAroundMissingValues();
  std::vector<CheckedPlan> all = checked;
  all.insert(all.end(), aroundMissing->begin(), aroundMissing->end());
  return all;
}

void FileCheck::judgeAroundMissingValues() {
  aroundMissing.emplace();
  if (ofFile.errors() == 0)
    return;
  const std::unique_ptr<CompiledUnit> unit = workspace->compileAroundMissingValues(file);
  if (unit->file.failed())
    return;
  for (ir::Plan& plan : unit->file->plans) {
    if (std::any_of(checked.begin(), checked.end(),
                    [&](const CheckedPlan& one) { return one.layout == plan.layout.name; }))
      continue;
    CheckedPlan& here = aroundMissing->emplace_back();
    here.layout = plan.layout.name, here.range = plan.layout.rangeOf("");
    here.key = ir::inputKey(plan);
    here.result = table.find(here.key, plan);
    if (!here.result && !isSlow(plan) && judgedNow < mostJudgedAtOnce)
      here.result = judgeNow(std::move(plan), *unit);
  }
}

bool FileCheck::update() {
  const std::size_t before = slow.size();
  for (auto plan = slow.begin(); plan != slow.end();) {
    std::shared_ptr<const PlanResult> result = table.find(plan->key, *plan->plan);
    if (!result) {
      ++plan;
      continue;
    }
    for (CheckedPlan& one : checked)
      if (one.key == plan->key && one.awaited)
        one.result = result, one.awaited = false;
    plan = slow.erase(plan);
  }
  if (slow.size() == before)
    return false;
  join();
  return true;
}

/// Adds the messages of a plan as `dplc check` reports them.
void FileCheck::add(const CheckedPlan& plan, DiagnosticEngine& diags, std::uint64_t& actions,
                    RunSums& sums) {
  const PlanResult& result = *plan.result;
  for (const std::vector<Diagnostic>& phase : result.phases) {
    for (const Diagnostic& d : phase)
      diags.issue(d);
    diags.endPhase();
  }
  if (result.judged) {
    sums.add(result.shares);
    actions += result.actions;
    if (result.actionsOfRuns <= mostActionsOfPhases)
      actions += result.actionsOfRuns;
    if (actions > mostActionsOfCheck)
      (void)diags
          .report<diag::PlanTooLarge>(plan.range, "passes of all layouts", mostActionsOfCheck)
          .help("`--layout` checks one of them");
  }
  for (const Diagnostic& d : result.openPhase)
    diags.issue(d);
}

/// Joins the messages of the file and of its plans.
void FileCheck::join() {
  joined = ofFile;
  DiagnosticEngine ofPlans;
  std::uint64_t actions = 0;
  RunSums sums;
  const auto addAll = [&](bool later, DiagnosticEngine& diags) {
    for (const CheckedPlan& plan : checked)
      if (plan.checkedLater == later && plan.result && actions <= mostActionsOfCheck)
        add(plan, diags, actions, sums);
  };
  addAll(false, ofPlans);
  joined.continueWith(std::move(ofPlans));
  addAll(true, joined);
  sums.checkBudgets(joined);
  joined.endPhase();
}
