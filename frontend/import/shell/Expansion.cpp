//===- Expansion.cpp - The words of a shell script --------------------------------------------===//
#include "frontend/import/shell/Expansion.h"
#include "llvm/ADT/STLExtras.h"
#include <cctype>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool expands(char c) {
  return nameChar(c) || (c != '\0' && llvm::StringRef("{(@*#?!-").contains(c));
}
} // namespace

bool dpl::imports::megatron::nameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool dpl::imports::megatron::nameChar(char c) { return nameStart(c) || isDigit(c); }

SourceRange Expansion::from(std::size_t begin) const {
  return {file, static_cast<std::uint32_t>(begin),
          static_cast<std::uint32_t>(std::min(at, text.size()))};
}

void Expansion::skipBlanks() {
  while (!done()) {
    if (peek() == ' ' || peek() == '\t' || peek() == '\r')
      ++at;
    else if (peek() == '\\' && peek(1) == '\n')
      at += 2;
    else if (peek() == '\\' && peek(1) == '\r' && peek(2) == '\n')
      at += 3;
    else
      return;
  }
}
void Expansion::skipLine() {
  while (!done() && peek() != '\n')
    ++at;
}

void Expansion::newline() {
  at += !done();
  read = std::exchange(documents, {});
  for (Document& document : read) {
    document.begin = document.behind = at;
    for (bool ended = false; !done() && !ended;) {
      const std::size_t begin = document.behind = at;
      skipLine();
      llvm::StringRef line = text.slice(begin, at).rtrim('\r');
      ended = (document.tabs ? line.ltrim('\t') : line) == document.end;
      at += !done();
      if (!ended)
        document.behind = at;
    }
  }
}

std::string Expansion::untilClosed(char open, char close) {
  const std::size_t begin = at;
  for (int nested = 1; !done(); ++at) {
    if (peek() == '\\') {
      ++at;
    } else if (open == '(' && (peek() == '\'' || peek() == '"')) {
      const std::size_t end = text.find(peek(), at + 1);
      at = end == llvm::StringRef::npos ? at : end;
    } else if (peek() == close && --nested == 0) {
      break;
    } else if (peek() == open) {
      ++nested;
    }
  }
  at = std::min(at, text.size());
  const std::string inside = text.slice(begin, at).str();
  at += !done();
  return inside;
}

/// Adds to the word that is open; with `split`, blanks end words as in an unquoted expansion.
void Expansion::append(ShellWords& out, bool& open, llvm::StringRef piece, bool split,
                       std::size_t begin, const DoubtPointer& doubt) {
  statement += piece.size() + 1, all += piece.size() + 1;
  if (tooLong())
    return;
  const auto begun = [&] {
    if (!open)
      out.push_back({"", from(begin), nullptr});
    open = true;
    if (doubt)
      out.back().doubt = doubt;
  };
  if (split && doubt)
    return appendParts(out, open, piece, begin, doubt);
  if (!split) {
    begun();
    out.back().text += piece;
    return;
  }
  for (const char c : piece) {
    if (isSpace(c)) {
      open = false;
    } else if (c != '\\' || piece.size() == 1) { // a continuation inside of a quoted string
      begun();
      out.back().text += c;
    }
  }
}

/// A value of which a part is not known: its blanks end words, those inside of that part do not.
void Expansion::appendParts(ShellWords& out, bool& open, llvm::StringRef piece, std::size_t begin,
                            const DoubtPointer& doubt) {
  bool given = false;
  while (!piece.empty()) {
    if (isSpace(piece[0])) {
      open = false, piece = piece.drop_front();
      continue;
    }
    Expansion inner(piece, file, variables);
    inner.moveTo(1);
    const bool unknown = piece[0] == '`' || (piece[0] == '$' && expands(inner.peek()));
    if (piece[0] == '`')
      inner.untilClosed('\0', '`');
    else if (unknown && (inner.peek() == '(' || inner.peek() == '{')) {
      const char opening = inner.peek();
      inner.moveTo(2);
      inner.untilClosed(opening, opening == '(' ? ')' : '}');
    } else if (unknown) {
      do
        inner.moveTo(inner.position() + 1);
      while (nameStart(piece[1]) && nameChar(inner.peek()));
    }
    const llvm::StringRef part = piece.take_front(inner.position());
    if (!open)
      out.push_back({"", from(begin), nullptr});
    open = true;
    out.back().text += part;
    if (unknown)
      out.back().doubt = causeOf(part, doubt), given = true;
    piece = piece.drop_front(part.size());
  }
  if (!given && !out.empty()) // it is not lost
    out.back().doubt = doubt;
}

/// The first variable of an arithmetic expression whose value is not known.
std::string Expansion::unknownIn(llvm::StringRef expression) const {
  while (!expression.empty()) {
    const llvm::StringRef name = expression.take_while(nameChar);
    const bool isName = !name.empty() && nameStart(name[0]);
    const ShellVariable* const found = isName ? variables.find(name.str()) : nullptr;
    if (isName && (!found || found->words.empty() || found->words.front().doubt))
      return name.str();
    expression = expression.drop_front(std::max<std::size_t>(1, name.size()));
  }
  return "";
}

