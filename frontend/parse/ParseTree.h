#pragma once
//===- ParseTree.h - Parses text to an AST ----------------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"
#include <vector>

namespace dpl {

/// The treatment of statements with syntax errors.
enum class Damaged : std::uint8_t {
  LeaveOut, ///< they are not in the tree
  Keep ///< they are in the tree, with ErrorExpr for what is missing, if their names could be read.
       ///< For editors: what such a tree says is not what the file says
};

/// The result of parsing a file of the SourceManager. There is one diagnostic per error, and always
/// a file, without the statements that have errors. `failed` is true if anything was reported.
struct ParseResult {
  const ast::File* file = nullptr;
  bool failed = false;
  /// With Damaged::Keep, statements of which only the value is missing or wrong; it is an
  /// ErrorExpr.
  std::vector<SourceRange> withoutValue = {};
};
ParseResult parse(const SourceManager& sources, std::uint32_t file, Arena& arena,
                  DiagnosticEngine& diags, Damaged damaged = Damaged::LeaveOut);

/// Parses a text with one field, as in `--set path=value`. Null after an error was reported.
const ast::FieldStmt* parseSetting(const SourceManager& sources, std::uint32_t file, Arena& arena,
                                   DiagnosticEngine& diags);

/// The number of ambiguities and of full-context decisions that ANTLR finds in a file. `parse` uses
/// SLL prediction, which is correct only if this number is 0 for every text. Only tests and the
/// parser's fuzzer call this function.
unsigned countGrammarConflicts(const SourceManager& sources, std::uint32_t file);

} // namespace dpl
