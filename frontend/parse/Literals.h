#pragma once
//===- Literals.h - Values of number and string literals --------------------------------------===//
#include "frontend/ast/Ast.h"
#include "frontend/parse/Tokens.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// The value of a token Number or Quantity, in base units. Reports a unit that is not known, and a
/// number that is too large.
FailureOr<Number> readNumber(llvm::StringRef literal, SourceRange at, DiagnosticEngine& diags);

/// The text between the quotes of a string, with its escapes decoded: `\"`, `\\`, `\n`, `\t`.
FailureOr<llvm::StringRef> readString(llvm::StringRef literal, SourceRange at, Arena& arena,
                                      DiagnosticEngine& diags);

/// The text of the `///` lines in a comment, without slashes and the space after them. The lines
/// are joined by newlines; other lines are left out.
llvm::StringRef readDoc(llvm::StringRef comment, Arena& arena);

} // namespace dpl
