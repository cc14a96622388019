//===- Expansion.cpp - Words of a shell script after expansion --------------------------------===//
#include "frontend/import/shell/Expansion.h"
#include "frontend/import/shell/Arithmetic.h"
#include "frontend/import/shell/Dollar.h"
#include <cctype>

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
} // namespace

DoubtPointer Expansion::outside(std::size_t begin, const std::string& variable) const {
  auto doubt = std::make_shared<Doubt>();
  doubt->at = in.from(begin), doubt->what = in.written(begin).str();
  doubt->variable = !variable.empty() && nameStart(variable[0]) ? variable : "";
  doubt->outside = true;
  return doubt;
}

ShellWord Expansion::valueOf(const std::string& name, const std::string& otherwise,
                             std::size_t begin) const {
  const ShellVariable* const found = variables.find(name);
  if (!found)
    return {otherwise, in.from(begin), outside(begin, name)};
  return found->words.empty() ? ShellWord{"", in.from(begin), nullptr} : found->words.front();
}

ShellWord Expansion::inQuotes(llvm::StringRef inside, std::size_t begin) {
  ShellWord joined{"", in.from(begin), nullptr};
  constexpr unsigned deepest = 32;
  if (depth >= deepest)
    return {inside.str(), in.from(begin), outside(begin, "")};
  const std::string quoted = '"' + inside.str() + '"';
  ScriptCursor inner(quoted, in.file());
  // The quotes inside are removed: `${X:-"a"}` is a.
  for (const ShellWord& piece : Expansion(inner, *this).word()) {
    joined.text += piece.text;
    if (piece.doubt) {
      Doubt located = *piece.doubt;
      located.at = located.outside ? in.from(begin) : located.at;
      joined.doubt = std::make_shared<Doubt>(located);
    }
  }
  return joined;
}

ShellWord Expansion::calculated(const std::string& expression, std::size_t begin) {
  const ShellWord expanded = inQuotes(expression, begin);
  DoubtPointer doubt = expanded.doubt;
  std::string plain;
  for (std::size_t i = 0; i < expanded.text.size();) {
    const std::size_t start = i;
    while (i < expanded.text.size() && nameChar(expanded.text[i]))
      ++i;
    const std::string name = expanded.text.substr(start, i - start);
    if (name.empty()) {
      plain += expanded.text[i++];
    } else if (nameStart(name[0])) {
      const ShellWord value = valueOf(name, "?", begin);
      if (value.doubt && !doubt)
        doubt = value.doubt;
      plain += value.text;
    } else {
      plain += name;
    }
  }
  const FailureOr<long long> out = evaluate(plain);
  if (!out.failed() && !doubt)
    return {std::to_string(*out), in.from(begin), nullptr};
  const llvm::StringRef sets(expression);
  if (sets.contains('=') || sets.contains("++") || sets.contains("--"))
    for (std::size_t i = 0, end = 0; i < expression.size(); i = end + 1) {
      end = i;
      while (end < expression.size() && nameChar(expression[end]))
        ++end;
      if (end > i && nameStart(expression[i]))
        variables.doubt(expression.substr(i, end - i), in.from(begin), in.written(begin).str());
    }
  return {in.written(begin).str(), in.from(begin), doubt ? doubt : outside(begin, "")};
}

void Expansion::backquoted(WordList& out, std::size_t begin) {
  const std::size_t start = in.position();
  in.advance();
  in.untilClosed('\0', '`');
  out.append(in.written(start), false, begin, outside(start, ""));
}

