//===- LineJoiner.cpp - Token filter between lexer and parser ---------------------------------===//
#include "frontend/parse/LineJoiner.h"
#include "frontend/parse/LineRules.h"
#include "frontend/parse/OpenBracket.h"
#include "support/diagnostics/Parse.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
using namespace dpl;

namespace {

using Kind = TokenKind;

Kind closerOf(Kind opening) {
  return opening == Kind::LeftBrace     ? Kind::RightBrace
         : opening == Kind::LeftBracket ? Kind::RightBracket
                                        : Kind::RightParen;
}

/// Reports adjacent unknown characters once. For operators of other languages, suggests how they
/// are written in DPL.
void reportUnknownCharacter(DiagnosticEngine& diags, SourceRange at, llvm::StringRef s) {
  auto report = diags.report<diag::UnknownCharacter>(at, s);
  if (s == "&" || s == "&&")
    std::move(report).help("write `and`");
  else if (s == "!")
    std::move(report).help("write `not`");
  else if (s == "'" || s == "`" || s == "“" || s == "”")
    std::move(report).help("a string begins and ends with `\"`");
  else if (s == "#")
    std::move(report).help("a comment begins with `//`");
  else if (s == ";")
    std::move(report).help("a new line or `,` ends a statement");
  else if (s == "µ" || s == "μ")
    std::move(report).help("write `u` for micro, as in `5us`").edit(at, "u");
  else if (s == "−" || s == "–")
    std::move(report).help("write `-`").edit(at, "-");
  else if (s == "×")
    std::move(report).help("write `*`").edit(at, "*");
}

/// Reports a number that is directly followed by letters or digits of a word: `0x10`, `12ab3`,
/// `1_000_`.
void reportMalformedNumber(DiagnosticEngine& diags, SourceRange at, llvm::StringRef s) {
  std::uint64_t value = 0;
  auto report = diags.report<diag::MalformedNumber>(at, s);
  if (s.size() > 2 && s[0] == '0' && !llvm::isDigit(s[1]) && !s.getAsInteger(0, value))
    std::move(report)
        .help(fmt::format("numbers are decimal: write `{}`", value))
        .edit(at, std::to_string(value));
  else if (const std::string lower = s.lower();
           lower != s && tokenize(lower).front().is(TokenKind::Identifier))
    std::move(report).help(fmt::format("did you mean `{}`?", lower)).edit(at, lower);
  else if (s.endswith("_") || s.contains("__"))
    std::move(report).help("a `_` is allowed between two digits only");
}

class Joiner {
public:
  Joiner(llvm::ArrayRef<Token> all, llvm::StringRef text, std::uint32_t file, DiagnosticEngine& d)
      : text(text), file(file), diags(d) {
    visible.reserve(all.size());
    for (const Token& t : all)
      collect(t);
    out.tokens.reserve(visible.size() + 1);
    levels.emplace_back();
    beginLine(all.empty() ? 0 : all.front().begin);
  }

  JoinedTokens run() && {
    for (at = 0; at < visible.size() && out.usable; ++at)
      take(visible[at]);
    std::sort(out.mistakes.begin(), out.mistakes.end());
    return std::move(out);
  }

private:
  /// Drops hidden tokens. Records a doc comment if it is directly above a token.
  void collect(const Token& t) {
    const bool lineStart = lastWasNewLine;
    if (!t.is(Kind::Space))
      lastWasNewLine = t.is(Kind::NewLine);
    if (t.is(Kind::Doc) && lineStart) {
      if (!hasDoc)
        doc = {0, t.begin, t.end};
      doc.end = t.end;
      hasDoc = true;
    }
    if (t.isHidden())
      return;
    if (t.is(Kind::NewLine)) {
      if (source(t).count('\n') > 1)
        hasDoc = false; // a blank line ends a doc comment
    } else if (hasDoc) {
      doc.token = static_cast<std::uint32_t>(visible.size());
      visibleDocs.push_back(doc);
      hasDoc = false;
    }
    visible.push_back(t);
  }

  llvm::StringRef source(const Token& t) const { return text.slice(t.begin, t.end); }
  SourceRange range(const Token& t) const { return {file, t.begin, t.end}; }
  bool inList() const {
    return levels.back().closer == Kind::RightBracket || levels.back().closer == Kind::RightParen;
  }

  void take(const Token& t) {
    switch (t.kind) {
    case Kind::NewLine:
      return takeNewLine(t);
    case Kind::Unknown:
      return takeUnknown(t);
    case Kind::Unterminated:
      return takeUnterminated(t);
    case Kind::End:
      closeDownTo(1);
      return emit(t);
    default:
      break;
    }
    if (t.isClosing())
      return takeClosing(t);
    if (isGlued(t))
      return takeGlued(t);
    count(t);
    if (!out.usable)
      return;
    emit(t);
    if (t.isOpening()) {
      OpenBracket level;
      level.token = static_cast<std::uint32_t>(out.tokens.size() - 1);
      level.indent = lineIndent;
      level.closer = closerOf(t.kind);
      levels.push_back(level);
    }
  }

