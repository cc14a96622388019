//===- LayoutRanking.cpp - The layouts of a file as the table of a search ---------------------===//
#include "tools/dplc/LayoutRanking.h"
#include "backends/report/StepComponents.h"
#include "figures/Figures.h"
#include "ir/FigureNames.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
const std::vector<std::string> usualFigures = {"step_time", "mfu", "memory.peak"};
}

void LayoutRanking::add(const ir::Plan& plan) {
  const figures::Figures of(plan);
  TimedLayout out;
  out.step = of.value("step_time").value_or(0);
  out.row.candidate = names.size(), out.row.values = {plan.layout.name};
  for (const std::string& figure : figures.empty() ? usualFigures : figures)
    out.row.figures.push_back(of.value(ir::pathWritten(figure)));
  if (const std::vector<report::StepLoss> lost = report::losses(plan, of); !lost.empty())
    out.row.limit = lost.front().reason, out.row.limitShare = lost.front().share;
  names.push_back(plan.layout.name);
  ranked.push_back(std::move(out));
}

void LayoutRanking::addRefused(const ir::Plan& plan, const DiagInfo& error) {
  names.push_back(plan.layout.name);
  const std::string rule = fmt::format("{} {} ({})", error.code, error.name, plan.layout.name);
  refused.emplace_back(rule, 1);
}

report::SearchTable LayoutRanking::table(const std::string& file) const {
  report::SearchTable out;
  out.file = out.space.name = file;
  ir::OpenField layout;
  layout.path = "layout", layout.values = names;
  out.space.open.push_back(std::move(layout));
  out.space.objectives.emplace_back();
  out.space.objectives.back().source = "step_time";
  out.keep = names.size();
  out.figures = figures.empty() ? usualFigures : figures;
  for (const std::string& path : out.figures) {
    const ir::FigureRow* row = ir::figureNamed(ir::pathWritten(path));
    out.dimensions.push_back(row ? ir::dimensionOf(*row) : Dimension{});
  }
  std::vector<TimedLayout> sorted = ranked;
  llvm::stable_sort(sorted, [](const auto& a, const auto& b) { return a.step < b.step; });
  for (TimedLayout& one : sorted)
    out.layouts.push_back(std::move(one.row));
  if (!refused.empty())
    out.certificate.push_back({"refused", "cannot be run", refused.size(), refused});
  out.certificate.push_back(
      {"ranked", ranked.size() == 1 ? "is ranked" : "are ranked", ranked.size(), {}});
  out.executed = ranked.size();
  return out;
}
