#pragma once
//===- LineRules.h - Where a line goes on and what can only begin one -------------------------===//
#include "frontend/parse/Tokens.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// Whether it is an operator between two operands.
bool isBinary(TokenKind kind);
/// Whether a line that ends, or begins, with this goes on: `+` and `,`; `else` and `from`.
bool continuesAfter(TokenKind kind);
bool continuesBefore(TokenKind kind);

/// Whether a line of these tokens can be nothing but a statement, so that no bracket is open. `for`
/// right behind a `[` is that of a comprehension.
bool startsStatement(llvm::ArrayRef<Token> line, bool behindBracket);

/// Whether it can only stand outside every block; `inside`: it is further in than the line of the
/// innermost open bracket, and so taken for a part of the block. `kind name from …` counts at the
/// left margin only: in a block it is a field with its `=` forgotten.
bool startsTopLevel(llvm::ArrayRef<Token> line, bool inside, bool atMargin);

} // namespace dpl