  void emit(Token t) {
    while (nextDoc < visibleDocs.size() && visibleDocs[nextDoc].token <= at)
      if (DocComment d = visibleDocs[nextDoc++]; d.token == at) {
        d.token = static_cast<std::uint32_t>(out.tokens.size());
        out.docs.push_back(d);
      }
    t.depth = static_cast<std::uint16_t>(levels.size() - 1);
    out.tokens.push_back(t);
  }

  void mistake() {
    const auto index = static_cast<std::uint32_t>(out.tokens.size());
    if (out.mistakes.empty() || out.mistakes.back() != index)
      out.mistakes.push_back(index);
  }

  // ---- lines

  void takeNewLine(const Token& t) {
    reportedOnLine = false;
    beginLine(t.end);
    const llvm::ArrayRef<Token> line = llvm::makeArrayRef(visible).drop_front(at + 1);
    const auto statementStarts = [&] {
      return startsStatement(line, !out.tokens.empty() && out.tokens.back().is(Kind::LeftBracket));
    };
    if (inList()) {
      if (!statementStarts())
        return;
      std::size_t keep = levels.size();
      while (keep > 1 && levels[keep - 1].closer != Kind::RightBrace)
        --keep;
      closeDownTo(keep);
    }
    if (levels.size() > 1 &&
        startsTopLevel(line, lineIndent > levels.back().indent, lineIndent == 0))
      closeDownTo(1);
    if (asksForMore() && !(out.tokens.back().kind != Kind::Comma && statementStarts()))
      return;
    if (!line.empty() && continuesBefore(line.front().kind) &&
        !(lineIndent == 0 && isHalfTypedImport(line, statementWords())))
      return;
    levels.back().nextElement();
    emit(t);
    statement = static_cast<std::uint32_t>(out.tokens.size());
    if (lineIndent == 0 && !line.empty() && !line.front().isClosing() &&
        !line.front().is(Kind::NewLine))
      beginDeclaration();
  }

  llvm::ArrayRef<Token> statementWords() const {
    return llvm::makeArrayRef(out.tokens).drop_front(statement);
  }

  /// Begins a declaration. A word at the left margin begins one even if brackets are open.
  void beginDeclaration() {
    declaration = static_cast<std::uint32_t>(out.tokens.size());
    if (astray)
      out.unmatched.back().last = declaration;
    astray = unclosedReported = false;
  }

  /// Whether a line must follow the last token. A keyword after a dot is a name.
  bool asksForMore() const {
    const std::size_t n = out.tokens.size();
    return n > 0 && continuesAfter(out.tokens[n - 1].kind) &&
           !(out.tokens[n - 1].isKeyword() && n > 1 && out.tokens[n - 2].is(Kind::Dot));
  }

  /// Records the first byte and the indentation of a line.
  void beginLine(std::uint32_t begin) {
    const std::size_t first = text.find_first_not_of(" \t", begin);
    lineIndent = static_cast<std::uint32_t>(std::min(first, text.size())) - begin;
    lineFirst = begin + lineIndent;
  }

  // ---- brackets

  void takeClosing(const Token& t) {
    std::size_t match = levels.size();
    while (match > 1 && levels[match - 1].closer != t.kind)
      --match;
    if (match == 1)
      return takeUnmatched(t);
    bool blockLeft = false;
    for (std::size_t i = match; i < levels.size(); ++i)
      blockLeft = blockLeft || levels[i].closer == Kind::RightBrace;
    const std::uint32_t left = match < levels.size() ? levels[match].token : 0;
    closeDownTo(match);
    // This `]` or `)` closes a bracket that was opened before a block, and so ends the block. Later
    // brackets of the declaration will not match, and the rest of the block is not parsed as
    // statements.
    if (blockLeft && !astray) {
      astray = true;
      out.unmatched.push_back({left, UINT32_MAX, range(t), t.kind, true});
    }
    const OpenBracket& level = levels.back();
    // A closing brace to the left of its block's line was probably meant for an outer block.
    if (t.is(Kind::RightBrace) && !suspected && t.begin == lineFirst && lineIndent < level.indent) {
      suspect = level.token;
      suspected = true;
    }
    pop();
    emit(t);
  }

  /// Handles a closing bracket without an opening one. For a `}`, or a bracket that begins its
  /// line, the missing bracket may be anywhere in the declaration; for another bracket, in the
  /// statement.
  void takeUnmatched(const Token& t) {
    mistake();
    if (astray)
      return;
    const bool farBack = t.is(Kind::RightBrace) || t.begin == lineFirst;
    const std::uint32_t first = farBack ? declaration : statement;
    const auto last = static_cast<std::uint32_t>(out.tokens.size());
    if (!out.unmatched.empty() && out.unmatched.back().first == first)
      out.unmatched.back().last = last;
    else
      out.unmatched.push_back(
          {first, last, range(t), t.kind, reportedOnLine || (farBack && unclosedReported)});
    reportedOnLine = true;
  }

  std::uint32_t lastIndex() const {
    return static_cast<std::uint32_t>(out.tokens.empty() ? 0 : out.tokens.size() - 1);
  }

