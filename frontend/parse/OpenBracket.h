#pragma once
//===- OpenBracket.h - An open bracket, and the depth of the tree inside it -------------------===//
#include "frontend/parse/LineRules.h"
#include <algorithm>

namespace dpl {

/// An open bracket, or the file itself.
struct OpenBracket {
  std::uint32_t token = 0;  ///< index of the bracket in the output
  std::uint32_t indent = 0; ///< indentation of its line
  TokenKind closer = TokenKind::End;
  // Tree depth of the current statement or list element, in parts: operators of its chain, prefix
  // and postfix operators of one operand, and the deepest bracket in it.
  unsigned chain = 0, run = 0, deepestRun = 0, deepestInner = 0;
  unsigned deepestBefore = 0; ///< largest depth of the statements and elements before it

  unsigned depth() const { return deepestInner + chain + std::max(run, deepestRun); }
  void nextElement() {
    deepestBefore = std::max(deepestBefore, depth());
    chain = run = deepestRun = deepestInner = 0;
  }
  /// Counts the next token inside the bracket. `before` is the previous token.
  void count(const Token& t, const Token& before) {
    const bool prefixMinus = t.is(TokenKind::Minus) && !endsOperand(before);
    if (t.is(TokenKind::Comma) || t.is(TokenKind::Assign)) {
      nextElement();
    } else if (t.isOneOf(TokenKind::Not, TokenKind::Dot, TokenKind::Per) || prefixMinus ||
               (t.isOpening() && endsOperand(before))) {
      ++run;
    } else if (isBinary(t.kind) || t.is(TokenKind::Else)) {
      ++chain;
      deepestRun = std::max(deepestRun, run);
      run = 0;
    }
  }

private:
  static bool endsOperand(const Token& t) {
    return t.isOneOf(TokenKind::Number, TokenKind::Quantity, TokenKind::String,
                     TokenKind::Unterminated, TokenKind::Identifier, TokenKind::True,
                     TokenKind::False) ||
           t.isClosing();
  }
};

} // namespace dpl
