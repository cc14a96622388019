//===- Mapping.cpp - Mappings from table columns to fields ------------------------------------===//
#include "driver/score/Mapping.h"
#include "support/Near.h"
#include "support/Number.h"
#include "support/Utf8.h"
#include "support/diagnostics/Score.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <set>
using namespace dpl;
using namespace dpl::score;

void RowSettings::set(llvm::StringRef path, std::string value) {
  for (auto& [known, old] : entries)
    if (known == path) {
      old = std::move(value);
      return;
    }
  entries.emplace_back(path.str(), std::move(value));
}

llvm::StringRef RowSettings::operator[](llvm::StringRef path) const {
  for (const auto& [known, value] : entries)
    if (known == path)
      return value;
  return {};
}

std::vector<std::string> Mapping::missingFrom(const CsvRow& header) const {
  std::vector<std::string> missing;
  for (const Column& column : columns)
    if (column.needed &&
        llvm::none_of(header.cells, [&](const Cell& cell) { return cell.text == column.name; }))
      missing.push_back(column.name);
  return missing;
}

std::size_t Mapping::columnsIn(const CsvRow& header) const {
  const ColumnPlaces places = placesIn(header);
  return static_cast<std::size_t>(
      llvm::count_if(places, [](const auto& place) { return place.has_value(); }));
}

Mapping::ColumnPlaces Mapping::placesIn(const CsvRow& header) const {
  ColumnPlaces places(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t at = 0; at < header.cells.size(); ++at)
      if (header.cells[at].text == columns[i].name) {
        places[i] = at;
        break;
      }
  return places;
}

namespace {
/// Splits a text into its number and the rest: "12.5", "ms".
std::pair<llvm::StringRef, llvm::StringRef> parted(llvm::StringRef text) {
  std::size_t end = text.find_first_not_of("+-0123456789._");
  // An exponent is a part of the number, but the e of a word is not.
  if (end != llvm::StringRef::npos && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t digits = text.find_first_not_of("+-", end + 1);
    if (digits != llvm::StringRef::npos && llvm::isDigit(text[digits]))
      end = text.find_first_not_of("0123456789", digits);
  }
  return {text.take_front(end).trim(),
          end == llvm::StringRef::npos ? "" : text.drop_front(end).trim()};
}

bool isFlag(llvm::StringRef text) {
  const std::string word = text.lower();
  return word == "yes" || word == "no" || word == "true" || word == "false";
}

/// The valid values of a column in words, for a message.
std::string needed(const Mapping::Column& column) {
  switch (column.kind) {
  case Mapping::ColumnKind::Count:
    return column.least > 0 ? fmt::format("a whole number from {}", column.least)
                            : "a whole number";
  case Mapping::ColumnKind::Number:
    return column.unit.empty() ? "a number above 0"
                               : "a number above 0 in " + column.unit + " or with its unit";
  case Mapping::ColumnKind::Flag:
    return "yes or no";
  case Mapping::ColumnKind::Text:
    break;
  }
  return column.words.empty() ? "a text" : "a text with " + alternatives(column.words);
}

std::string found(const Cell& cell) {
  return cell.text.empty() ? "empty" : "`" + validUtf8(cell.text) + "`";
}

/// The value of a cell as DPL writes it; none if it is not valid for the column.
std::optional<std::string> written(const Mapping::Column& column, llvm::StringRef cell) {
  if (cell.empty())
    return std::string();
  if (column.kind == Mapping::ColumnKind::Text) {
    const bool known = column.words.empty() || llvm::any_of(column.words, [&](const auto& word) {
                         return cell.contains_insensitive(word);
                       });
    return known ? std::optional(cell.str()) : std::nullopt;
  }
  if (column.kind == Mapping::ColumnKind::Flag)
    return isFlag(cell) ? std::optional(cell.lower()) : std::nullopt;
  const auto [digits, unit] = parted(cell);
  const std::optional<Rational> value = Rational::parse(digits);
  if (!value || value->isNegative())
    return std::nullopt;
  if (column.kind == Mapping::ColumnKind::Count) {
    const std::optional<std::int64_t> whole = value->asInteger();
    if (!unit.empty() || !whole || *whole < column.least)
      return std::nullopt;
    return std::to_string(*whole);
  }
  if (value->isZero())
    return std::nullopt;
  if (unit.empty())
    return value->str() + column.unit;
  const Unit* own = findUnit(unit);
  const Unit* meant = findUnit(column.unit);
  if (!own || !meant || !(own->dimension == meant->dimension))
    return std::nullopt;
  return value->str() + unit.str();
}

double numberOf(llvm::StringRef text) {
  const auto [digits, unit] = parted(text);
  const std::optional<Rational> value = Rational::parse(digits);
  return value ? value->toDouble() : std::nan("");
}
} // namespace

