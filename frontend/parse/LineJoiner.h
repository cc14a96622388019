#pragma once
//===- LineJoiner.h - The filter between lexer and parser -------------------------------------===//
#include "frontend/parse/Tokens.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

namespace dpl {

/// How deep an expression or a nest of blocks may go: brackets, prefix operators, postfix operators
/// and the operators of a left-deep chain count alike. Keeps every recursion over a tree shallow.
constexpr unsigned maxDepth = 256;

/// The `///` lines right above a token, first byte to last.
struct DocComment {
  std::uint32_t token; ///< index in JoinedTokens::tokens
  std::uint32_t begin, end;
};

/// A closing bracket without an opening one. Where the opening one was forgotten, the parser finds
/// fault with what follows, too: of all that is wrong from `first` to `last`, one thing is
/// reported.
struct UnmatchedBracket {
  std::uint32_t first, last; ///< token indices
  SourceRange place;
  TokenKind kind;
  bool reported; ///< something of it has been
};

struct JoinedTokens {
  std::vector<Token> tokens;               ///< nothing hidden, brackets balanced, closed by End
  std::vector<DocComment> docs;            ///< by rising token index
  std::vector<std::uint32_t> mistakes;     ///< rising token indices at which something was reported
  std::vector<UnmatchedBracket> unmatched; ///< by rising `last`; the parser's client reports them
  bool usable = true;                      ///< false: too deep to be parsed, and reported

  /// The one whose range holds a token, or null.
  UnmatchedBracket* unmatchedAround(std::size_t token) {
    const auto it = std::partition_point(unmatched.begin(), unmatched.end(),
                                         [&](const UnmatchedBracket& u) { return u.last < token; });
    return it != unmatched.end() && it->first <= token ? &*it : nullptr;
  }
};

/// Drops hidden tokens and every newline at which a line goes on: inside `(` and `[`, after an
/// operator or a comma, before `then`, `else`, `from`, `with` and `on`. Reports what is wrong with
/// single tokens and with brackets, and repairs it so that the parser meets balanced brackets: an
/// unclosed one ends at the next line that can only start a statement.
JoinedTokens joinLines(llvm::ArrayRef<Token> all, llvm::StringRef text, std::uint32_t file,
                       DiagnosticEngine& diags);

} // namespace dpl
