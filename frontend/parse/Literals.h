#pragma once
//===- Literals.h - What numbers and texts mean -----------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "frontend/parse/Tokens.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// The value of a Number or Quantity token in base units. Reports an unknown unit or a number that
/// does not fit.
FailureOr<Number> readNumber(llvm::StringRef literal, SourceRange at, DiagnosticEngine& diags);

/// What stands between the quotes, escapes resolved: `\"`, `\\`, `\n`, `\t`.
FailureOr<llvm::StringRef> readString(llvm::StringRef literal, SourceRange at, Arena& arena,
                                      DiagnosticEngine& diags);

/// The text of `///` lines without the slashes and the space after them; lines are joined by
/// newlines, and what is no such line is left out.
llvm::StringRef readDoc(llvm::StringRef comment, Arena& arena);

} // namespace dpl
