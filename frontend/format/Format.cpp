//===- Format.cpp - Formats a .dpl file -------------------------------------------------------===//
//
// Formats the tokens and comments of a file that parses. Line breaks are mostly kept; spaces and
// indentation are computed. Nothing is aligned, so that a change of one line does not change
// others.
#include "frontend/format/Format.h"
#include "frontend/parse/LineRules.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/parse/Tokens.h"
#include "support/Arena.h"
#include <algorithm>
using namespace dpl;

namespace {

using Kind = TokenKind;

/// A token or comment, and the number of line ends before it. Two line ends are a blank line.
struct FormattedToken {
  Token token;
  unsigned breaks = 0;
  bool dropped = false;
  std::size_t mate = 0; ///< index of the matching bracket
  std::size_t wordBefore = 0, wordAfter = 0;
  bool isComment() const { return token.isOneOf(Kind::Comment, Kind::Doc); }
};

class Formatter {
public:
  explicit Formatter(llvm::StringRef text) : text(text) {
    collect();
    pairBrackets();
    findNeighbours();
    settleCommas();
    findNeighbours();
    settleBreaks();
  }

  std::string print() {
    std::size_t before = npos;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (!tokens[i].dropped) {
        put(i, before);
        before = i;
      }
    if (!out.empty())
      out += '\n';
    return std::move(out);
  }

private:
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  llvm::StringRef source(const Token& t) const { return text.slice(t.begin, t.end); }

  void collect() {
    unsigned breaks = 0;
    for (const Token& t : tokenize(text)) {
      if (t.is(Kind::NewLine))
        breaks += static_cast<unsigned>(source(t).count('\n'));
      if (t.isOneOf(Kind::NewLine, Kind::Space, Kind::End))
        continue;
      tokens.push_back({t, tokens.empty() ? 0 : std::min(breaks, 2U)});
      breaks = 0;
    }
  }

