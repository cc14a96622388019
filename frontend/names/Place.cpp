//===- Place.cpp - The statement around a byte of a text --------------------------------------===//
#include "frontend/names/Place.h"
#include "frontend/parse/LineRules.h"
#include "llvm/ADT/SmallVector.h"
using namespace dpl;
using namespace dpl::names;

namespace {
/// Follows the brackets of a text up to a place.
class PlaceFinder {
public:
  explicit PlaceFinder(Place& out) : out(out) {}

  /// `line` has the words after a newline, as far as rules about lines read them.
  void token(const Token& t, llvm::ArrayRef<Token> line, bool atMargin) {
    if (t.is(TokenKind::NewLine)) {
      const Token next = line.front();
      // A declaration at the margin shows that brackets before it were forgotten.
      if (atMargin && !brackets.empty() && startsTopLevel(line, false, true)) {
        brackets.clear();
        out.heads.clear();
        out.statement.clear();
        return;
      }
      // Inside `(` and `[`, and around operators, a newline ends nothing.
      const bool inside = !brackets.empty() && !brackets.back().brace;
      const bool continued = !out.statement.empty() && (continuesAfter(out.statement.back().kind) ||
                                                        continuesBefore(next.kind));
      if (!inside && !continued)
        out.statement.clear();
      else if (inside && startsAgain(next))
        closeTo(true);
      return;
    }
    if (t.is(TokenKind::LeftBrace)) {
      out.heads.push_back(out.statement);
      brackets.push_back({true, std::move(out.statement)});
      out.statement.clear();
      return;
    }
    if (t.is(TokenKind::RightBrace))
      return closeTo(false);
    if (t.is(TokenKind::Comma) && !brackets.empty() && brackets.back().brace) {
      out.statement.clear();
      return;
    }
    if (t.isOpening())
      brackets.push_back({false, {}});
    else if (t.isClosing() && !brackets.empty() && !brackets.back().brace)
      brackets.pop_back();
    out.statement.push_back(t);
  }

private:
  struct Bracket {
    bool brace;
    std::vector<Token> before; ///< statement before a brace
  };

  /// Whether a line inside `(` or `[` begins a statement, so that the bracket was forgotten.
  static bool startsAgain(const Token& next) {
    return next.isOneOf(TokenKind::Let, TokenKind::Assert, TokenKind::Require, TokenKind::Minimize,
                        TokenKind::Maximize, TokenKind::Schema, TokenKind::Import,
                        TokenKind::RightBrace);
  }

  /// Closes brackets up to the innermost brace; with it, unless `keepBrace`.
  void closeTo(bool keepBrace) {
    while (!brackets.empty() && !brackets.back().brace)
      brackets.pop_back();
    if (keepBrace) {
      out.statement.clear();
      return;
    }
    if (brackets.empty()) {
      out.statement.clear();
      return;
    }
    out.statement = std::move(brackets.back().before);
    brackets.pop_back();
    out.heads.pop_back();
    // The block is the end of an operand, as in `[none, lognormal { cv = 0.2 }, …`.
    Token closed;
    closed.kind = TokenKind::RightBrace;
    out.statement.push_back(closed);
  }

  Place& out;
  llvm::SmallVector<Bracket, 8> brackets;
};
} // namespace

Place names::placeAt(llvm::StringRef text, std::uint32_t byte) {
  Place out;
  out.wordBegin = out.wordEnd = byte;
  PlaceFinder finder(out);
  std::vector<Token> tokens = tokenize(text);
  const auto lineFrom = [&](std::size_t i) {
    llvm::SmallVector<Token, 3> line;
    for (; i < tokens.size() && line.size() < 3; ++i)
      if (!tokens[i].isHidden())
        line.push_back(tokens[i]);
    return line;
  };
  for (std::size_t i = 0; i < tokens.size() && tokens[i].begin < byte; ++i) {
    const Token& t = tokens[i];
    const bool inside = byte < t.end || (byte == t.end && !t.is(TokenKind::NewLine));
    if (t.isOneOf(TokenKind::Comment, TokenKind::Doc) && inside)
      out.inText = true;
    if (t.isOneOf(TokenKind::String, TokenKind::Unterminated) && byte < t.end)
      out.inText = true;
    const bool word = t.is(TokenKind::Identifier) || t.isKeyword();
    if (inside && word) {
      out.wordBegin = t.begin, out.wordEnd = t.end;
      break;
    }
    if (t.isHidden() || i + 1 >= tokens.size())
      continue;
    if (!t.is(TokenKind::NewLine)) {
      finder.token(t, {}, false);
      continue;
    }
    const llvm::SmallVector<Token, 3> line = lineFrom(i + 1);
    const std::uint32_t begin = line.front().begin;
    finder.token(t, line, begin > 0 && text[begin - 1] == '\n');
  }
  if (out.wordBegin == byte) // the word may begin at the place
    for (const Token& t : tokens)
      if (t.begin == byte && (t.is(TokenKind::Identifier) || t.isKeyword()))
        out.wordEnd = t.end;
  return out;
}
