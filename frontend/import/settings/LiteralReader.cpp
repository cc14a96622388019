//===- LiteralReader.cpp - Reads a Python expression or a JSON value --------------------------===//
#include "frontend/import/settings/LiteralReader.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::settings;

namespace {
bool beginsName(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isOfName(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Decodes the text between quotes. Only escapes that occur in paths and messages are supported.
std::string unescaped(llvm::StringRef inside) {
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out += inside[i];
      continue;
    }
    const char c = inside[++i];
    if (c != '\n')
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return out;
}
} // namespace

std::size_t LiteralReader::endOfString(llvm::StringRef text, std::size_t at) {
  const llvm::StringRef quote = text.substr(at, 1);
  const std::string three = (quote + quote + quote).str();
  const bool isLong = text.substr(at).startswith(three);
  const std::size_t width = isLong ? 3 : 1;
  for (at += width; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '\n' && !isLong)
      return llvm::StringRef::npos;
    else if (text.substr(at).startswith(isLong ? llvm::StringRef(three) : quote))
      return at + width;
  }
  return llvm::StringRef::npos;
}

void LiteralReader::skipBlanks() {
  while (at < text.size()) {
    if (text[at] == '#')
      at = std::min(text.find('\n', at), text.size());
    else if (text[at] == '\\' && text.substr(at + 1).startswith("\n"))
      at += 2;
    else if (llvm::isSpace(text[at]))
      ++at;
    else
      return;
  }
}

LogicalResult LiteralReader::broken(const std::string& why, std::size_t place) {
  const auto begin = static_cast<std::uint32_t>(std::min(place, text.size()));
  return notA(language, why, {file, begin, begin + 1}, diags);
}

SettingValue LiteralReader::made(SettingValue::SettingKind kind, std::size_t begin) const {
  SettingValue out;
  out.kind = kind;
  out.at = {file, static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(std::max(at, begin + 1))};
  return out;
}

/// Skips an expression that is not data, up to the end of the element that contains it.
FailureOr<SettingValue> LiteralReader::notData(std::size_t begin) {
  std::string open;
  for (at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (open.empty() && (c == ',' || c == ')' || c == ']' || c == '}' || (c == ':' && ofKey)))
      break;
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const std::size_t behind = endOfString(text, at);
      if (behind == llvm::StringRef::npos)
        return broken("a string does not end", at);
      at = behind - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      open += c;
    } else if (c == ')' || c == ']' || c == '}') {
      open.pop_back();
    }
  }
  if (!open.empty())
    return broken(fmt::format("`{}` is not closed", open.back()), begin);
  SettingValue out = made(SettingValue::SettingKind::NotData, begin);
  out.text = text.slice(begin, std::min(at, text.size())).trim().str();
  return out;
}

/// Reads an element up to the comma or bracket after it.
FailureOr<SettingValue> LiteralReader::element(unsigned depth) {
  skipBlanks();
  const std::size_t begin = at;
  if (depth > deepestValue || !budget.spend(1))
    return broken("it has too many values, or is nested too deeply", at);
  if (next() == '*') {
    ++at;
    FailureOr<SettingValue> inner = element(depth + 1);
    if (inner.failed())
      return inner;
    SettingValue out = made(SettingValue::SettingKind::Spread, begin);
    out.entries.push_back({"", std::move(*inner)});
    return out;
  }
  FailureOr<SettingValue> left = term(depth);
  if (left.failed())
    return left;
  skipBlanks();
  while (next() == '*' || next() == '+' || next() == '-') { // evaluates whole numbers from left to
                                                            // right
    const char sign = text[at];
    ++at;
    std::uint64_t a = 0, b = 0, result = 0;
    FailureOr<SettingValue> right =
        next() == sign ? FailureOr<SettingValue>(SettingValue{}) : term(depth + 1);
    if (right.failed())
      return right;
    const bool whole = left->kind == SettingValue::SettingKind::Number &&
                       right->kind == SettingValue::SettingKind::Number &&
                       !llvm::StringRef(left->text).getAsInteger(10, a) &&
                       !llvm::StringRef(right->text).getAsInteger(10, b);
    skipBlanks();
    const bool last = next() != '*' || sign == '*'; // `*` binds more tightly than `+` and `-`
    const bool fits = whole && last && (sign != '-' || a >= b) &&
                      !(sign == '*'   ? __builtin_mul_overflow(a, b, &result)
                        : sign == '+' ? __builtin_add_overflow(a, b, &result)
                                      : __builtin_sub_overflow(a, b, &result));
    if (!fits)
      return notData(begin);
    left->text = std::to_string(result);
  }
  if (const char c = next(); at < text.size() && c != ',' && c != ')' && c != ']' && c != '}' &&
                             (c != ':' || !ofKey) && (c != '=' || text.substr(at).startswith("==")))
    return notData(begin);
  return left;
}

