#pragma once
//===- Tokens.h - Tokens of a file ------------------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace dpl {

/// Kinds of tokens, numbered as in ANTLR's lexer. End comes after all of them.
enum class TokenKind : std::uint8_t {
  None,
#define TOKEN(KIND, ANTLR, TEXT) KIND,
#include "frontend/parse/Tokens.def"
  End
};

struct Token {
  TokenKind kind = TokenKind::None;
  /// Number of open brackets around the token, without the token itself. joinLines sets it.
  std::uint16_t depth = 0;
  std::uint32_t begin = 0, end = 0; ///< range in bytes in the file; empty if joinLines added the
                                    ///< token

  bool is(TokenKind k) const { return kind == k; }
  template <class... Kinds> bool isOneOf(Kinds... kinds) const { return (is(kinds) || ...); }
  bool isOpening() const {
    return isOneOf(TokenKind::LeftBrace, TokenKind::LeftBracket, TokenKind::LeftParen);
  }
  bool isClosing() const {
    return isOneOf(TokenKind::RightBrace, TokenKind::RightBracket, TokenKind::RightParen);
  }
  bool isKeyword() const { return kind >= TokenKind::Import && kind <= TokenKind::False; }
  /// Whether the parser does not get the token.
  bool isHidden() const { return isOneOf(TokenKind::Space, TokenKind::Doc, TokenKind::Comment); }
};

/// The text of a kind, "==" for Equal; empty if the text varies.
llvm::StringRef spelling(TokenKind kind);

/// All tokens of a text, hidden ones and End included; together they contain every byte. Outside of
/// comments and strings, a byte that is not ASCII is an Unknown token. Defined in Lexer.cpp.
std::vector<Token> tokenize(llvm::StringRef text);

} // namespace dpl
