//===- DiffCommand.cpp - dplc diff: two layouts side by side ----------------------------------===//
#include "support/Json.h"
#include "tools/dplc/ComparedPlans.h"
#include "tools/dplc/PageOutput.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
#include "tools/dplc/Terminal.h"
#include <optional>
using namespace dpl;
using namespace dpl::tool;

namespace {

/// A layout and its compiled file; `plan` is null after a report.
struct ChosenPlan {
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan* plan = nullptr;
};

/// Compiles the file and completes the layout. `ofTwo`: index of the layout to take if the file has
/// two and none is named.
ChosenPlan chosen(Session& session, const std::string& path, const std::string& layout,
                  std::optional<std::size_t> ofTwo) {
  ChosenPlan out;
  session.options.layout = layout;
  out.unit = session.compile(path);
  if (out.unit->file.failed() || session.diags.errors() > 0)
    return out;
  if (const auto& plans = out.unit->file->plans; ofTwo && plans.size() == 2)
    session.options.layout = plans[*ofTwo].layout.name;
  out.plan = session.choose(*out.unit->file, path);
  if (out.plan && !complete(session, *out.plan) && out.plan->memory.empty())
    out.plan = nullptr;
  return out;
}

report::ComparedPlan sideOf(const ChosenPlan& chosen) {
  const ir::Plan& plan = *chosen.plan;
  return comparedPlan(plan, *chosen.unit, plan.layout.name + " of " + plan.file);
}

/// The names of both layouts. Files appear without folders unless only these differ.
std::string titleOfBoth(const ir::Plan& a, const ir::Plan& b) {
  const std::string one = titleOf(a.layout.name, a.file), other = titleOf(b.layout.name, b.file);
  if (a.file == b.file)
    return fmt::format("{} and {}", a.layout.name, other);
  return one == other ? fmt::format("{0} of {1} and {0} of {2}", a.layout.name, a.file, b.file)
                      : fmt::format("{} and {}", one, other);
}

} // namespace

int tool::runDiff(Session& session, const DiffOptions& options) {
  if (!session.prepare())
    return session.finish();
  const std::vector<std::string>& files = options.files;
  const std::string& layout = options.layout;
  const std::string& against = options.against.empty() ? layout : options.against;
  const bool both = files.size() == 1 && against.empty();
  const auto ofTwo = [&](std::size_t index) { return both ? std::optional(index) : std::nullopt; };
  const ChosenPlan first = chosen(session, files.front(), layout, ofTwo(0));
  if (!first.plan)
    return session.finish();
  const ChosenPlan second = chosen(session, files.back(), against, ofTwo(1));
  if (!second.plan)
    return session.finish();
  const report::ComparedPlan a = sideOf(first), b = sideOf(second);
  if (!options.html.empty()) {
    report::PageContent page = pageOf(session, "diff", titleOfBoth(*first.plan, *second.plan));
    page.screen = report::renderDifference(a, b, widthOfPages);
    page.answers = report::differenceJson(a, b);
    for (const ChosenPlan* one : {&first, &second}) {
      addLayout(session, page, *one->plan, one->unit.get(), 2);
      page.layouts.back()["name"] = (one == &first ? a : b).name;
    }
    session.out = writePage(session, options.html, std::move(page));
    return session.finish();
  }
  session.out = options.json ? textOf(report::differenceJson(a, b))
                             : report::renderDifference(a, b, terminalWidth());
  return session.finish();
}
