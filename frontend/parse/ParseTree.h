#pragma once
//===- ParseTree.h - Text to AST --------------------------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Parses a file that is in the SourceManager. Reports one diagnostic a mistake and always returns
/// a file: broken statements are left out. `failed` says whether anything was reported.
struct ParseResult {
  const ast::File* file = nullptr;
  bool failed = false;
};
ParseResult parse(const SourceManager& sources, std::uint32_t file, Arena& arena,
                  DiagnosticEngine& diags);

/// Parses a file that is one field, as `--set path=value` is. Null when it is not, and reported.
const ast::FieldStmt* parseSetting(const SourceManager& sources, std::uint32_t file, Arena& arena,
                                   DiagnosticEngine& diags);

/// How often ANTLR met an ambiguity or needed the full context to decide. `parse` predicts by SLL,
/// which is right only while this is zero for every text: the tests and the parser's fuzzer are the
/// gate of that, of the same parser and tokens, and nothing else asks.
unsigned countGrammarConflicts(const SourceManager& sources, std::uint32_t file);

} // namespace dpl
