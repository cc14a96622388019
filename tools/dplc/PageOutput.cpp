//===- PageOutput.cpp - The pages of `--html` -------------------------------------------------===//
#include "tools/dplc/PageOutput.h"
#include "backends/report/PageLayout.h"
#include "backends/report/Report.h"
#include "cost/step/HostMemory.h"
#include "driver/search/LayoutAdvice.h"
#include "ir/SetInFile.h"
#include "passes/MemoryFixes.h"
#include "support/Utf8.h"
#include "tools/dplc/AdviceOutput.h"
#include "tools/dplc/SearchQuestions.h"
#include "tools/dplc/Targets.h"
#include "llvm/Support/Path.h"
#include <set>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Whether the file leaves each field of a change at its default.
bool isOfDefaults(const ir::Plan& plan, const planner::LayoutChange& change) {
  return llvm::all_of(change.settings, [&](const planner::FieldSetting& setting) {
    return !llvm::StringRef(setting.path).startswith("mesh.") &&
           !ir::isSetInFile(plan, setting.path);
  });
}

/// The changes that a page advises; none for an imported layout.
Json changesOf(Session& session, const ir::Plan& plan, const CompiledUnit& unit) {
  const bool ofFile =
      llvm::any_of(unit.file->plans, [&](const ir::Plan& other) { return &other == &plan; });
  if (!ofFile || plan.model.layerTypes.size() > mostLayerTypesOfAdvice)
    return Json::array();
  const std::string path = session.sources.name(*unit.source()).str();
  const planner::AdviceResult advice = adviceFor(session, path, plan, shownChanges);
  Json changes = adviceJson(plan, advice)["changes"];
  for (std::size_t i = 0; i < advice.found.size(); ++i)
    changes[i]["of_defaults"] = isOfDefaults(plan, advice.found[i].change);
  return changes;
}
} // namespace

report::TriedChanges tool::triedChanges(const ir::Plan& plan) {
  report::TriedChanges changes;
  const std::optional<cost::FullestNode> host = cost::fullestNode(plan);
  const MemoryOutcomes outcomes = ir::tightest(plan.memory)->headroom() < 0
                                      ? memoryFixes(plan, acceptsOf(plan))
                                  : host && !host->fits() ? hostMemoryFixes(plan, acceptsOf(plan))
                                                          : largestThatFit(plan, acceptsOf(plan));
  for (const MemoryOutcome& out : outcomes.found)
    changes.tried.push_back({out.text, out.tightest.peak(), out.tightest.usable, out.step,
                             out.host ? out.host->needed : 0});
  changes.all = outcomes.all;
  return changes;
}

std::string tool::titleOf(llvm::StringRef name, llvm::StringRef file) {
  return fmt::format("{} of {}", name.str(), llvm::sys::path::filename(file).str());
}

report::PageContent tool::pageOf(Session& session, const char* kind, std::string title) {
  report::PageContent page;
  page.kind = kind, page.title = validUtf8(title);
  session.diags.endPhase();
  page.diagnostics = diagnosticsAsJson(session.diags, session.sources);
  for (const Override& setting : session.settings())
    page.settings.push_back({{"path", setting.path}, {"value", setting.value}});
  std::set<llvm::StringRef> known;
  for (std::uint32_t file = 1; file <= session.sources.files(); ++file) {
    llvm::StringRef name = session.sources.name(file);
    const llvm::StringRef module = name;
    const bool ofLibrary = name.consume_front("std.") && !libraryText(name).empty();
    if (!ofLibrary && known.insert(module).second)
      page.sources.push_back({module.str(), session.sources.text(file).str()});
  }
  return page;
}

void tool::addLayout(Session& session, report::PageContent& page, const ir::Plan& plan,
                     const CompiledUnit* unit, std::size_t layouts) {
  const figures::FieldLocator where =
      unit ? session.whereSet(plan, *unit) : figures::FieldLocator();
  Json report = report::reportJson(plan, where);
  Json layout = report::pageLayoutJson(plan, report, where, layouts);
  layout["memory"] = report::memoryJson(plan, triedChanges(plan), plan.step->step);
  report::thinMemory(layout["memory"], layouts);
  layout["advice"] = unit ? changesOf(session, plan, *unit) : Json::array();
  if (llvm::StringRef(page.kind) == "report")
    page.answers = std::move(report);
  else
    layout["report"] = std::move(report);
  page.layouts.push_back(std::move(layout));
}

std::optional<ir::Plan> tool::bestPlan(const Session& session, const CompiledUnit& unit,
                                       const report::SearchTable& table) {
  if (table.layouts.empty())
    return std::nullopt;
  const std::string text = fileWithBest(unit, table);
  if (text.empty())
    return std::nullopt;
  Workspace changed;
  const std::string path = session.sources.name(*unit.source()).str();
  changed.overlay(path, text);
  return search::planWith({changed, path, session.settings()}, table.space.name, {});
}

std::string tool::writePage(Session& session, const std::string& path, report::PageContent page) {
  return session.writePicture(path, report::page(std::move(page)));
}
