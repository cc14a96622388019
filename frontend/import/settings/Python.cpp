//===- Python.cpp - Python files read as data -------------------------------------------------===//
#include "frontend/import/settings/Python.h"
#include "frontend/import/settings/LiteralReader.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::settings;

namespace {
constexpr unsigned deepestCall = 8;       ///< limit on nested calls, because each of them reads
                                          ///< expressions by recursion
constexpr std::size_t longestTarget = 16; ///< limit on the points of a target `a.b.c = …`

llvm::StringRef nameAt(llvm::StringRef text) {
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}
} // namespace

LogicalResult PythonModule::broken(const std::string& why, std::size_t begin) {
  return notA("Python", why,
              {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 1)},
              diags);
}

/// The logical line that begins at `begin`. Brackets and strings may continue it over several
/// lines. The last line end is not included.
FailureOr<PythonModule::Line> PythonModule::lineAt(std::size_t begin) {
  std::size_t at = begin, open = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const std::size_t behind = LiteralReader::endOfString(text, at);
      if (behind == llvm::StringRef::npos)
        return broken("a string does not end", at);
      at = behind - 1;
    } else if (c == '\\' && text.substr(at + 1).startswith("\n")) {
      ++at;
    } else if (c == '(' || c == '[' || c == '{') {
      ++open;
    } else if (c == ')' || c == ']' || c == '}') {
      if (open == 0)
        return broken(fmt::format("`{}` has no opening bracket", c), at);
      --open;
    } else if (c == '\n' && open == 0) {
      break;
    }
  }
  if (open > 0)
    return broken("a bracket is not closed", begin);
  return Line{begin, at};
}

LogicalResult PythonModule::read() {
  if (text.size() > longestFile)
    return notA("a file of settings", "it is too long", {file, 0, 1}, diags);
  PythonFunction* open = nullptr;
  for (std::size_t at = 0; at < text.size();) {
    const FailureOr<Line> line = lineAt(at);
    if (line.failed() || top(*line, open).failed())
      return LogicalResult::failure();
    at = line->end + 1;
  }
  return LogicalResult::success();
}

/// Reads a line at the top of the module, or adds it to the open function.
LogicalResult PythonModule::top(Line line, PythonFunction*& open) {
  const llvm::StringRef whole = text.slice(line.begin, line.end);
  llvm::StringRef words = whole.ltrim();
  if (words.empty() || words[0] == '#')
    return LogicalResult::success();
  if (words.size() < whole.size()) { // the line is indented
    if (open)
      open->lines.push_back({line.end - words.size(), line.end});
    return LogicalResult::success();
  }
  open = nullptr;
  if (words.consume_front("def ")) {
    const std::string name = nameAt(words.ltrim()).str();
    const llvm::StringRef arguments = words.drop_front(std::min(words.find('('), words.size()));
    open = &bodies[name];
    *open = {!arguments.drop_front(arguments.empty() ? 0 : 1).ltrim().startswith(")"),
             {},
             {file, static_cast<std::uint32_t>(line.begin),
              static_cast<std::uint32_t>(line.begin + std::max<std::size_t>(name.size() + 4, 1))}};
    if (!llvm::is_contained(order, name))
      order.push_back(name);
    return LogicalResult::success();
  }
  if (words.consume_front("from ")) {
    const llvm::StringRef module = nameAt(words.ltrim());
    words = words.ltrim().drop_front(module.size()).ltrim();
    if (words.consume_front("import"))
      for (llvm::StringRef rest = words; !rest.empty();) {
        rest = rest.drop_while([](char c) { return !llvm::isAlnum(c) && c != '_'; });
        const llvm::StringRef name = nameAt(rest);
        rest = rest.drop_front(name.size());
        if (!name.empty())
          imported[name.str()] = module.str();
      }
    return LogicalResult::success();
  }
  const llvm::StringRef name = nameAt(words);
  const llvm::StringRef behind = words.drop_front(name.size()).ltrim();
  if (name.empty() || name.contains('.') || !behind.startswith("=") || behind.startswith("=="))
    return LogicalResult::success(); // other statements of the module have no effect on settings
  SettingValue ignored;
  return statement(line, globals, ignored, 0).failed() ? LogicalResult::failure()
                                                       : LogicalResult::success();
}

std::string PythonModule::moduleOf(const std::string& name) const {
  const auto found = imported.find(name);
  return found == imported.end() ? "" : found->second;
}

