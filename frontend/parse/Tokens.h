#pragma once
//===- Tokens.h - Tokens of a file ------------------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace dpl {

/// Numbered as by the generated lexer; End comes after all of its kinds.
enum class TokenKind : std::uint8_t {
  None,
#define TOKEN(KIND, ANTLR, TEXT) KIND,
#include "frontend/parse/Tokens.def"
  End
};

struct Token {
  TokenKind kind = TokenKind::None;
  /// Number of open brackets around it, without its own. Set by joinLines.
  std::uint16_t depth = 0;
  std::uint32_t begin = 0, end = 0; ///< byte range in the file; empty if joinLines added the token

  bool is(TokenKind k) const { return kind == k; }
  template <class... Kinds> bool isOneOf(Kinds... kinds) const { return (is(kinds) || ...); }
  bool isOpening() const {
    return isOneOf(TokenKind::LeftBrace, TokenKind::LeftBracket, TokenKind::LeftParen);
  }
  bool isClosing() const {
    return isOneOf(TokenKind::RightBrace, TokenKind::RightBracket, TokenKind::RightParen);
  }
  bool isKeyword() const { return kind >= TokenKind::Import && kind <= TokenKind::False; }
  /// Whether the parser does not see it.
  bool isHidden() const { return isOneOf(TokenKind::Space, TokenKind::Doc, TokenKind::Comment); }
};

/// "==" for Equal; empty for the kinds whose text varies.
llvm::StringRef spelling(TokenKind kind);

/// The tokens of the text with End and hidden ones, which contain every byte. Outside of comments
/// and strings, a byte that is not ASCII is an Unknown token. Defined in Lexer.cpp.
std::vector<Token> tokenize(llvm::StringRef text);

} // namespace dpl