std::optional<Finding> Mapping::disagreement(const Agreement& agreement,
                                             const std::vector<std::string>& cells,
                                             const CsvRow& row, const ColumnPlaces& places) const {
  struct Product {
    double value = 1;
    std::string names, numbers;
  };
  bool stated = true;
  const auto productOf = [&](const std::vector<std::size_t>& of) {
    Product product;
    for (std::size_t c : of) {
      stated &= !cells[c].empty();
      product.value *= numberOf(cells[c]);
      product.names += (product.names.empty() ? "`" : " × `") + columns[c].name + "`";
      product.numbers += (product.numbers.empty() ? "" : " × ") + cells[c];
    }
    if (of.size() > 1)
      product.numbers += fmt::format(" = {:.0f}", product.value);
    return product;
  };
  const Product whole = productOf(agreement.wholes), parts = productOf(agreement.factors);
  stated &= llvm::all_of(agreement.unless, [&](std::size_t c) { return cells[c].empty(); });
  if (!stated || !places[agreement.wholes.front()] ||
      (agreement.multiple ? std::fmod(whole.value, parts.value) == 0 : whole.value == parts.value))
    return std::nullopt;
  Finding found = finding<diag::TableContradiction>(
      row.cells[*places[agreement.wholes.front()]], whole.names, whole.numbers, parts.names,
      agreement.factors.size() > 1 ? "make" : "is", parts.numbers);
  if (agreement.multiple)
    found.message.help = "the first must be a whole multiple of the second";
  return found;
}

std::vector<std::size_t> Mapping::unreadIn(const CsvRow& header) const {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < header.cells.size(); ++at) {
    const std::string& name = header.cells[at].text;
    const auto isName = [&](const Column& column) { return column.name == name; };
    if (!name.empty() && !isPath(name) && !llvm::is_contained(ignored, name) &&
        llvm::none_of(columns, isName))
      out.push_back(at);
  }
  return out;
}

std::string Mapping::nearestTo(const std::string& name) const {
  std::vector<std::string> names;
  for (const Column& column : columns)
    names.push_back(column.name);
  const std::vector<std::string> near = nearNames(name, names);
  return near.empty() ? "" : near.front();
}

Mapping::RuleText Mapping::ruleText(std::size_t rule) const {
  std::set<std::size_t> ofFamily; // columns whose cells are values of the label
  for (const MappingRule& each : rules)
    for (const Assignment& assignment : each.set)
      if (assignment.path.size() == 1 && assignment.path.front().literal == "label.family")
        for (const ValuePiece& piece : assignment.value)
          if (piece.column)
            ofFamily.insert(*piece.column);
  RuleText out;
  const auto add = [](std::string& to, const std::string& part) {
    to += (to.empty() ? "" : ", ") + part;
  };
  const MappingRule& of = rules[rule];
  out.why = of.why;
  for (const Condition& condition : of.when) {
    add(out.reads, columns[condition.column].name);
    out.readsFamily |= ofFamily.count(condition.column) != 0;
  }
  for (const Assignment& assignment : of.set) {
    std::string path;
    for (const ValuePiece& piece : assignment.path)
      path += piece.literal + (piece.column ? "{" + columns[*piece.column].name + "}" : "");
    add(out.sets, path);
  }
  return out;
}

