#pragma once
//===- Literals.h - Values of number and string literals --------------------------------------===//
#include "frontend/ast/Ast.h"
#include "frontend/parse/Tokens.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// The value of a Number or Quantity token in base units. Reports an unknown unit or a number that
/// does not fit.
FailureOr<Number> readNumber(llvm::StringRef literal, SourceRange at, DiagnosticEngine& diags);

/// The text between the quotes, with escapes decoded: `\"`, `\\`, `\n`, `\t`.
FailureOr<llvm::StringRef> readString(llvm::StringRef literal, SourceRange at, Arena& arena,
                                      DiagnosticEngine& diags);

/// The text of `///` lines without the slashes and the space after them. Lines are joined by
/// newlines, and other lines are left out.
llvm::StringRef readDoc(llvm::StringRef comment, Arena& arena);

} // namespace dpl
