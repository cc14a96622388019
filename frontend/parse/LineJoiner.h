#pragma once
//===- LineJoiner.h - The filter between lexer and parser ------------------------------------===//
#include "frontend/parse/Tokens.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// How deep an expression or a nest of blocks may go: brackets, prefix operators, postfix operators
/// and the operators of a left-deep chain count alike. Keeps every recursion over a tree shallow.
constexpr unsigned maxDepth = 256;

/// The `///` lines right above a token, first byte to last.
struct DocComment {
  std::uint32_t token; ///< index in JoinedTokens::tokens
  std::uint32_t begin, end;
};

struct JoinedTokens {
  std::vector<Token> tokens;           ///< nothing hidden, brackets balanced, closed by End
  std::vector<DocComment> docs;        ///< by rising token index
  std::vector<std::uint32_t> mistakes; ///< rising token indices at which something was reported
  bool usable = true;                  ///< false: too deep to be parsed, and reported
};

/// Drops hidden tokens and every newline at which a line goes on: inside `(` and `[`, after an
/// operator or a comma, before `then`, `else`, `from`, `with` and `on`. Reports what is wrong with
/// single tokens and with brackets, and repairs it so that the parser meets balanced brackets: an
/// unclosed one ends at the next line that can only start a statement.
JoinedTokens joinLines(llvm::ArrayRef<Token> all, llvm::StringRef text, std::uint32_t file,
                       DiagnosticEngine& diags);

/// Whether a line that ends, or begins, with this goes on: `+` and `,`; `else` and `from`.
bool goesOnAfter(TokenKind kind);
bool goesOnBefore(TokenKind kind);

} // namespace dpl
