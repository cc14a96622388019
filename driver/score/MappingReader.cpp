//===- MappingReader.cpp - Reads a mapping from JSON ------------------------------------------===//
#include "driver/score/Mapping.h"
#include "support/Json.h"
#include "support/Near.h"
#include "support/Number.h"
#include "support/diagnostics/Score.h"
#include "llvm/ADT/StringExtras.h"
using namespace dpl;
using namespace dpl::score;

namespace {
/// Whether a rule may set a field of a row.
bool isSettable(llvm::StringRef path) {
  for (const char* name :
       {"id", "model", "cluster", "model.kind", "inexpressible", "unscored", "outcome"})
    if (path == name)
      return true;
  for (const char* prefix :
       {"model.", "cluster.", "layout.", "collective.", "label.", "measured.", "predicted."})
    if (path.startswith(prefix))
      return true;
  return false;
}
} // namespace

class Mapping::MappingReader {
public:
  MappingReader(Mapping& mapping, std::uint32_t file, SourceManager& sources,
                DiagnosticEngine& diags)
      : mapping(mapping), file(file), sources(sources), diags(diags) {}

  LogicalResult read() {
    const llvm::StringRef text = sources.text(file);
    JsonMistake mistake;
    const Json json = Json::parse(text, &mistake, /*comments=*/true);
    if (json.is_discarded()) {
      const auto at = static_cast<std::uint32_t>(std::min(mistake.at, text.size()));
      return diags.report<diag::NotAMapping>({file, at, at}, "JSON is needed, " + mistake.reason);
    }
    if (!json.is_object())
      return wrong("an object is needed");
    for (const auto& [key, value] : json.items())
      if (key != "about" && key != "columns" && key != "ignored" && key != "understood" &&
          key != "agree" && key != "rules")
        return wrong(fmt::format("`{}` is unknown, allowed are `about`, `columns`, `ignored`, "
                                 "`understood`, `agree` and `rules`",
                                 key));
    if (!json.contains("columns") || !json["columns"].is_object() || json["columns"].empty())
      return wrong("`columns` is needed, an object of the columns by name");
    for (const auto& [name, value] : json["columns"].items())
      if (column(name, value).failed())
        return LogicalResult::failure();
    for (const Json& name : json.value("ignored", Json::array())) {
      if (!name.is_string())
        return wrong("`ignored` is not a list of columns");
      mapping.ignored.push_back(name.get<std::string>());
    }
    if (json.contains("understood") && columnsOf(json["understood"], mapping.understood).failed())
      return LogicalResult::failure();
    const Json agree = json.value("agree", Json::array());
    if (!agree.is_array())
      return wrong("`agree` is not a list");
    for (const Json& value : agree)
      if (agreement(value).failed())
        return LogicalResult::failure();
    if (!json.contains("rules") || !json["rules"].is_array())
      return wrong("`rules` is needed, a list");
    for (const Json& value : json["rules"])
      if (rule(value).failed())
        return LogicalResult::failure();
    return LogicalResult::success();
  }

private:
  LogicalResult wrong(const std::string& what) {
    return diags.report<diag::NotAMapping>({file, 0, 0}, what);
  }

  std::optional<std::size_t> find(llvm::StringRef name) const {
    for (std::size_t i = 0; i < mapping.columns.size(); ++i)
      if (mapping.columns[i].name == name)
        return i;
    return std::nullopt;
  }
  LogicalResult unknown(llvm::StringRef name) {
    std::vector<std::string> names;
    for (const Column& known : mapping.columns)
      names.push_back(known.name);
    return diags.report<diag::NotAMapping>({file, 0, 0}, fmt::format("`columns` has no `{}`", name))
        .help(didYouMean(nearNames(name.str(), names),
                         "a rule can read the columns of `columns` only"));
  }

  /// Reads the description of a column: "text", "count", "flag", "number", "number of s", "count
  /// from 1", "text with none, ZeRO-1", "needed count", "count else 1".
  LogicalResult column(const std::string& name, const Json& value) {
    Column made;
    made.name = name;
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    auto [kind, otherwise] = llvm::StringRef(text).split(" else ");
    made.otherwise = otherwise.str();
    made.needed = kind.consume_front("needed ");
    if (kind.consume_front("number of ")) {
      made.unit = kind.str();
      kind = "number";
    }
    if (kind.consume_front("text with ")) {
      llvm::SmallVector<llvm::StringRef, 8> words;
      kind.split(words, ", ", -1, false);
      made.words.assign(words.begin(), words.end());
      kind = "text";
    }
    if (kind.consume_front("count from ")) {
      if (kind.getAsInteger(10, made.least))
        return wrong(
            fmt::format("column `{}` counts from `{}`, which is not a number", name, kind));
      kind = "count";
    }
    if (kind == "count")
      made.kind = ColumnKind::Count;
    else if (kind == "number")
      made.kind = ColumnKind::Number;
    else if (kind == "flag")
      made.kind = ColumnKind::Flag;
    else if (kind != "text")
      return wrong(
          fmt::format("column `{}` is `{}`; text, count, flag, number or number of UNIT is needed",
                      name, text));
    if (!made.unit.empty() && !findUnit(made.unit))
      return wrong(fmt::format("column `{}` is in `{}`, which is not a unit", name, made.unit));
    mapping.columns.push_back(std::move(made));
    return LogicalResult::success();
  }

