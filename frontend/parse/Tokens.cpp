//===- Tokens.cpp - Texts of tokens in messages -----------------------------------------------===//
#include "frontend/parse/Tokens.h"
using namespace dpl;

llvm::StringRef dpl::spelling(TokenKind kind) {
  static constexpr llvm::StringLiteral texts[] = {
      "", // None
#define TOKEN(KIND, ANTLR, TEXT) TEXT,
#include "frontend/parse/Tokens.def"
  };
  const auto i = static_cast<std::size_t>(kind);
  return i < std::size(texts) ? texts[i] : llvm::StringLiteral(""); // End of the file has no text
}
