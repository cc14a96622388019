//===- SearchTable.cpp - What a search found, for people and scripts --------------------------===//
#include "backends/report/SearchTable.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "ir/FigureNames.h"
#include "support/Json.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {
std::string shownFigure(double value, const Dimension& of) {
  figures::Figure figure;
  figure.value = value, figure.dimension = of;
  return show(figure);
}

/// By open field, whether its values differ between the layouts; all false for a single layout.
std::vector<bool> differing(const SearchTable& table) {
  std::vector<bool> out(table.space.open.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = llvm::any_of(table.layouts, [&](const RankedLayout& layout) {
      return layout.values[i] != table.layouts.front().values[i];
    });
  return out;
}

std::string objectivesText(const ir::Space& space) {
  std::vector<std::string> all;
  for (const ir::Objective& objective : space.objectives)
    all.push_back((objective.maximize ? "most " : "least ") + objective.source);
  return llvm::join(all, space.pareto ? " and " : ", then ") +
         (space.worstOf.empty()
              ? ""
              : fmt::format(", each the worst of {} combinations of `worst_of`", space.settings()));
}

/// A line with the number of values of each open field.
std::string openFields(const SearchTable& table, unsigned width) {
  if (!table.ofLayout)
    return "";
  std::string out;
  for (const ir::OpenField& field : table.space.open)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", field.path, field.size());
  return "\n" + listRow("  open", out, 8, width);
}

std::string valuesText(const SearchTable& table, const RankedLayout& layout,
                       const std::vector<bool>& shown) {
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i])
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", table.space.open[i].path,
                         layout.values[i]);
  return out;
}

/// "; worst with pod.node = servers.dgx_a100" after the text of a layout.
std::string worstText(const SearchTable& table, const RankedLayout& layout) {
  std::string out;
  for (std::size_t i = 0; i < layout.worst.size(); ++i)
    out += fmt::format("{}{} = {}", out.empty() ? "worst with " : ", ", table.space.worstOf[i].path,
                       layout.worst[i]);
  return out;
}

/// The ranks with their figures and, of fields that differ, their values below it.
std::string ranks(const SearchTable& table, unsigned width) {
  if (table.layouts.empty())
    return "";
  // If a file lists the layouts, their names are a column.
  const bool named = table.model.empty();
  const std::vector<bool> differs =
      named ? std::vector<bool>(table.space.open.size(), false) : differing(table);
  std::vector<bool> common = named ? std::vector<bool>() : differs;
  common.flip();
  std::string out;
  if (llvm::is_contained(common, true))
    out += "\n" + listRow(table.layouts.size() > 1 ? "  all" : "  best",
                          valuesText(table, table.layouts.front(), common), 8, width);
  std::vector<std::string> header = {"rank"};
  if (named)
    header.push_back("layout");
  header.insert(header.end(), table.figures.begin(), table.figures.end());
  TextTable ranked(header, named ? 2 : 1);
  std::string rows;
  for (std::size_t i = 0; i < table.layouts.size(); ++i) {
    const RankedLayout& layout = table.layouts[i];
    const std::string rank = std::to_string(i + 1);
    std::vector<std::string> cells = {rank};
    if (named)
      cells.push_back(layout.values.front());
    for (std::size_t f = 0; f < table.figures.size(); ++f)
      cells.push_back(layout.figures[f] ? shownFigure(*layout.figures[f], table.dimensions[f])
                                        : "-");
    ranked.row(std::move(cells));
    std::string text = valuesText(table, layout, differs);
    if (const std::string worst = worstText(table, layout); !worst.empty())
      text += (text.empty() ? "" : "; ") + worst;
    if (!layout.limit.empty())
      text += fmt::format("{}loses {}: {}", text.empty() ? "" : "; ", percent(layout.limitShare),
                          layout.limit);
    if (!text.empty())
      rows += listRow("  " + rank, text, 8, width);
  }
  out += "\n" + ranked.render(width);
  return out + (rows.empty() ? "" : "\n" + rows);
}

std::string certificate(const SearchTable& table, unsigned width) {
  const char* noun = table.model.empty() ? "layout" : "candidate";
  std::string out = "\n  Of " + plural(table.space.candidates(), noun) + "\n";
  std::size_t digits = 1;
  for (const CertificateRow& row : table.certificate)
    digits = std::max(digits, std::to_string(row.count).size());
  for (const CertificateRow& row : table.certificate) {
    if (row.count == 0)
      continue;
    std::string text = row.text;
    for (const auto& [rule, count] : row.rules)
      if (!rule.empty())
        text +=
            fmt::format("{}{} {}", &rule == &row.rules.front().first ? ": " : ", ", count, rule);
    out += listRow(fmt::format("    {:>{}}", row.count, digits), text,
                   static_cast<unsigned>(digits) + 6, width);
  }
  if (table.leastExcluded)
    out +=
        listRow("",
                fmt::format("The layouts that a bound of the step time excludes take at least {}.",
                            duration(*table.leastExcluded)),
                4, width);
  if (const std::optional<double> gap = table.gap())
    out += listRow("",
                   fmt::format("The layouts that were not searched take at least {}, {} less than "
                               "the best one.",
                               duration(table.leastUnsearched), percent(*gap)),
                   4, width);
  return out;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}
} // namespace

