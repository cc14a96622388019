//===- ScriptCursor.cpp - Position in the text of a shell script ------------------------------===//
#include "frontend/import/shell/ScriptCursor.h"
#include <algorithm>
#include <cctype>

using namespace dpl;
using namespace dpl::imports::shell;

bool dpl::imports::shell::nameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool dpl::imports::shell::nameChar(char c) {
  return nameStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool dpl::imports::shell::expands(char c) {
  return nameChar(c) || (c != '\0' && llvm::StringRef("{(@*#?!-").contains(c));
}

SourceRange ScriptCursor::from(std::size_t begin) const {
  return {place.file, static_cast<std::uint32_t>(begin),
          static_cast<std::uint32_t>(std::min(place.at, place.text.size()))};
}

void ScriptCursor::skipBlanks() {
  while (!done()) {
    if (peek() == ' ' || peek() == '\t' || peek() == '\r')
      advance();
    else if (peek() == '\\' && peek(1) == '\n')
      advance(2);
    else if (peek() == '\\' && peek(1) == '\r' && peek(2) == '\n')
      advance(3);
    else
      return;
  }
}

void ScriptCursor::skipLine() {
  while (!done() && peek() != '\n')
    advance();
}

void ScriptCursor::newline() {
  advance(!done());
  passed = std::exchange(announced, {});
  for (HereDocument& document : passed) {
    document.begin = document.behind = place.at;
    for (bool ended = false; !done() && !ended;) {
      const std::size_t begin = document.behind = place.at;
      skipLine();
      const llvm::StringRef line = written(begin).rtrim('\r');
      ended = (document.tabs ? line.ltrim('\t') : line) == document.end;
      advance(!done());
      if (!ended)
        document.behind = place.at;
    }
  }
}

std::string ScriptCursor::untilClosed(char open, char close) {
  std::size_t& at = place.at;
  const llvm::StringRef text = place.text;
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

bool ScriptCursor::pipeFollows() {
  skipBlanks();
  return (peek() == '|' && peek(1) != '|') || (peek() == '&' && peek(1) != '&');
}