std::string PythonModule::bodyOf(const std::string& function) const {
  const auto found = bodies.find(function);
  std::string out;
  if (found != bodies.end())
    for (const Line& line : found->second.lines)
      out += (out.empty() ? "" : "\n") + text.slice(line.begin, line.end).str();
  return out;
}

FailureOr<SettingValue> PythonModule::returned(const std::string& function, unsigned depth) {
  const auto found = bodies.find(function);
  if (found == bodies.end())
    return diags.report<diag::NotAConfiguration>(
        SourceRange{file, 0, 1}, fmt::format("there is no function `{}`", function));
  if (depth > deepestCall)
    return diags.report<diag::NotAConfiguration>(
        found->second.at,
        fmt::format("`{}` calls itself, or calls are nested too deeply", function));
  PythonNames names;
  SettingValue result;
  for (const Line line : found->second.lines) {
    const FailureOr<bool> returns = statement(line, names, result, depth);
    if (returns.failed())
      return LogicalResult::failure();
    if (*returns)
      return result;
  }
  return diags.report<diag::NotAConfiguration>(found->second.at,
                                               fmt::format("`{}` returns nothing", function));
}

/// Reads a statement. Returns whether it is a `return`, whose value is then `result`.
FailureOr<bool> PythonModule::statement(Line line, PythonNames& names, SettingValue& result,
                                        unsigned depth) {
  llvm::StringRef words = text.slice(line.begin, line.end);
  const SourceRange at{file, static_cast<std::uint32_t>(line.begin),
                       static_cast<std::uint32_t>(std::min(line.end, text.find('\n', line.begin)))};
  if (words.startswith("\"") || words.startswith("'") || words == "pass" ||
      words.startswith("assert ") || words.startswith("from ") || words.startswith("import "))
    return false;
  const bool returns = words.startswith("return ") || words.startswith("return(");
  const llvm::StringRef target = returns ? "" : nameAt(words);
  llvm::StringRef behind = words.drop_front(returns ? 6 : target.size()).ltrim();
  if (!returns && behind.startswith(":")) // a type annotation
    behind = behind.drop_front(std::min(behind.find('='), behind.size()));
  const bool assigns = !target.empty() && target.count('.') <= longestTarget &&
                       behind.startswith("=") && !behind.startswith("==");
  if (!returns && !assigns)
    return diags
        .report<diag::NotAConfiguration>(at, "a statement that has to be run: the file is read as "
                                             "data")
        .help("only `NAME = VALUE`, `NAME.FIELD = VALUE` and `return VALUE` are read; write the "
              "values instead");
  const std::size_t begin = line.end - behind.size() + (assigns ? 1 : 0);
  const auto known = [&](const SettingValue& named) -> FailureOr<std::optional<SettingValue>> {
    const auto [first, path] = llvm::StringRef(named.text).split('.');
    if (named.kind == SettingValue::SettingKind::Call) {
      const auto body = bodies.find(named.text);
      if (!named.entries.empty() || body == bodies.end() || body->second.arguments)
        return std::optional<SettingValue>();
      FailureOr<SettingValue> inner = returned(named.text, depth + 1);
      if (inner.failed())
        return LogicalResult::failure();
      return std::optional<SettingValue>(std::move(*inner));
    }
    const auto found = names.find(first.str()), outside = globals.find(first.str());
    const SettingValue* value = found != names.end()       ? &found->second
                                : outside != globals.end() ? &outside->second
                                                           : nullptr;
    for (llvm::StringRef rest = path, key; value && !rest.empty();) {
      std::tie(key, rest) = rest.split('.');
      value = value->find(key);
    }
    if (!value)
      return std::optional<SettingValue>();
    if (!budget.spend(sizeOf(*value)))
      return broken("it has too many values", line.begin);
    return std::optional<SettingValue>(*value);
  };
  LiteralReader expression(text, file, begin, line.end, "Python", budget, diags, known);
  FailureOr<SettingValue> value = expression.run();
  if (value.failed())
    return LogicalResult::failure();
  expression.skipBlanks();
  if (expression.position() < line.end) { // more follows: `a, b`, `a; b`
    *value = SettingValue{};
    value->kind = SettingValue::SettingKind::NotData, value->at = at;
    value->text = text.slice(begin, line.end).trim().str();
  }
  if (returns) {
    result = std::move(*value);
    return true;
  }
  value->at = at;
  const auto [first, path] = target.split('.');
  SettingValue* place = &names[first.str()];
  for (llvm::StringRef rest = path, key; !rest.empty();) {
    std::tie(key, rest) = rest.split('.');
    place = &place->place(key);
  }
  *place = std::move(*value);
  return false;
}
