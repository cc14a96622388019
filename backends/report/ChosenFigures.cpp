//===- ChosenFigures.cpp - The figures that `--figures` names, of one plan --------------------===//
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "ir/FigureNames.h"
#include "support/Json.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;

std::string report::chosenFigures(const ir::Plan& plan, llvm::ArrayRef<std::string> paths,
                                  unsigned width) {
  const figures::Figures figures(plan, {}, figures::Depth::Values);
  std::size_t column = 0;
  for (const std::string& path : paths)
    column = std::max(column, codePoints(path));
  std::string out = fmt::format("{} ({})\n", plan.name, plan.file);
  for (const std::string& path : paths) {
    const figures::Figure* figure = figures.find(ir::pathWritten(path));
    out += listRow("  " + path, figure ? show(*figure) : "-", static_cast<unsigned>(column) + 4,
                   width);
  }
  return out;
}

Json report::chosenFiguresJson(const ir::Plan& plan, llvm::ArrayRef<std::string> paths) {
  const figures::Figures figures(plan, {}, figures::Depth::Values);
  Json values = Json::object();
  for (const std::string& path : paths) {
    const figures::Figure* figure = figures.find(ir::pathWritten(path));
    values[path] = figure ? quantity(figure->value, figure->dimension) : Json(nullptr);
  }
  return {{"plan", {{"name", plan.name}, {"file", plan.file}, {"hash", plan.hash}}},
          {"figures", std::move(values)}};
}
