//===- WhyAnswer.cpp - The answer of `dplc report --why` --------------------------------------===//
#include "tools/dplc/WhyAnswer.h"
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "backends/report/WhyJson.h"
#include "ir/FigureNames.h"
#include "support/Json.h"
#include "support/Near.h"
#include "support/Text.h"
#include "support/diagnostics/Tools.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The levels of a field. Errors in the path, such as a wrong index, are dropped: the path is from
/// the command line and not from the file.
std::vector<FieldLevel> levelsOf(Session& session, const CompiledUnit& unit,
                                 const std::string& path) {
  const std::size_t before = session.diags.mark();
  std::vector<FieldLevel> levels = unit.history(path);
  (void)session.diags.rollback(before);
  return levels;
}

/// The levels that set a field, one per line, innermost last; empty if there is no such field.
std::string historyText(Session& session, const CompiledUnit& unit, const std::string& path) {
  const std::vector<FieldLevel> levels = levelsOf(session, unit, path);
  if (levels.empty())
    return "";
  std::size_t levelWidth = 0, valueWidth = 0;
  for (const FieldLevel& level : levels) {
    levelWidth = std::max(levelWidth, level.level.size());
    valueWidth = std::max(valueWidth, level.value.size());
  }
  std::string text = fmt::format("{} = {}\n", path, levels.back().value);
  for (const FieldLevel& level : levels) {
    std::string line = fmt::format("  {:<{}}  {:<{}}  {}", level.level, levelWidth, level.value,
                                   valueWidth, session.sources.describe(level.range));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// The fact whose absence leaves the figure without a value; "" if another one does.
std::string lackingFact(const ir::Plan& plan, llvm::StringRef path) {
  const ir::FigureRow* row = ir::figureNamed(path);
  const llvm::StringRef dimension = row ? row->dimension : "";
  const bool price =
                 dimension == "Money" || dimension.endswith("Price") || dimension == "PriceRate",
             energy = dimension.endswith("Energy");
  for (const ir::NodeType& nodes : plan.cluster.nodeTypes) {
    if (price && !nodes.pricePerHour)
      return fmt::format("it needs `price`, which {} does not set", nodes.fieldLocation());
    if (energy && !nodes.device.busyPower)
      return fmt::format("it needs `power`, which device `{}` does not set", nodes.device.name);
  }
  return "";
}

/// The levels of a field and the derivation of a figure as one object; null if there is neither.
Json whyObject(Session& session, const std::string& asked, const ir::Plan& plan,
               const CompiledUnit& unit, const figures::Figures& figures) {
  Json levels = Json::array();
  for (const std::string& path : {asked, "layout." + ir::pathWritten(asked)})
    if (levels.empty())
      for (const FieldLevel& level : levelsOf(session, unit, path))
        levels.push_back({{"level", level.level},
                          {"value", level.value},
                          {"place", session.sources.describe(level.range)}});
  Json derivation = report::whyJson(figures, ir::pathWritten(asked));
  if (levels.empty() && derivation.is_null())
    return {};
  const bool one = derivation.is_object();
  return {{"schema", "dplc.why.1"},
          {"layout", plan.layout.name},
          {"path", asked},
          {"levels", std::move(levels)},
          {"figure", one ? derivation : Json()},
          {"figures", derivation.is_array() ? derivation : Json::array()}};
}

/// Appends the levels of a field and the derivation of a figure as text.
void answerWhyText(Session& session, const std::string& asked, const ir::Plan& plan,
                   const CompiledUnit& unit, const figures::Figures& figures) {
  session.out += historyText(session, unit, asked);
  const std::string path = ir::pathWritten(asked);
  // A figure such as `mesh.tensor` that a field of the layout sets.
  if (session.out.empty() && figures.find(path))
    session.out += historyText(session, unit, "layout." + path);
  if (const std::string order = report::orderText(plan);
      !order.empty() && asked == "layout.schedule")
    session.out += "  " + wrapped(order, terminalWidth() - 2, 2) + "\n";
  const std::string derivation = report::why(figures, path, terminalWidth());
  if (!derivation.empty())
    session.out += (session.out.empty() ? "" : "\n") + derivation;
}
} // namespace

void tool::answerWhy(Session& session, const std::string& asked, const ir::Plan& plan,
                     const CompiledUnit& unit) {
  const std::string path = ir::pathWritten(asked);
  const figures::Figures figures(plan, session.whereSet(plan, unit), figures::Depth::Operators);
  if (!session.options.json)
    answerWhyText(session, asked, plan, unit, figures);
  else if (const Json object = whyObject(session, asked, plan, unit, figures); !object.is_null())
    session.out = textOf(object);
  if (!session.out.empty())
    return;
  if (const std::string fact = lackingFact(plan, path); !fact.empty()) {
    (void)session.diags.report<diag::UnknownFigure>({}, plan.layout.name, asked).help(fact);
    return;
  }
  std::vector<std::string> known;
  for (const char* block : {"layout", "model", "cluster", "lint"})
    if (const std::string field = fmt::format("{}.{}", block, asked);
        !levelsOf(session, unit, field).empty())
      known.push_back(field);
  for (const figures::Figure* figure : figures.all())
    known.push_back(ir::writtenPath(figure->path));
  (void)session.diags.report<diag::UnknownFigure>({}, plan.layout.name, asked)
      .help(didYouMean(nearNames(asked, known),
                       "`dplc report FILE --json` lists the figures; a field is written "
                       "`layout.mesh.tensor`"));
}
