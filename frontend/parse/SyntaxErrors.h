#pragma once
//===- SyntaxErrors.h - What a wrong token is called ------------------------------------------===//
#include "frontend/parse/Tokens.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// What the parser wanted where it stopped.
enum class Wanted : std::uint8_t {
  Declaration,     ///< of a file
  Statement,       ///< of a block
  SchemaStatement, ///< of a schema or a choice
  End,             ///< of a statement
  FieldValue,      ///< `=`, `in` or `{` after a path
  FieldType,       ///< `:` and a type after the name of a schema's field
  Value,
  Name,
  Type,
  Module, ///< of an import
  Token,  ///< the one in SyntaxError::token
  Other
};

/// A place at which the parser could not go on.
struct SyntaxError {
  Wanted wanted = Wanted::Other;
  TokenKind token = TokenKind::None;
  llvm::ArrayRef<Token> tokens;
  std::size_t at = 0;        ///< the offending token
  std::size_t statement = 0; ///< the first token of the statement
};

/// Reports it in our words; the usual mistakes have messages of their own.
void reportSyntaxError(const SyntaxError& error, llvm::StringRef text, std::uint32_t file,
                       DiagnosticEngine& diags);

} // namespace dpl
