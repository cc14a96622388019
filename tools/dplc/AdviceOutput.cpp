//===- AdviceOutput.cpp - The changes of a layout that gain most, as text and JSON ------------===//
#include "tools/dplc/AdviceOutput.h"
#include "backends/report/Format.h"
#include "backends/report/StepComponents.h"
#include "backends/report/TextTable.h"
#include "driver/search/LayoutAdvice.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "support/Text.h"
using namespace dpl;
using namespace dpl::tool;

double tool::stepTimeOf(const ir::Plan& plan) {
  return figures::Figures(plan, {}, figures::Depth::Values).value("step_time").value_or(0);
}

planner::AdviceResult tool::adviceFor(Session& session, const std::string& path,
                                      const ir::Plan& plan, std::size_t keep) {
  search::AdviceOptions options;
  options.keep = keep;
  return search::adviceOn(plan, {session.workspace, Session::nameOf(path), session.settings()},
                          options);
}

std::string tool::changesText(const ir::Plan& plan, const planner::AdviceResult& advice,
                              llvm::function_ref<std::string(const ir::Plan&)> noteOf,
                              unsigned width) {
  const double step = stepTimeOf(plan);
  std::string text;
  report::TextTable table({"rank", "step_time", "saves", "memory.peak"});
  for (std::size_t i = 0; i < advice.found.size(); ++i) {
    const ir::Plan& changed = advice.found[i].plan;
    table.row({std::to_string(i + 1), report::duration(stepTimeOf(changed)),
               report::percent(1 - stepTimeOf(changed) / step),
               report::memory(ir::real(ir::tightest(changed.memory)->peak()))});
  }
  if (!advice.found.empty())
    text += "\n" + table.render(width) + "\n";
  for (std::size_t i = 0; i < advice.found.size(); ++i) {
    std::string change = advice.found[i].change.text;
    for (const std::string& note :
         {report::changedLosses(plan, advice.found[i].plan), noteOf(advice.found[i].plan)})
      change += note.empty() ? "" : "; " + note;
    text += listRow(fmt::format("  {}", i + 1), change, 8, width);
  }
  return text + (advice.all ? "" : "\n  not all changes were tried\n");
}

Json tool::changeJson(const ir::Plan& plan, const planner::Advice& one) {
  Json settings = Json::object();
  for (const planner::FieldSetting& setting : one.change.settings)
    settings[setting.path] = setting.value;
  return {{"change", one.change.text},
          {"settings", std::move(settings)},
          {"reason", report::changedLosses(plan, one.plan)},
          {"step_s", stepTimeOf(one.plan)},
          {"peak_bytes", ir::tightest(one.plan.memory)->peak()}};
}

Json tool::adviceJson(const ir::Plan& plan, const planner::AdviceResult& advice) {
  Json changes = Json::array();
  for (const planner::Advice& one : advice.found) {
    changes.push_back(changeJson(plan, one));
    changes.back()["usable_bytes"] = ir::tightest(one.plan.memory)->usable;
  }
  return {{"all_tried", advice.all}, {"changes", std::move(changes)}};
}

void tool::answerAdvice(Session& session, const ReportOptions& options, const ir::Plan& plan,
                        const CompiledUnit& unit) {
  const auto isThis = [&](const ir::Plan& other) { return &other == &plan; };
  if (llvm::none_of(unit.file->plans, isThis)) {
    session.wrongUsage(fmt::format("`--advice` changes a block of the file, and layout `{}` is "
                                   "imported",
                                   plan.layout.name),
                       "ask about the file that has the layout");
    return;
  }
  const planner::AdviceResult advice =
      adviceFor(session, session.options.files.front(), plan, shownChanges);
  if (options.json) {
    session.out = textOf(Json{{"schema", "dplc.advice.1"},
                              {"layout", plan.layout.name},
                              {"step_s", stepTimeOf(plan)},
                              {"advice", adviceJson(plan, advice)}});
    return;
  }
  session.out = fmt::format("advice on {}, whose step takes {}\n", plan.layout.name,
                            report::duration(stepTimeOf(plan)));
  if (advice.found.empty())
    session.out += fmt::format("\n  no single change {}\n",
                               ir::tightest(plan.memory)->headroom() < 0 ? "fits" : "is faster");
  session.out += changesText(
      plan, advice, [](const ir::Plan&) { return ""; }, terminalWidth());
}