FailureOr<SettingValue> LiteralReader::term(unsigned depth) {
  skipBlanks();
  if (next() == '-') {
    ++at;
    FailureOr<SettingValue> inner = number();
    if (inner.failed() || inner->kind != SettingValue::SettingKind::Number)
      return inner;
    inner->text = "-" + inner->text;
    return inner;
  }
  FailureOr<SettingValue> value = primary(depth);
  return value.failed() ? value : suffix(std::move(*value), depth);
}

FailureOr<SettingValue> LiteralReader::primary(unsigned depth) {
  const std::size_t begin = at;
  const char c = next();
  if (at >= text.size())
    return broken("a value is missing", at);
  if (c == '[' || c == '(' || c == '{') {
    const bool key = std::exchange(ofKey, false);
    ++at;
    SettingValue out =
        made(c == '{' ? SettingValue::SettingKind::Table : SettingValue::SettingKind::List, begin);
    const LogicalResult read =
        c == '{' ? table(out, depth) : items(out, c == '[' ? ']' : ')', depth);
    ofKey = key;
    if (read.failed())
      return LogicalResult::failure();
    if (c == '(' && out.entries.size() == 1 && !text.slice(begin, at - 1).rtrim().endswith(","))
      return std::move(out.entries.front().value); // a value in parentheses
    return out;
  }
  if (c == '"' || c == '\'')
    return string();
  if (llvm::isDigit(c) || c == '.')
    return number();
  if (beginsName(c))
    return name();
  if (c == '~')
    return notData(at);
  return broken(
      fmt::format("a value cannot begin with `{}`", llvm::isPrint(c) ? std::string(1, c) : "?"),
      at);
}

/// Reads the arguments of a call. The cursor is after the name.
FailureOr<SettingValue> LiteralReader::suffix(SettingValue value, unsigned depth) {
  if (value.kind != SettingValue::SettingKind::Call || !value.entries.empty())
    return value;
  const bool calls = next() == '(';
  if (calls) {
    ++at;
    const bool key = std::exchange(ofKey, false);
    const LogicalResult read = items(value, ')', depth);
    ofKey = key;
    if (read.failed())
      return LogicalResult::failure();
  }
  value.at.end = static_cast<std::uint32_t>(at);
  SettingValue named = std::move(value);
  if (!calls)
    named.kind = SettingValue::SettingKind::NotData;
  const FailureOr<std::optional<SettingValue>> known_ = known(named);
  if (known_.failed())
    return LogicalResult::failure();
  return known_->value_or(std::move(named));
}

LogicalResult LiteralReader::items(SettingValue& into, char close, unsigned depth) {
  while (true) {
    skipBlanks();
    if (next() == close) {
      ++at;
      return LogicalResult::success();
    }
    if (at >= text.size())
      return broken(fmt::format("`{}` is missing", close), into.at.begin);
    const std::size_t begin = at;
    FailureOr<SettingValue> item = element(depth + 1);
    if (item.failed())
      return LogicalResult::failure();
    std::string key;
    if (next() == '=') { // a keyword argument
      key = text.slice(begin, at).trim().str();
      ++at;
      item = element(depth + 1);
      if (item.failed())
        return LogicalResult::failure();
    }
    const SourceRange keyed{file, static_cast<std::uint32_t>(begin), item->at.end};
    if (key.empty())
      into.entries.push_back({"", std::move(*item)});
    else if (addEntry(into, key, std::move(*item), keyed, diags).failed())
      return LogicalResult::failure();
    skipBlanks();
    if (next() == ',')
      ++at;
    else if (next() != close)
      return broken(fmt::format("`,` or `{}` is missing", close), at);
  }
}