std::optional<std::vector<std::string>> Mapping::cellsOf(const CsvRow& header, const CsvRow& row,
                                                         const ColumnPlaces& places,
                                                         std::optional<Finding>& wrong) const {
  for (const Cell& cell : row.cells)
    if (llvm::StringRef(cell.text).startswith("=")) {
      wrong = finding<diag::TableCell>(
          cell, validUtf8(header.cells[static_cast<std::size_t>(&cell - row.cells.data())].text),
          found(cell), "its value, not a formula,");
      return std::nullopt;
    }
  std::vector<std::string> cells(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    cells[i] = columns[i].otherwise;
    if (!places[i])
      continue;
    const Cell& cell = row.cells[*places[i]];
    std::optional<std::string> text = written(columns[i], llvm::StringRef(cell.text).trim());
    if (!text || (text->empty() && columns[i].needed)) {
      wrong = finding<diag::TableCell>(cell, columns[i].name, found(cell), needed(columns[i]));
      return std::nullopt;
    }
    if (!text->empty())
      cells[i] = std::move(*text);
  }
  return cells;
}

bool Mapping::holds(const Condition& condition, const std::vector<std::string>& cells,
                    MatchedGroups& groups) {
  using Test = Condition::ConditionTest;
  const std::string& cell = cells[condition.column];
  if (condition.test == Test::Matches) {
    llvm::SmallVector<llvm::StringRef, 4> found;
    const bool matches = condition.pattern->match(cell, &found);
    groups[condition.column] = found;
    return matches;
  }
  if (condition.test == Test::Differs)
    return !condition.pattern->match(cell);
  const double value = numberOf(cell);
  return condition.test == Test::Less        ? value < condition.bound
         : condition.test == Test::LessEqual ? value <= condition.bound
         : condition.test == Test::More      ? value > condition.bound
                                             : value >= condition.bound;
}

std::string Mapping::textOf(const std::vector<ValuePiece>& pieces,
                            const std::vector<std::string>& cells, const MatchedGroups& groups) {
  std::string text;
  for (const ValuePiece& piece : pieces) {
    text += piece.literal;
    if (!piece.column)
      continue;
    if (piece.group == 0)
      text += cells[*piece.column];
    else if (const auto found = groups.find(*piece.column);
             found != groups.end() && piece.group < found->second.size())
      text += found->second[piece.group].str();
  }
  return text;
}

RowSettings Mapping::apply(const CsvRow& header, const CsvRow& row, const ColumnPlaces& places,
                           std::optional<Finding>& wrong, Additions additions) const {
  RowSettings settings;
  const std::optional<std::vector<std::string>> read = cellsOf(header, row, places, wrong);
  if (!read)
    return settings;
  const std::vector<std::string>& cells = *read;
  for (const Agreement& agreement : agreements)
    if ((wrong = disagreement(agreement, cells, row, places)))
      return settings;
  std::set<std::size_t> matched;
  for (const MappingRule& rule : rules) {
    MatchedGroups groups;
    if (!llvm::all_of(rule.when, [&](const Condition& c) { return holds(c, cells, groups); }))
      continue;
    settings.rules.push_back(static_cast<std::size_t>(&rule - rules.data()));
    for (const auto& [column, of] : groups)
      matched.insert(column);
    for (const Assignment& assignment : rule.set)
      settings.set(textOf(assignment.path, cells, groups), textOf(assignment.value, cells, groups));
  }
  // A column whose name is the path of a field sets this field.
  if (additions != Additions::None)
    for (std::size_t at = 0; at < header.cells.size(); ++at) {
      const llvm::StringRef value = llvm::StringRef(row.cells[at].text).trim();
      if (!value.empty() && isPath(header.cells[at].text))
        settings.set(header.cells[at].text, value.str());
    }
  if (additions == Additions::ColumnsAndGiven)
    for (const auto& [path, value] : given)
      settings.set(path, value);
  for (const std::size_t column : understood)
    if (!cells[column].empty() && matched.count(column) == 0)
      settings.set("unknown", fmt::format("{} `{}`", columns[column].name, cells[column]));
  return settings;
}
