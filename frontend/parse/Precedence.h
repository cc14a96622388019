#pragma once
//===- Precedence.h - Builds an expression tree from a list of operators ----------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// An operand or operator of an expression, in text order.
struct ExprItem {
  enum class ExprItemKind : std::uint8_t { Operand, Prefix, Infix };
  ExprItemKind kind;
  SourceRange range;
  const ast::Expr* operand = nullptr;
  ast::UnaryOp prefix{};
  ast::BinaryOp infix{};
};

/// Builds a tree by precedence. From loosest to tightest: `or`; `and`; `not`; comparisons and `in`;
/// `..` and `..<`; `+ -`; `* / %`; the sign. All operators are left-associative. A comparison of a
/// comparison is reported. `items` has the form prefix* operand (infix prefix* operand)*.
const ast::Expr& buildTree(llvm::ArrayRef<ExprItem> items, llvm::StringRef text, Arena& arena,
                           DiagnosticEngine& diags);

} // namespace dpl
