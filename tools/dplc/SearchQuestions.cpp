//===- SearchQuestions.cpp - Why not this layout, and which layouts are near it ---------------===//
#include "tools/dplc/SearchQuestions.h"
#include "backends/KeptCheckpoint.h"
#include "backends/report/Format.h"
#include "backends/report/StepComponents.h"
#include "driver/search/LayoutAdvice.h"
#include "driver/search/WhyNot.h"
#include "planner/search/DefaultSpace.h"
#include "support/Json.h"
#include "support/Text.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/AdviceOutput.h"
#include "tools/dplc/ComparedPlans.h"
#include "tools/dplc/NodeQuestions.h"
#include "tools/dplc/Targets.h"
#include <cmath>
#include <map>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// A comparison of two steps: "a step takes 8.2s, that of the best 7.425s, 9.5% less".
std::string stepsText(double step, double best) {
  return fmt::format("a step takes {}, that of the best {}, {} {}", report::duration(step),
                     report::duration(best), report::percent(std::abs(1 - best / step)),
                     best <= step ? "less" : "more");
}

// ---- --why-not ----

/// A component of the step that takes a layout more time than the best one.
struct SlowerBy {
  std::string reason;
  double seconds = 0;
};

/// The components in which a layout loses most time to the best layout, the largest first.
std::vector<SlowerBy> slowerBy(const ir::Plan& plan, const ir::Plan& best) {
  const figures::Figures figures(plan), ofBest(best);
  const std::vector<report::StepLoss> least = report::losses(best, ofBest);
  const double step = stepTimeOf(plan);
  std::vector<SlowerBy> out;
  for (const report::StepLoss& loss : report::losses(plan, figures)) {
    const auto other =
        llvm::find_if(least, [&](const report::StepLoss& one) { return one.path == loss.path; });
    const double more = loss.seconds - (other == least.end() ? 0 : other->seconds);
    if (more > report::leastShareOfLosses * step)
      out.push_back({loss.reason, more});
  }
  llvm::stable_sort(out, [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return out;
}

std::string whyNotText(const ir::Plan& plan, const ir::Plan& best,
                       const std::vector<search::Objection>& objections,
                       const std::string& difference) {
  constexpr unsigned hang = 4;
  const unsigned width = terminalWidth();
  const auto item = [&](const std::string& text) {
    const auto [sentence, diagram] = llvm::StringRef(text).split('\n');
    std::string out = "  - " + wrapped(sentence.str(), width - hang, hang) + "\n";
    llvm::SmallVector<llvm::StringRef, 8> lines;
    diagram.split(lines, '\n', -1, false);
    for (const llvm::StringRef line : lines)
      out += std::string(hang, ' ') + line.str() + "\n";
    return out;
  };
  std::string text = fmt::format("why not {}: {}\n", plan.layout.name,
                                 stepsText(stepTimeOf(plan), stepTimeOf(best)));
  for (const search::Objection& objection : objections)
    text += item(objection.text);
  for (const SlowerBy& by : slowerBy(plan, best))
    text += item(fmt::format("{} more by {}", report::duration(by.seconds), by.reason));
  return text + "\n" + difference;
}

Json whyNotJson(const ir::Plan& plan, const ir::Plan& best,
                const std::vector<search::Objection>& objections) {
  Json reasons = Json::array(), slower = Json::array();
  for (const search::Objection& objection : objections)
    reasons.push_back({{"rule", objection.rule}, {"text", objection.text}});
  for (const SlowerBy& by : slowerBy(plan, best))
    slower.push_back({{"seconds", by.seconds}, {"reason", by.reason}});
  return {{"schema", "dplc.why_not.1"},      {"layout", plan.layout.name},
          {"search", best.layout.name},      {"step_s", stepTimeOf(plan)},
          {"best_step_s", stepTimeOf(best)}, {"objections", std::move(reasons)},
          {"slower_by", std::move(slower)}};
}

ir::Plan* planNamed(std::vector<ir::Plan>& plans, llvm::StringRef name) {
  const auto found = llvm::find_if(
      plans, [&](const ir::Plan& plan) { return llvm::StringRef(plan.layout.name) == name; });
  return found == plans.end() ? nullptr : &*found;
}
} // namespace

std::string tool::fileWithBest(const CompiledUnit& unit, const report::SearchTable& table,
                               std::size_t index) {
  std::vector<WrittenField> values, ofOthers;
  std::map<std::string, std::string> degrees; // degrees of a mesh that the file leaves open
  for (std::size_t i = 0; i < table.space.open.size(); ++i) {
    const ir::OpenField& field = table.space.open[i];
    const std::string& value = table.layouts[index].values[i];
    if (table.openMesh && llvm::StringRef(field.path).startswith("mesh."))
      degrees[field.path] = value;
    else
      (field.otherBlock ? ofOthers : values).push_back({field.path, value, ""});
  }
  if (table.openMesh)
    values.insert(values.begin(), {"mesh", planner::meshWith(table.expertGrid, degrees), ""});
  return unit.withValues(table.space.name, values, ofOthers);
}

void tool::answerWhyNot(Session& session, const CompiledUnit& unit,
                        const report::SearchTable& table, const SearchCommandOptions& options) {
  // Compiles the file with the best layout, and the file unchanged, because the layout may be the
  // searched one.
  Workspace found, given;
  const std::string path = unit.source() ? session.sources.name(*unit.source()).str() : table.file;
  found.overlay(path, fileWithBest(unit, table));
  if (unit.source())
    given.overlay(path, session.sources.text(*unit.source()).str());
  DiagnosticEngine mistakes;
  const std::unique_ptr<CompiledUnit> withBest = found.compile(path, mistakes, session.settings());
  const std::unique_ptr<CompiledUnit> asGiven = given.compile(path, mistakes, session.settings());
  const auto planOf = [](CompiledUnit& file, llvm::StringRef name) {
    return file.file.failed() ? nullptr : planNamed(file.file->plans, name);
  };
  ir::Plan* best = planOf(*withBest, table.space.name);
  ir::Plan* plan = planOf(*asGiven, options.whyNot);
  if (!plan || !best) { // fields of a base that is itself a search cannot be set
    (void)session.diags.report<diag::FileNotWritten>(
        {}, fmt::format("search `{}` cannot be written as a layout: {}", table.space.name,
                        mistakes.firstError()));
    return;
  }
  if (!complete(session, *best) || (!complete(session, *plan) && plan->memory.empty()))
    return;
  const std::vector<WrittenField> fields = asGiven->fieldsOf(*plan);
  const std::vector<search::Objection> objections =
      search::objectionsTo(*plan, fields, table.space, *best);
  const report::ComparedPlan a = comparedPlan(*plan, *asGiven, plan->layout.name),
                             b = comparedPlan(*best, *withBest, best->layout.name);
  if (options.json) {
    Json out = whyNotJson(*plan, *best, objections);
    out["difference"] = report::differenceJson(a, b);
    session.out = textOf(out);
    return;
  }
  session.out =
      whyNotText(*plan, *best, objections, report::renderFieldDifference(a, b, terminalWidth()));
}

// ---- --near ----

namespace {
std::string nearText(const ir::Plan& plan, const planner::AdviceResult& near, unsigned width) {
  std::string text =
      fmt::format("near {}, whose step takes {}: changes that load its checkpoints\n",
                  plan.layout.name, report::duration(stepTimeOf(plan)));
  if (near.found.empty())
    text += "\n  no single change is faster\n";
  const auto noteOf = [&](const ir::Plan& changed) {
    const std::string condition = *checkpointCondition(plan, changed);
    return condition.empty() ? "" : "if " + condition;
  };
  return text + changesText(plan, near, noteOf, width);
}

Json nearJson(const ir::Plan& plan, const planner::AdviceResult& near) {
  Json changes = Json::array();
  for (const planner::Advice& one : near.found) {
    changes.push_back(changeJson(plan, one));
    changes.back()["condition"] = *checkpointCondition(plan, one.plan);
  }
  return {{"schema", "dplc.near.1"},
          {"layout", plan.layout.name},
          {"step_s", stepTimeOf(plan)},
          {"all_tried", near.all},
          {"changes", std::move(changes)}};
}
} // namespace

int tool::answerNear(Session& session, const SearchCommandOptions& options) {
  constexpr unsigned mostCompiled = 128;
  if (!options.output.empty() && options.minNodes == 0)
    return session.refuse("`--near` writes files only with `--min-nodes`",
                          "`dplc help search` lists its arguments and options");
  session.options.layout = options.near;
  session.withPlan([&](ir::Plan& plan, const CompiledUnit& unit) {
    if (!complete(session, plan))
      return;
    if (options.minNodes > 0)
      return answerNodes(session, unit, plan, options);
    search::AdviceOptions how;
    how.keep = options.top > 0 ? options.top : shownChanges;
    how.mostCompiled = mostCompiled;
    how.wanted = [&](const ir::Plan& changed) {
      return checkpointCondition(plan, changed).has_value();
    };
    const std::string path = Session::nameOf(session.options.files.front());
    const planner::AdviceResult near =
        search::adviceOn(plan, {session.workspace, path, session.settings()}, how);
    session.out =
        options.json ? textOf(nearJson(plan, near)) : nearText(plan, near, terminalWidth());
  });
  return session.finish();
}
