#pragma once
//===- LineJoiner.h - Token filter between lexer and parser -----------------------------------===//
#include "frontend/parse/Tokens.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

namespace dpl {

/// Limit on the depth of expressions and blocks. Brackets, prefix and postfix operators, and the
/// operators of a chain such as `a + b + c` count. It limits every recursion over a tree.
constexpr unsigned maxDepth = 256;

/// The range in bytes of `///` lines directly above a token.
struct DocComment {
  std::uint32_t token; ///< index in JoinedTokens::tokens
  std::uint32_t begin, end;
};

/// A closing bracket without an opening one. If the opening one was forgotten, the parser also
/// finds errors between the two. Of the errors from `first` to `last`, only one is reported.
struct UnmatchedBracket {
  std::uint32_t first, last; ///< token indices
  SourceRange place;
  TokenKind kind;
  bool reported; ///< whether an error in the range was reported
};

struct JoinedTokens {
  std::vector<Token> tokens;    ///< tokens without hidden ones, with balanced brackets; the last
                                ///< one is End
  std::vector<DocComment> docs; ///< doc comments in the order of tokens
  std::vector<std::uint32_t> mistakes;     ///< ascending indices of tokens with a reported error
  std::vector<UnmatchedBracket> unmatched; ///< in order of `last`; LineRecovery reports them
  bool usable = true; ///< false if the file is too deep to parse, which was reported

  /// The unmatched bracket whose range contains a token, or null.
  UnmatchedBracket* unmatchedAround(std::size_t token) {
    const auto it = std::partition_point(unmatched.begin(), unmatched.end(),
                                         [&](const UnmatchedBracket& u) { return u.last < token; });
    return it != unmatched.end() && it->first <= token ? &*it : nullptr;
  }
};

/// Drops hidden tokens, and each newline within a statement: inside `(` and `[`, after an operator
/// or a comma, before `then`, `else`, `from`, `with` and `on`. Reports wrong tokens and brackets,
/// and balances the brackets for the parser: a bracket that is not closed ends at the next line
/// that can only begin a statement.
JoinedTokens joinLines(llvm::ArrayRef<Token> all, llvm::StringRef text, std::uint32_t file,
                       DiagnosticEngine& diags);

} // namespace dpl