std::optional<double> SearchTable::gap() const {
  if (leastUnsearched <= 0 || layouts.empty())
    return std::nullopt;
  return std::max(0.0, 1 - leastUnsearched / layouts.front().objectives.front());
}

std::string report::searchText(const SearchTable& table, unsigned width) {
  const std::uint64_t shown = table.layouts.size();
  const std::string count = plural(table.space.candidates(), "candidate");
  const std::string best = shown == 0 ? "no layout found"
                           : table.space.pareto
                               ? fmt::format("{} on the Pareto front", plural(shown, "layout"))
                           : shown == 1 ? "the best layout"
                                        : fmt::format("the best {} layouts", shown);
  const std::string head =
      table.model.empty() // the file lists the layouts
          ? fmt::format("{}: {} of {} by {}", table.space.name, shown,
                        plural(table.space.candidates(), "layout"), objectivesText(table.space))
          : fmt::format("{} of {} on {}: {}, {} {} {}", table.space.name, table.model,
                        table.cluster, count, best, table.space.pareto ? "of" : "by",
                        objectivesText(table.space));
  return wrapped(head, width, 0) + "\n" + openFields(table, width) + ranks(table, width) +
         certificate(table, width);
}

std::string report::searchCsv(const SearchTable& table) {
  std::string out = "rank,candidate";
  for (const auto* fields : {&table.space.open, &table.space.worstOf})
    for (const ir::OpenField& field : *fields)
      out += "," + quoted(field.path);
  for (const std::string& figure : table.figures)
    out += "," + quoted(figure);
  out += ",limit,limit_share\n";
  for (std::size_t i = 0; i < table.layouts.size(); ++i) {
    const RankedLayout& layout = table.layouts[i];
    out += fmt::format("{},{}", i + 1, layout.candidate);
    for (const auto* values : {&layout.values, &layout.worst})
      for (const std::string& value : *values)
        out += "," + quoted(value);
    for (const std::optional<double>& figure : layout.figures)
      out += figure ? fmt::format(",{}", *figure) : ",";
    out += fmt::format(",{},{}\n", quoted(layout.limit), layout.limitShare);
  }
  return out;
}

Json report::searchJson(const SearchTable& table) {
  Json layouts = Json::array();
  for (std::size_t i = 0; i < table.layouts.size(); ++i) {
    const RankedLayout& layout = table.layouts[i];
    Json values = Json::object(), worst = Json::object(), figures = Json::object();
    for (std::size_t f = 0; f < layout.values.size(); ++f)
      values[table.space.open[f].path] = layout.values[f];
    for (std::size_t f = 0; f < layout.worst.size(); ++f)
      worst[table.space.worstOf[f].path] = layout.worst[f];
    for (std::size_t f = 0; f < table.figures.size(); ++f)
      figures[table.figures[f]] =
          layout.figures[f] ? quantity(*layout.figures[f], table.dimensions[f]) : Json(nullptr);
    layouts.push_back({{"rank", i + 1},
                       {"candidate", layout.candidate},
                       {"values", std::move(values)},
                       {"figures", std::move(figures)},
                       {"limit", layout.limit.empty() ? Json(nullptr)
                                                      : Json{{"reason", layout.limit},
                                                             {"share", layout.limitShare}}}});
    if (!worst.empty())
      layouts.back()["worst_with"] = std::move(worst);
  }
  Json fates = Json::object();
  for (const CertificateRow& row : table.certificate) {
    Json rules = Json::object();
    for (const auto& [rule, count] : row.rules)
      if (!rule.empty())
        rules[rule] = count;
    fates[row.key] = {{"count", row.count}, {"rules", std::move(rules)}};
  }
  Json objectives = Json::array();
  for (const ir::Objective& objective : table.space.objectives)
    objectives.push_back({{"expression", objective.source},
                          {"direction", objective.maximize ? "maximize" : "minimize"}});
  return {
      {"schema", "dplc.search.1"},
      {"file", table.file},
      {"search", table.space.name},
      {"model", table.model},
      {"cluster", table.cluster},
      {"keep", table.keep},
      {"pareto", table.space.pareto},
      {"objectives", std::move(objectives)},
      {"layouts", std::move(layouts)},
      {"certificate",
       {{"candidates", table.space.candidates()},
        {"executed", table.executed},
        {"least_excluded_step_s", table.leastExcluded ? Json(*table.leastExcluded) : Json(nullptr)},
        {"gap", table.unsearched == 0 ? Json(0)
                : table.gap()         ? Json(*table.gap())
                                      : Json(nullptr)},
        {"fates", std::move(fates)}}}};
}