  void pop() {
    OpenBracket inner = levels.back();
    levels.pop_back();
    inner.nextElement();
    OpenBracket& outer = levels.back();
    outer.deepestInner = std::max(outer.deepestInner, inner.deepestBefore + 1);
  }

  /// Reports the brackets after the first `keep` levels as one error, and closes them.
  void closeDownTo(std::size_t keep) {
    if (levels.size() <= keep)
      return;
    const std::uint32_t index = suspected ? suspect : levels.back().token;
    const Token& open = out.tokens[index];
    if (!reportedOnLine && !astray)
      diags.report<diag::UnclosedBracket>(range(open), spelling(open.kind));
    unclosedReported = true;
    suspected = false;
    out.mistakes.push_back(index);
    mistake();
    while (levels.size() > keep) {
      const Kind closer = levels.back().closer;
      pop();
      putIn(closer);
    }
  }

  /// Adds a closing bracket that the text does not have.
  void putIn(Kind closer) {
    const std::uint32_t end = out.tokens.back().end;
    Token t{closer, static_cast<std::uint16_t>(levels.size() - 1), end, end};
    out.tokens.push_back(t);
  }

  // ---- single tokens

  void takeUnknown(const Token& t) {
    mistake();
    // Adjacent characters, the bytes of one code point, and the rest of the line count as one
    // error.
    if (reportedOnLine)
      return;
    reportedOnLine = true;
    Token whole = t;
    for (std::size_t i = at + 1;
         i < visible.size() && visible[i].is(Kind::Unknown) && visible[i].begin == whole.end; ++i)
      whole.end = visible[i].end;
    reportUnknownCharacter(diags, range(whole), source(whole));
  }

  void takeUnterminated(const Token& t) {
    mistake();
    if (!reportedOnLine)
      diags.report<diag::UnterminatedString>(range(t)).help(
          "a string ends with `\"` on the same line");
    reportedOnLine = true;
    emit(t);
    // The quote was probably forgotten before the closing brackets at the end of the line.
    const llvm::StringRef s = source(t);
    for (char c : s.drop_front(s.find_last_not_of(")]} \t,") + 1)) {
      const Kind k = c == '}'   ? Kind::RightBrace
                     : c == ']' ? Kind::RightBracket
                     : c == ')' ? Kind::RightParen
                                : Kind::None;
      if (levels.size() > 1 && levels.back().closer == k) {
        pop();
        putIn(k);
      }
    }
  }

  /// Whether a word directly follows a number and is not its unit: `0x10`, `12ab3`, `1_000_`.
  bool isGlued(const Token& t) const {
    if (!t.isOneOf(Kind::Number, Kind::Quantity) || at + 1 >= visible.size())
      return false;
    const Token& next = visible[at + 1];
    return next.begin == t.end && next.isOneOf(Kind::Number, Kind::Quantity, Kind::Identifier);
  }

  void takeGlued(Token t) {
    mistake();
    while (at + 1 < visible.size() && visible[at + 1].begin == t.end &&
           visible[at + 1].isOneOf(Kind::Number, Kind::Quantity, Kind::Identifier))
      t.end = visible[++at].end;
    t.kind = Kind::Unknown;
    if (!reportedOnLine)
      reportMalformedNumber(diags, range(t), source(t));
    reportedOnLine = true;
    emit(t);
  }

  // ---- depth

  void count(const Token& t) {
    OpenBracket& level = levels.back();
    level.count(t, out.tokens.empty() ? Token{} : out.tokens.back());
    if (levels.size() - 1 + t.isOpening() + level.depth() <= maxDepth)
      return;
    diags.report<diag::NestedTooDeep>(range(t), maxDepth)
        .help("name a part with `let` and use the name");
    out.usable = false;
  }

  llvm::StringRef text;
  std::uint32_t file;
  DiagnosticEngine& diags;
  JoinedTokens out;
  std::vector<Token> visible;
  std::vector<DocComment> visibleDocs;
  std::size_t nextDoc = 0;
  std::size_t at = 0;              ///< index in `visible`
  std::vector<OpenBracket> levels; ///< levels of the file and of each open bracket
  DocComment doc{};
  bool hasDoc = false, lastWasNewLine = true;
  std::uint32_t lineIndent = 0, lineFirst = 0; ///< indentation of the current line, and its first
                                               ///< byte
  bool reportedOnLine = false; ///< whether this filter has reported an error on the line
  std::uint32_t statement = 0, declaration = 0; ///< index in the output of the first token of the
                                                ///< statement, and of the declaration
  bool unclosedReported = false;                ///< whether an unclosed bracket was reported in
                                                ///< this declaration
  bool astray = false;       ///< whether brackets of this declaration match otherwise than intended
  std::uint32_t suspect = 0; ///< block whose `}` may be that of another block
  bool suspected = false;
};

} // namespace

JoinedTokens dpl::joinLines(llvm::ArrayRef<Token> all, llvm::StringRef text, std::uint32_t file,
                            DiagnosticEngine& diags) {
  return Joiner(all, text, file, diags).run();
}
