//===- Tokens.cpp - What messages call the tokens ---------------------------------------------===//
#include "frontend/parse/Tokens.h"
using namespace dpl;

llvm::StringRef dpl::spelling(TokenKind kind) {
  switch (kind) {
#define TOKEN(KIND, ANTLR, TEXT)                                                                   \
  case TokenKind::KIND:                                                                            \
    return TEXT;
#include "frontend/parse/Tokens.def"
  case TokenKind::None:
  case TokenKind::End:
    break;
  }
  return "";
}
