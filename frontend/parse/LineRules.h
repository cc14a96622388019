#pragma once
//===- LineRules.h - Rules for lines that continue or begin a statement -----------------------===//
#include "frontend/parse/Tokens.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// Whether a token is a binary operator.
bool isBinary(TokenKind kind);
/// Whether a line continues after `kind` (`+`, `,`) or before it (`else`, `from`).
bool continuesAfter(TokenKind kind);
bool continuesBefore(TokenKind kind);

/// Whether a line with these tokens can only be a statement, so that no bracket can be open before
/// it. A `for` directly after `[` begins a comprehension.
bool startsStatement(llvm::ArrayRef<Token> line, bool behindBracket);

/// Whether a line can only be a declaration. If `inside` is set, the line is indented more than the
/// line of the innermost open bracket, and so belongs to the block. `kind name from …` counts only
/// at the left margin, because in a block it is probably a field without its `=`.
bool startsTopLevel(llvm::ArrayRef<Token> line, bool inside, bool atMargin);

/// Whether a line at the left margin is `from …`, and the statement before it is not the header of
/// a block that still lacks its base. Imports of Python begin with this word.
bool isHalfTypedImport(llvm::ArrayRef<Token> line, llvm::ArrayRef<Token> before);

} // namespace dpl
