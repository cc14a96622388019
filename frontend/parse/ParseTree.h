#pragma once
//===- ParseTree.h - Parses text to an AST ----------------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Parses a file of the SourceManager. Reports one diagnostic per error and always returns a file,
/// without its broken statements. `failed` is true if anything was reported.
struct ParseResult {
  const ast::File* file = nullptr;
  bool failed = false;
};
ParseResult parse(const SourceManager& sources, std::uint32_t file, Arena& arena,
                  DiagnosticEngine& diags);

/// Parses a file with one field, as in `--set path=value`. Null after a report.
const ast::FieldStmt* parseSetting(const SourceManager& sources, std::uint32_t file, Arena& arena,
                                   DiagnosticEngine& diags);

/// The number of ambiguities and full-context decisions of ANTLR in a file. `parse` uses SLL
/// prediction, which is correct only if this number is 0 for every text. Tests and the parser's
/// fuzzer check it; nothing else calls this function.
unsigned countGrammarConflicts(const SourceManager& sources, std::uint32_t file);

} // namespace dpl
