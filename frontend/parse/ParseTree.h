#pragma once
//===- ParseTree.h - Text to AST ------------------------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Parses a file that is in the SourceManager. Reports one diagnostic a mistake and always returns a
/// file: broken statements are left out. `failed` says whether anything was reported.
struct ParseResult {
  const ast::File* file = nullptr;
  bool failed = false;
};
ParseResult parse(const SourceManager& sources, std::uint32_t file, Arena& arena,
                  DiagnosticEngine& diags);

} // namespace dpl