  void pairBrackets() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].token.isOpening())
        open.push_back(i);
      if (!tokens[i].token.isClosing())
        continue;
      tokens[i].mate = open.back(); // every bracket has a match, because the file parses
      tokens[open.back()].mate = i;
      open.pop_back();
    }
  }

  /// Finds the previous and the next token of each token, without comments and dropped tokens.
  void findNeighbours() {
    std::size_t last = npos;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i].wordBefore = last;
      if (!tokens[i].dropped && !tokens[i].isComment())
        last = i;
    }
    last = npos;
    for (std::size_t i = tokens.size(); i-- > 0;) {
      tokens[i].wordAfter = last;
      if (!tokens[i].dropped && !tokens[i].isComment())
        last = i;
    }
  }

  /// Drops commas that separate nothing: before a closing bracket on the same line, and in a block
  /// next to a line end or to another comma.
  void settleCommas() {
    std::vector<std::size_t> open;
    std::size_t previous = npos;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      FormattedToken& p = tokens[i];
      if (i > 0 && !tokens[i - 1].dropped && !tokens[i - 1].isComment())
        previous = i - 1;
      if (p.token.isOpening())
        open.push_back(i);
      else if (p.token.isClosing())
        open.pop_back();
      if (!p.token.is(Kind::Comma) || open.empty())
        continue;
      const bool inBlock = tokens[open.back()].token.is(Kind::LeftBrace);
      const std::size_t next = p.wordAfter;
      const bool closes = tokens[next].token.isClosing();
      bool endsLine = false;
      for (std::size_t j = i + 1; j <= next; ++j)
        endsLine = endsLine || tokens[j].breaks > 0;
      if (!inBlock) {
        // A list that begins with a line end also ends with one.
        if (!closes || next > i + 1 || tokens[open.back() + 1].breaks > 0)
          continue;
      } else if (!closes && p.breaks == 0 &&
                 !tokens[previous].token.isOneOf(Kind::LeftBrace, Kind::Comma)) {
        // A comma in an assert, or between names of a `for`, does not end a statement.
        const std::size_t word = tokens[previous].wordBefore;
        if (!endsLine || tokens[next].token.is(Kind::String) ||
            (word != npos && tokens[word].token.is(Kind::For)))
          continue;
      }
      p.dropped = true;
      if (i + 1 < tokens.size())
        tokens[i + 1].breaks = std::max(tokens[i + 1].breaks, p.breaks);
    }
  }

  void settleBreaks() {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      FormattedToken& p = tokens[i];
      if (p.dropped)
        continue;
      if (p.token.is(Kind::Else) && p.breaks > 0 && i > 0 &&
          tokens[i - 1].token.is(Kind::RightBrace))
        p.breaks = 0;
      if (p.token.isOpening())
        settleBracket(i);
    }
  }

  /// Puts a block on one line, or its braces at the ends of lines. A list that begins with a line
  /// end also ends with one.
  void settleBracket(std::size_t open) {
    const std::size_t close = tokens[open].mate;
    std::size_t first = open + 1;
    while (tokens[first].dropped)
      ++first;
    std::size_t last = close;
    while (tokens[--last].dropped) {
    }
    bool broken = false;
    if (tokens[open].token.is(Kind::LeftBrace)) {
      for (std::size_t i = open + 1; i <= close && !broken; ++i)
        broken = !tokens[i].dropped && tokens[i].breaks > 0;
    } else {
      broken = tokens[first].breaks > 0;
    }
    if (broken && first != close && !(tokens[first].isComment() && tokens[first].breaks == 0))
      tokens[first].breaks = 1;
    tokens[close].breaks = (broken && first != close) || tokens[last].isComment() ? 1 : 0;
  }

  // ---- printing

  /// An open bracket, and the indentation of the lines inside it.
  struct OpenBracketLine {
    Kind kind;
    unsigned base; ///< indentation of the statement or list line that opened it
  };

  void put(std::size_t i, std::size_t before) {
    const FormattedToken& p = tokens[i];
    if (before == npos) {
      lineBase = 0;
    } else if (p.breaks > 0) {
      out.append(p.breaks, '\n');
      beginLine(i);
    } else if (p.isComment()) {
      out += "  ";
    } else if (spaced(i, before)) {
      out += ' ';
    }
    if (p.token.isClosing())
      opened.pop_back();
    if (p.token.isOpening())
      opened.push_back({p.token.kind, lineBase});
    out += source(p.token).rtrim().str();
  }

  void beginLine(std::size_t i) {
    const FormattedToken& p = tokens[i];
    if (p.token.isClosing()) {
      lineBase = opened.back().base;
      out.append(lineBase, ' ');
      return;
    }
    lineBase = opened.empty() ? 0 : opened.back().base + 2;
    out.append(lineBase + (goesOn(i) ? 4 : 0), ' ');
  }

  /// Whether the line that begins with this token continues a statement.
  bool goesOn(std::size_t i) const {
    if (!opened.empty() && opened.back().kind != Kind::LeftBrace)
      return false;
    const std::size_t previous = tokens[i].wordBefore;
    const std::size_t next = tokens[i].isComment() ? tokens[i].wordAfter : i;
    if (previous == npos || next == npos)
      return false;
    const Token &a = tokens[previous].token, &b = tokens[next].token;
    if (a.is(Kind::Comma))
      return opened.empty() || b.is(Kind::String);
    return (continuesAfter(a.kind) && !endsOperand(previous)) || continuesBefore(b.kind);
  }

  /// Whether the token ends a value, so that a bracket after it is an index or a call.
  bool endsOperand(std::size_t i) const {
    const Token& t = tokens[i].token;
    if (t.isKeyword() && !t.isOneOf(Kind::True, Kind::False)) {
      const std::size_t dot = tokens[i].wordBefore;
      return dot != npos && tokens[dot].token.is(Kind::Dot);
    }
    return t.isOneOf(Kind::Number, Kind::Quantity, Kind::String, Kind::Identifier, Kind::True,
                     Kind::False, Kind::RightBracket, Kind::RightParen);
  }

  bool isSign(std::size_t i) const {
    if (!tokens[i].token.is(Kind::Minus))
      return false;
    const std::size_t previous = tokens[i].wordBefore;
    return previous == npos || !endsOperand(previous);
  }

  /// Whether a space separates two tokens on one line.
  bool spaced(std::size_t i, std::size_t before) const {
    const Token &a = tokens[before].token, &b = tokens[i].token;
    if (a.is(Kind::LeftBrace) && b.is(Kind::RightBrace))
      return false;
    if (a.isOneOf(Kind::LeftParen, Kind::LeftBracket, Kind::Range, Kind::RangeExclusive) ||
        b.isOneOf(Kind::RightParen, Kind::RightBracket, Kind::Comma, Kind::Colon, Kind::Question,
                  Kind::Range, Kind::RangeExclusive))
      return false;
    if (b.is(Kind::Dot)) // without the space `8 .x` would be a decimal number
      return a.isOneOf(Kind::Number, Kind::Quantity);
    if (a.is(Kind::Dot) || isSign(before))
      return false;
    if (b.isOneOf(Kind::LeftParen, Kind::LeftBracket))
      return !endsOperand(before);
    return true;
  }

  llvm::StringRef text;
  std::vector<FormattedToken> tokens;
  std::string out;
  std::vector<OpenBracketLine> opened;
  unsigned lineBase = 0; ///< indentation of the current line, without that of a continuation
};

} // namespace

FailureOr<std::string> dpl::format(const SourceManager& sources, std::uint32_t file,
                                   DiagnosticEngine& diags) {
  Arena arena;
  if (parse(sources, file, arena, diags).failed)
    return LogicalResult::failure();
  return Formatter(sources.text(file)).print();
}