  /// Reads the name of a column, or a list of names.
  LogicalResult columnsOf(const Json& value, std::vector<std::size_t>& into) {
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
      const std::string name = one.is_string() ? one.get<std::string>() : std::string();
      const std::optional<std::size_t> at = find(name);
      if (!at)
        return unknown(name);
      into.push_back(*at);
    }
    return LogicalResult::success();
  }

  LogicalResult agreement(const Json& value) {
    if (!value.is_object() || !value.contains("of") ||
        value.size() != 2 + (value.contains("unless") ? 1 : 0) ||
        value.contains("product") == value.contains("multiple"))
      return wrong(
          "an entry of `agree` has `of`, `product` or `multiple`, and optionally `unless`");
    Agreement made;
    if (value.contains("unless") && columnsOf(value["unless"], made.unless).failed())
      return LogicalResult::failure();
    made.multiple = value.contains("multiple");
    if (columnsOf(value["of"], made.wholes).failed() ||
        columnsOf(value[made.multiple ? "multiple" : "product"], made.factors).failed())
      return LogicalResult::failure();
    if (made.wholes.empty() || made.factors.empty())
      return wrong("an entry of `agree` names no column");
    mapping.agreements.push_back(std::move(made));
    return LogicalResult::success();
  }

  LogicalResult condition(const std::string& name, const Json& value, MappingRule& into) {
    const std::optional<std::size_t> at = find(name);
    if (!at)
      return unknown(name);
    if (!value.is_string())
      return wrong(fmt::format("the condition on `{}` is not a string", name));
    const std::string text = value.get<std::string>();
    Condition made;
    made.column = *at;
    llvm::StringRef rest = text;
    using Test = Condition::ConditionTest;
    const bool compared = rest.startswith("<") || rest.startswith(">");
    if (compared) {
      const bool less = rest.consume_front("<");
      if (!less)
        rest = rest.drop_front();
      const bool equal = rest.consume_front("=");
      made.test =
          less ? (equal ? Test::LessEqual : Test::Less) : (equal ? Test::MoreEqual : Test::More);
      if (rest.trim().getAsDouble(made.bound))
        return wrong(fmt::format("the condition on `{}` compares with `{}`, which is not a number",
                                 name, rest));
    } else {
      if (rest.consume_front("!"))
        made.test = Test::Differs;
      // GB/s and Gb/s are different units.
      const bool exact = rest.consume_front("case:");
      made.pattern = std::make_shared<llvm::Regex>(rest, exact ? llvm::Regex::NoFlags
                                                               : llvm::Regex::IgnoreCase);
      if (std::string reason; !made.pattern->isValid(reason))
        return wrong(fmt::format("the condition on `{}` is not a pattern: {}", name, reason));
    }
    into.when.push_back(std::move(made));
    return LogicalResult::success();
  }

  /// Splits a value into its parts. `{tp}` is the cell of a column, and `{interconnect:1}` the
  /// first group of the rule's pattern for it. Other braces are text.
  std::vector<ValuePiece> pieces(llvm::StringRef text) const {
    std::vector<ValuePiece> out;
    std::string literal;
    while (!text.empty()) {
      std::optional<std::size_t> column;
      unsigned group = 0;
      if (text.front() == '{') {
        llvm::StringRef name = text.drop_front().take_until([](char c) { return c == '}'; });
        const std::size_t size = name.size();
        if (size + 1 < text.size()) {
          if (const auto [before, digit] = name.rsplit(':');
              digit.size() == 1 && llvm::isDigit(digit[0])) {
            name = before;
            group = static_cast<unsigned>(digit[0] - '0');
          }
          column = find(name);
          if (column)
            text = text.drop_front(size + 2);
        }
      }
      if (column) {
        out.push_back({literal, column, group});
        literal.clear();
      } else {
        literal += text.front();
        text = text.drop_front();
      }
    }
    if (!literal.empty())
      out.push_back({literal, std::nullopt, 0});
    return out;
  }

  LogicalResult rule(const Json& value) {
    if (!value.is_object() || !value.contains("set") || !value["set"].is_object())
      return wrong("a rule is an object with `set`, and optionally `when` and `why`");
    MappingRule made;
    if (value.contains("why") && value["why"].is_string())
      made.why = value["why"].get<std::string>();
    for (const auto& [key, part] : value.items())
      if (key != "set" && key != "when" && key != "why")
        return wrong(fmt::format("a rule has `{}`, allowed are `when`, `set` and `why`", key));
    if (value.contains("when")) {
      if (!value["when"].is_object())
        return wrong("`when` of a rule is not an object");
      for (const auto& [name, test] : value["when"].items())
        if (condition(name, test, made).failed())
          return LogicalResult::failure();
    }
    for (const auto& [path, text] : value["set"].items()) {
      if (!isSettable(path))
        return wrong(fmt::format("a rule sets `{}`, which no row has", path));
      if (!text.is_string())
        return wrong(fmt::format("the value for `{}` is not a string", path));
      made.set.push_back({pieces(path), pieces(text.get<std::string>())});
    }
    mapping.rules.push_back(std::move(made));
    return LogicalResult::success();
  }

  Mapping& mapping;
  std::uint32_t file;
  SourceManager& sources;
  DiagnosticEngine& diags;
};

FailureOr<Mapping> Mapping::parse(const std::string& name, std::string text, SourceManager& sources,
                                  DiagnosticEngine& diags) {
  Mapping mapping;
  mapping.mappingName = name;
  const std::uint32_t file = sources.add(name, std::move(text));
  if (MappingReader(mapping, file, sources, diags).read().failed())
    return LogicalResult::failure();
  return mapping;
}