/// Why this part of a value is not known, where the value as a whole has `doubt`.
Expansion::DoubtPointer Expansion::causeOf(llvm::StringRef part, const DoubtPointer& doubt) const {
  if (part == doubt->what)
    return doubt;
  std::string name = part.ltrim("${").take_while(nameChar).str();
  if (part.startswith("$(("))
    name = unknownIn(part);
  if (name == doubt->variable && !name.empty())
    return doubt;
  const ShellVariable* const found = variables.find(name);
  if (found && !found->words.empty() && found->words.front().doubt)
    return found->words.front().doubt;
  Doubt own = *doubt;
  own.what = part.str(), own.variable = !name.empty() && nameStart(name[0]) ? name : "";
  return std::make_shared<Doubt>(own);
}

void Expansion::doubleQuoted(ShellWords& out, bool& open, std::size_t begin) {
  const std::size_t before = at++;
  const bool alone = !open;
  append(out, open, "", false, begin);
  while (!done() && peek() != '"') {
    if (peek() == '\\' && peek(1) == '\n') {
      at += 2;
    } else if (escaped && peek() == '\\' && (peek(1) == '$' || peek(1) == '`')) {
      ++at;
    } else if (peek() == '\\' && peek(1) != '\0' && llvm::StringRef("\"\\$`").contains(peek(1))) {
      append(out, open, text.substr(at + 1, 1), false, begin);
      at += 2;
    } else if (peek() == '$' && expands(peek(1))) {
      dollar(true, out, open);
    } else if (peek() == '`') {
      const std::size_t start = at++;
      untilClosed('\0', '`');
      append(out, open, written(start), false, begin, outside(start, ""));
    } else {
      append(out, open, text.substr(at, 1), false, begin);
      ++at;
    }
  }
  at += !done();
  // "$@", "${@:2}", "${NAME[@]}" and "${NAME[@]:2}" without words are no word at all.
  const llvm::StringRef inside = written(before);
  const bool words = inside == "\"$@\"" || inside.startswith("\"${@") || inside.contains("[@]");
  if (alone && words && inside.startswith("\"$") && inside.count('$') == 1 &&
      out.back().text.empty() && !out.back().doubt)
    out.pop_back(), open = false;
}

ShellWords Expansion::word() {
  ShellWords out;
  bool open = false;
  const std::size_t begin = at;
  while (!done()) {
    const char c = peek();
    if (c == '\'') {
      ++at;
      const std::size_t end = std::min(text.find('\'', at), text.size());
      append(out, open, text.slice(at, end), false, begin);
      at = std::min(end + 1, text.size());
    } else if (c == '"') {
      doubleQuoted(out, open, begin);
    } else if (c == '`') {
      const std::size_t start = at++;
      untilClosed('\0', '`');
      append(out, open, written(start), false, begin, outside(start, ""));
    } else if (c == '$' && expands(peek(1))) {
      dollar(false, out, open);
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      break;
    } else if (escaped && c == '\\' && (peek(1) == '$' || peek(1) == '`')) {
      ++at;
    } else if (c == '\\' && peek(1) != '\0') {
      append(out, open, text.substr(at + 1, 1), false, begin);
      at += 2;
    } else if (isSpace(c) || llvm::StringRef(";&|()<>").contains(c)) {
      break;
    } else {
      append(out, open, text.substr(at, 1), false, begin);
      ++at;
    }
  }
  for (ShellWord& w : out)
    if (w.at.end <= w.at.begin + 1)
      w.at = from(begin);
  return out;
}

void Expansion::redirection() {
  at += isDigit(peek());
  const bool here = peek() == '<' && peek(1) == '<' && peek(2) != '<';
  while (!done() && llvm::StringRef("<>&").contains(peek()))
    ++at;
  const bool tabs = here && peek() == '-';
  at += tabs;
  skipBlanks();
  const std::size_t begin = at;
  if (peek() == '(') {
    ++at;
    untilClosed('(', ')');
    return;
  }
  word();
  if (!here)
    return;
  std::string end = written(begin).str();
  const std::size_t length = end.size();
  llvm::erase_if(end, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
  documents.push_back({end, tabs, end.size() < length});
}

ShellWords Expansion::words(char closing) {
  ShellWords out;
  while (!done()) {
    skipBlanks();
    const char c = peek();
    if (c == '#') {
      skipLine();
    } else if (closing != '\0' && c == closing) {
      ++at;
      break;
    } else if (closing != '\0' && c == '\n') {
      newline();
    } else if (c == '<' || c == '>' || (isDigit(c) && (peek(1) == '>' || peek(1) == '<')) ||
               (c == '&' && peek(1) == '>')) {
      if (c == '&')
        ++at;
      redirection();
    } else if (done() || c == '\n' || llvm::StringRef(";&|()").contains(c)) {
      break;
    } else {
      const std::size_t before = at;
      for (ShellWord& w : word())
        out.push_back(std::move(w));
      at += at == before;
    }
  }
  return out;
}
