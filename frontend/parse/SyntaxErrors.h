#pragma once
//===- SyntaxErrors.h - Messages for syntax errors --------------------------------------------===//
#include "frontend/parse/Tokens.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// The tokens that the parser expected at an error.
enum class Wanted : std::uint8_t {
  Declaration,     ///< a declaration in a file
  Statement,       ///< a statement in a block
  SchemaStatement, ///< a statement in a schema or choice
  End,             ///< the end of a statement
  FieldValue,      ///< `=`, `in` or `{` after a path
  FieldType,       ///< `:` and a type after the field name of a schema
  Value,
  Name,
  Type,
  Module, ///< the module of an import
  Token,  ///< the token SyntaxError::token
  Other
};

/// A place at which the parser could not continue.
struct SyntaxError {
  Wanted wanted = Wanted::Other;
  TokenKind token = TokenKind::None;
  llvm::ArrayRef<Token> tokens;
  std::size_t at = 0;        ///< index of the unexpected token
  std::size_t statement = 0; ///< index of the statement's first token
};

/// Reports the error. Frequent errors have messages of their own.
void reportSyntaxError(const SyntaxError& error, llvm::StringRef text, std::uint32_t file,
                       DiagnosticEngine& diags);

} // namespace dpl