LogicalResult LiteralReader::table(SettingValue& into, unsigned depth) {
  while (true) {
    skipBlanks();
    if (next() == '}') {
      ++at;
      return LogicalResult::success();
    }
    if (at >= text.size())
      return broken("`}` is missing", into.at.begin);
    const std::size_t begin = at;
    ofKey = true;
    FailureOr<SettingValue> key = element(depth + 1);
    ofKey = false;
    if (key.failed())
      return LogicalResult::failure();
    skipBlanks();
    if (next() == ',' || next() == '}') { // `**others`, or an element of a set
      into.entries.push_back({"", std::move(*key)});
      at += next() == ',';
      continue;
    }
    if (next() != ':')
      return broken("`:` is missing", at);
    ++at;
    FailureOr<SettingValue> value = element(depth + 1);
    if (value.failed())
      return LogicalResult::failure();
    const SourceRange keyed{file, static_cast<std::uint32_t>(begin), key->at.end};
    value->at = keyed;
    if (addEntry(into, key->text, std::move(*value), keyed, diags).failed())
      return LogicalResult::failure();
    skipBlanks();
    if (next() == ',')
      ++at;
    else if (next() != '}')
      return broken("`,` or `}` is missing", at);
  }
}

FailureOr<SettingValue> LiteralReader::name() {
  const std::size_t begin = at;
  while (at < text.size() && (isOfName(text[at]) || (text[at] == '.' && at + 1 < text.size() &&
                                                     beginsName(text[at + 1]))))
    ++at;
  const llvm::StringRef word = text.slice(begin, at);
  if (at < text.size() && (text[at] == '"' || text[at] == '\'') && word.size() <= 2)
    return word.contains_insensitive("f") || word.contains_insensitive("b") ? notData(begin)
                                                                            : string();
  SettingValue out = made(SettingValue::SettingKind::Call, begin);
  out.text = word.str();
  if (word == "True" || word == "true" || word == "False" || word == "false")
    out.kind = SettingValue::SettingKind::Truth, out.text = word.lower();
  else if (word == "None" || word == "null")
    out.kind = SettingValue::SettingKind::Null;
  else if (word == "Infinity" || word == "NaN")
    out.kind = SettingValue::SettingKind::Number; // every reader rejects this number
  return out;
}

FailureOr<SettingValue> LiteralReader::number() {
  const std::size_t begin = at;
  std::string digits;
  while (at < text.size() && (isOfName(text[at]) || text[at] == '.' ||
                              ((text[at] == '-' || text[at] == '+') && at > begin &&
                               (text[at - 1] == 'e' || text[at - 1] == 'E')))) {
    if (text[at] != '_')
      digits += text[at];
    ++at;
  }
  double value = 0;
  if (digits.empty() || (digits != "Infinity" && llvm::StringRef(digits).getAsDouble(value)))
    return notData(begin);
  SettingValue out = made(SettingValue::SettingKind::Number, begin);
  out.text = digits;
  return out;
}

/// Reads a string. Adjacent strings are joined, as in Python.
FailureOr<SettingValue> LiteralReader::string() {
  const std::size_t begin = at;
  std::string held;
  while (next() == '"' || next() == '\'') {
    const std::size_t end = endOfString(text, at);
    if (end == llvm::StringRef::npos)
      return broken("a string does not end", at);
    const std::size_t width =
        end - at >= 6 && text[at] == text[at + 1] && text[at] == text[at + 2] ? 3 : 1;
    held += unescaped(text.slice(at + width, end - width));
    at = end;
    const std::size_t behind = at;
    skipBlanks();
    if (next() != '"' && next() != '\'')
      at = behind;
  }
  SettingValue out = made(SettingValue::SettingKind::Text, begin);
  out.text = std::move(held);
  return out;
}

FailureOr<SettingValue> dpl::imports::settings::readJson(const SourceManager& sources,
                                                         std::uint32_t file,
                                                         DiagnosticEngine& diags) {
  if (tooLong(sources, file, diags))
    return LogicalResult::failure();
  ValueBudget budget;
  const llvm::StringRef text = sources.text(file);
  LiteralReader json(text, file, 0, text.size(), "JSON", budget, diags,
                     [](const SettingValue&) { return std::optional<SettingValue>(); });
  FailureOr<SettingValue> out = json.run();
  if (out.failed())
    return out;
  json.skipBlanks();
  const auto end = static_cast<std::uint32_t>(json.position());
  if (json.position() < text.size())
    return notA("JSON", "there is text after the value", {file, end, end + 1}, diags);
  if (out->kind != SettingValue::SettingKind::Table)
    return notA("a JSON object", "it does not begin with `{`", {file, 0, 1}, diags);
  return out;
}
