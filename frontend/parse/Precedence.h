#pragma once
//===- Precedence.h - From a flat line of operators to a tree ---------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "support/Diagnostics.h"

namespace dpl {

/// An operand or an operator of an expression, in the order of the text.
struct ExprItem {
  enum class ExprItemKind : std::uint8_t { Operand, Prefix, Infix };
  ExprItemKind kind;
  SourceRange range;
  const ast::Expr* operand = nullptr;
  ast::UnaryOp prefix{};
  ast::BinaryOp infix{};
};

/// Binds, loosest first: `or`; `and`; `not`; comparisons and `in`; `..` and `..<`; `+ -`; `* / %`;
/// the sign. All go left to right. A comparison of a comparison is reported.
/// `items` is prefix* operand (infix prefix* operand)*.
const ast::Expr& buildTree(llvm::ArrayRef<ExprItem> items, llvm::StringRef text, Arena& arena,
                           DiagnosticEngine& diags);

} // namespace dpl