void Expansion::doubleQuoted(WordList& out, std::size_t begin) {
  const std::size_t before = in.position();
  in.advance();
  const bool alone = !out.open;
  out.append("", false, begin);
  while (!in.done() && in.peek() != '"') {
    if (in.peek() == '\\' && in.peek(1) == '\n') {
      in.advance(2);
    } else if (escaped && in.peek() == '\\' && (in.peek(1) == '$' || in.peek(1) == '`')) {
      in.advance();
    } else if (in.peek() == '\\' && in.peek(1) != '\0' &&
               llvm::StringRef("\"\\$`").contains(in.peek(1))) {
      out.append(in.text().substr(in.position() + 1, 1), false, begin);
      in.advance(2);
    } else if (in.peek() == '$' && expands(in.peek(1))) {
      Dollar(in, variables, *this, out, true).expand();
    } else if (in.peek() == '`') {
      backquoted(out, begin);
    } else {
      out.append(in.text().substr(in.position(), 1), false, begin);
      in.advance();
    }
  }
  in.advance(!in.done());
  // "$@", "${@:2}", "${NAME[@]}" and "${NAME[@]:2}" become no word if there are no elements.
  const llvm::StringRef inside = in.written(before);
  const bool words = inside == "\"$@\"" || inside.startswith("\"${@") || inside.contains("[@]");
  if (alone && words && inside.startswith("\"$") && inside.count('$') == 1 &&
      out.words.back().text.empty() && !out.words.back().doubt)
    out.words.pop_back(), out.open = false;
}

ShellWords Expansion::word() {
  WordList out(in, variables, *limit);
  const std::size_t begin = in.position();
  while (!in.done()) {
    const char c = in.peek();
    if (c == '\'') {
      in.advance();
      const std::size_t from = in.position();
      const std::size_t end = std::min(in.text().find('\'', from), in.text().size());
      out.append(in.text().slice(from, end), false, begin);
      in.moveTo(std::min(end + 1, in.text().size()));
    } else if (c == '"') {
      doubleQuoted(out, begin);
    } else if (c == '`') {
      backquoted(out, begin);
    } else if (c == '$' && expands(in.peek(1))) {
      Dollar(in, variables, *this, out, false).expand();
    } else if (c == '\\' && (in.peek(1) == '\n' || (in.peek(1) == '\r' && in.peek(2) == '\n'))) {
      break;
    } else if (escaped && c == '\\' && (in.peek(1) == '$' || in.peek(1) == '`')) {
      in.advance();
    } else if (c == '\\' && in.peek(1) != '\0') {
      out.append(in.text().substr(in.position() + 1, 1), false, begin);
      in.advance(2);
    } else if (isSpace(c) || llvm::StringRef(";&|()<>").contains(c)) {
      break;
    } else {
      out.append(in.text().substr(in.position(), 1), false, begin);
      in.advance();
    }
  }
  for (ShellWord& w : out.words)
    if (w.at.end <= w.at.begin + 1)
      w.at = in.from(begin);
  return std::move(out.words);
}

void Expansion::redirection() {
  in.advance(isDigit(in.peek()));
  const bool here = in.peek() == '<' && in.peek(1) == '<' && in.peek(2) != '<';
  while (!in.done() && llvm::StringRef("<>&").contains(in.peek()))
    in.advance();
  const bool tabs = here && in.peek() == '-';
  in.advance(tabs);
  in.skipBlanks();
  const std::size_t begin = in.position();
  if (in.peek() == '(') {
    in.advance();
    in.untilClosed('(', ')');
    return;
  }
  word();
  if (!here)
    return;
  std::string end = in.written(begin).str();
  const std::size_t length = end.size();
  llvm::erase_if(end, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
  in.announce({end, tabs, end.size() < length});
}

ShellWords Expansion::words(char closing) {
  ShellWords out;
  while (!in.done()) {
    in.skipBlanks();
    const char c = in.peek();
    if (c == '#') {
      in.skipLine();
    } else if (closing != '\0' && c == closing) {
      in.advance();
      break;
    } else if (closing != '\0' && c == '\n') {
      in.newline();
    } else if (c == '<' || c == '>' || (isDigit(c) && (in.peek(1) == '>' || in.peek(1) == '<')) ||
               (c == '&' && in.peek(1) == '>')) {
      if (c == '&')
        in.advance();
      redirection();
    } else if (in.done() || c == '\n' || llvm::StringRef(";&|()").contains(c)) {
      break;
    } else {
      const std::size_t before = in.position();
      for (ShellWord& w : word())
        out.push_back(std::move(w));
      in.advance(in.position() == before);
    }
  }
  return out;
}
