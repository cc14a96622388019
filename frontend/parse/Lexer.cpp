//===- Lexer.cpp - Tokenizes text by the rules of grammar/DplLexer.g4 -------------------------===//
//
// The grammar is the definition. LexerTest compares this lexer with it on the corpus and on random
// text. ANTLR's own lexer is not used, because it builds its automaton in every process, which took
// most of the time of a short run.
#include "frontend/parse/Tokens.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
using namespace dpl;

namespace {

bool isLetter(char c) { return llvm::isAlpha(c); }
bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }
bool endsLine(char c) { return c == '\n' || c == '\r'; }

class Lexer {
public:
  Lexer(llvm::StringRef text, std::size_t begin) : text(text), at(begin) {}

  bool done() const { return at >= text.size(); }
  Token next() {
    const std::size_t begin = at;
    const TokenKind kind = take();
    return {kind, 0, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)};
  }

private:
  char look(std::size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  bool atDigit(std::size_t ahead = 0) const { return llvm::isDigit(look(ahead)); }
  bool accept(char c) {
    if (done() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  template <class Is> void skip(Is is) {
    while (!done() && is(text[at]))
      ++at;
  }

  TokenKind take() {
    const char c = look();
    if (llvm::isDigit(c))
      return number();
    if (isWord(c))
      return word();
    switch (c) {
    case ' ':
    case '\t':
      skip([](char s) { return s == ' ' || s == '\t'; });
      return TokenKind::Space;
    case '\n':
    case '\r':
      return newLine();
    case '"':
      return string();
    case '/':
      return slash();
    default:
      ++at;
      return sign(c);
    }
  }

  TokenKind word() {
    const std::size_t begin = at;
    skip(isWord);
    return llvm::StringSwitch<TokenKind>(text.slice(begin, at))
#define KEYWORD(KIND, ANTLR, TEXT) .Case(TEXT, TokenKind::KIND)
#define TOKEN(KIND, ANTLR, TEXT)
#include "frontend/parse/Tokens.def"
        .Default(TokenKind::Identifier);
  }

  /// Skips digits with single `_` between them.
  void digits() {
    do
      ++at;
    while (atDigit() || (look() == '_' && atDigit(1)));
  }
  TokenKind number() {
    if (text.substr(at).startswith("1f1b")) {
      at += 4;
      return TokenKind::Identifier;
    }
    digits();
    if (look() == '.' && atDigit(1)) {
      ++at;
      digits();
    }
    if (look() == 'e' || look() == 'E') {
      const bool isSigned = look(1) == '+' || look(1) == '-';
      if (atDigit(isSigned ? 2 : 1)) {
        at += isSigned ? 2 : 1;
        skip(llvm::isDigit);
      }
    }
    if (!isLetter(look()))
      return TokenKind::Number;
    skip(isLetter);
    if (look() == '/' && isLetter(look(1))) {
      ++at;
      skip(isLetter);
    }
    return TokenKind::Quantity;
  }

  TokenKind string() {
    ++at;
    while (!done() && !endsLine(text[at])) {
      const char c = text[at++];
      if (c == '"')
        return TokenKind::String;
      if (c == '\\' && !done() && !endsLine(text[at]))
        ++at;
    }
    return TokenKind::Unterminated;
  }

  TokenKind newLine() {
    const std::size_t begin = at;
    while (look() == '\n' || (look() == '\r' && look(1) == '\n'))
      at += look() == '\n' ? 1 : 2;
    if (at > begin)
      return TokenKind::NewLine;
    ++at; // a carriage return without a line feed
    return TokenKind::Unknown;
  }

  TokenKind slash() {
    ++at;
    if (!accept('/'))
      return TokenKind::Slash;
    const bool doc = accept('/');
    skip([](char c) { return !endsLine(c); });
    return doc ? TokenKind::Doc : TokenKind::Comment;
  }

  /// Reads a token that begins with the character `c`, which was already read.
  TokenKind sign(char c) {
    switch (c) {
    case '{':
      return TokenKind::LeftBrace;
    case '}':
      return TokenKind::RightBrace;
    case '[':
      return TokenKind::LeftBracket;
    case ']':
      return TokenKind::RightBracket;
    case '(':
      return TokenKind::LeftParen;
    case ')':
      return TokenKind::RightParen;
    case '.':
      if (!accept('.'))
        return TokenKind::Dot;
      return accept('<') ? TokenKind::RangeExclusive : TokenKind::Range;
    case ',':
      return TokenKind::Comma;
    case ':':
      return TokenKind::Colon;
    case '|':
      return TokenKind::Pipe;
    case '=':
      return accept('=') ? TokenKind::Equal : TokenKind::Assign;
    case '!':
      return accept('=') ? TokenKind::NotEqual : TokenKind::Unknown;
    case '<':
      return accept('=') ? TokenKind::LessEqual : TokenKind::Less;
    case '>':
      return accept('=') ? TokenKind::GreaterEqual : TokenKind::Greater;
    case '+':
      return TokenKind::Plus;
    case '-':
      return TokenKind::Minus;
    case '*':
      return TokenKind::Star;
    case '%':
      return TokenKind::Percent;
    case '?':
      return TokenKind::Question;
    default:
      return TokenKind::Unknown;
    }
  }

  llvm::StringRef text;
  std::size_t at;
};

} // namespace

std::vector<Token> dpl::tokenize(llvm::StringRef text) {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 4);
  Lexer lexer(text, text.startswith("\xEF\xBB\xBF") ? 3 : 0);
  while (!lexer.done())
    tokens.push_back(lexer.next());
  const auto end = static_cast<std::uint32_t>(text.size());
  tokens.push_back({TokenKind::End, 0, end, end});
  return tokens;
}
