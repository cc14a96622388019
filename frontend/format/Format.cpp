//===- Format.cpp - The one way to write a file -----------------------------------------------===//
//
// Works on the words and comments of a file that parses. Where lines break is the writer's choice,
// spaces and indentation are not. Nothing is aligned, so that a change of one line shows as one
// line.
#include "frontend/format/Format.h"
#include "frontend/parse/LineRules.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/parse/Tokens.h"
#include "support/Arena.h"
#include <algorithm>
using namespace dpl;

namespace {

using Kind = TokenKind;

/// A word or comment, and how many line ends stand before it: 2 is a blank line.
struct FormattedToken {
  Token token;
  unsigned breaks = 0;
  bool dropped = false;
  std::size_t mate = 0; ///< index of the bracket it pairs with
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
      tokens[i].mate = open.back(); // the file parses, so they pair
      tokens[open.back()].mate = i;
      open.pop_back();
    }
  }

  /// Fills in the neighbours of each piece, comments and what was dropped left out.
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

  /// A comma goes where it separates nothing: before a closing bracket that will stand on its line,
  /// and in a block beside a line end or another comma.
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
        // The bracket of a list that began on a line of its own will stand on one as well.
        if (!closes || next > i + 1 || tokens[open.back() + 1].breaks > 0)
          continue;
      } else if (!closes && p.breaks == 0 &&
                 !tokens[previous].token.isOneOf(Kind::LeftBrace, Kind::Comma)) {
        // The reason of an assert and the second name of a `for` follow a comma that is no end.
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

  /// A block is on one line or has its braces at line ends and line starts; a list that begins with
  /// a line end also ends with one.
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

  /// A bracket that is open: where its lines begin.
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

  /// Whether the line that the piece begins belongs to a statement before it.
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

  /// Whether the piece ends a value, so that a bracket behind it is an index or a call.
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

  /// Whether a space parts two pieces of one line.
  bool spaced(std::size_t i, std::size_t before) const {
    const Token &a = tokens[before].token, &b = tokens[i].token;
    if (a.is(Kind::LeftBrace) && b.is(Kind::RightBrace))
      return false;
    if (a.isOneOf(Kind::LeftParen, Kind::LeftBracket, Kind::Range, Kind::RangeExclusive) ||
        b.isOneOf(Kind::RightParen, Kind::RightBracket, Kind::Comma, Kind::Colon, Kind::Question,
                  Kind::Range, Kind::RangeExclusive))
      return false;
    if (b.is(Kind::Dot)) // `8 .x` is no number with a fraction
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
  unsigned lineBase = 0; ///< indentation of the line being printed, were it no continuation
};

} // namespace

FailureOr<std::string> dpl::format(const SourceManager& sources, std::uint32_t file,
                                   DiagnosticEngine& diags) {
  Arena arena;
  if (parse(sources, file, arena, diags).failed)
    return LogicalResult::failure();
  return Formatter(sources.text(file)).print();
}
