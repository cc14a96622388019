#pragma once
//===- Tokens.h - The words of a file, without ANTLR ------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace dpl {

/// Numbered as the generated lexer numbers them; End is past every one of them.
enum class TokenKind : std::uint8_t {
  None,
#define TOKEN(KIND, ANTLR, TEXT) KIND,
#include "frontend/parse/Tokens.def"
  End
};

struct Token {
  TokenKind kind = TokenKind::None;
  /// How many brackets are open around it, its own not counted. Set by joinLines.
  std::uint16_t depth = 0;
  std::uint32_t begin = 0, end = 0; ///< bytes of the file; equal for one that joinLines put in

  bool is(TokenKind k) const { return kind == k; }
  template <class... Kinds> bool isOneOf(Kinds... kinds) const { return (is(kinds) || ...); }
  bool isOpening() const {
    return isOneOf(TokenKind::LeftBrace, TokenKind::LeftBracket, TokenKind::LeftParen);
  }
  bool isClosing() const {
    return isOneOf(TokenKind::RightBrace, TokenKind::RightBracket, TokenKind::RightParen);
  }
  bool isKeyword() const { return kind >= TokenKind::Import && kind <= TokenKind::False; }
  /// Not seen by the parser.
  bool isHidden() const { return isOneOf(TokenKind::Space, TokenKind::Doc, TokenKind::Comment); }
};

/// "==" for Equal; empty for the kinds whose text varies.
llvm::StringRef spelling(TokenKind kind);

/// Every byte of the text, hidden tokens included, and End. Works on bytes: a byte outside ASCII is
/// legal in a comment or string and an Unknown of its own elsewhere. Defined in Lexer.cpp.
std::vector<Token> tokenize(llvm::StringRef text);

} // namespace dpl
