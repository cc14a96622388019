//===- Precedence.cpp - Builds an expression tree from a list of operators --------------------===//
#include "frontend/parse/Precedence.h"
#include "support/diagnostics/Parse.h"
using namespace dpl;
using namespace dpl::ast;

namespace {

unsigned precedence(BinaryOp op) {
  switch (op) {
  case BinaryOp::Or:
    return 1;
  case BinaryOp::And:
    return 2;
  case BinaryOp::Equal:
  case BinaryOp::NotEqual:
  case BinaryOp::LessEqual:
  case BinaryOp::GreaterEqual:
  case BinaryOp::Less:
  case BinaryOp::Greater:
  case BinaryOp::In:
    return 4;
  case BinaryOp::Range:
  case BinaryOp::RangeExclusive:
    return 5;
  case BinaryOp::Add:
  case BinaryOp::Subtract:
    return 6;
  case BinaryOp::Multiply:
  case BinaryOp::Divide:
  case BinaryOp::Remainder:
    return 7;
  }
  return 0;
}
unsigned precedence(UnaryOp op) { return op == UnaryOp::Not ? 3 : 8; }

SourceRange span(const Expr& first, const Expr& last) {
  return {first.range.file, first.range.begin, last.range.end};
}

class Climber {
public:
  Climber(llvm::ArrayRef<ExprItem> items, llvm::StringRef text, Arena& arena, DiagnosticEngine& d)
      : items(items), text(text), arena(arena), diags(d) {}

  const Expr& climb(unsigned least) {
    const Expr* left = &operand();
    while (next < items.size() && precedence(items[next].infix) >= least) {
      const ExprItem& op = items[next++];
      const Expr& right = climb(precedence(op.infix) + 1);
      left = &join(*left, op, right);
    }
    return *left;
  }

private:
  const Expr& operand() {
    const ExprItem& item = items[next++];
    if (item.kind == ExprItem::ExprItemKind::Operand)
      return *item.operand;
    const Expr& value = climb(precedence(item.prefix));
    return arena.make<UnaryExpr>(SourceRange{item.range.file, item.range.begin, value.range.end},
                                 item.prefix, value);
  }

  const Expr& join(const Expr& left, const ExprItem& op, const Expr& right) {
    const auto* chained = llvm::dyn_cast<BinaryExpr>(&left);
    if (isComparison(op.infix) && chained && isComparison(chained->op)) {
      reportChain(*chained, op, right);
      return arena.make<ErrorExpr>(span(left, right));
    }
    if (llvm::isa<ErrorExpr>(left))
      return left;
    return arena.make<BinaryExpr>(span(left, right), op.infix, op.range, left, right);
  }

  llvm::StringRef source(const Expr& e) const { return text.slice(e.range.begin, e.range.end); }

  void reportChain(const BinaryExpr& left, const ExprItem& op, const Expr& right) {
    auto report = diags.report<diag::ComparisonChain>(op.range);
    if (left.op == BinaryOp::LessEqual &&
        (op.infix == BinaryOp::LessEqual || op.infix == BinaryOp::Less)) {
      const std::string range = fmt::format(
          "{} in {}{}{}", source(left.right), source(left.left),
          spelling(op.infix == BinaryOp::Less ? BinaryOp::RangeExclusive : BinaryOp::Range),
          source(right));
      std::move(report).help(fmt::format("write `{}`", range)).edit(span(left, right), range);
      return;
    }
    std::move(report).help(fmt::format("write `{} and {} {} {}`", source(left), source(left.right),
                                       spelling(op.infix), source(right)));
  }

  llvm::ArrayRef<ExprItem> items;
  std::size_t next = 0;
  llvm::StringRef text;
  Arena& arena;
  DiagnosticEngine& diags;
};

} // namespace

const Expr& dpl::buildTree(llvm::ArrayRef<ExprItem> items, llvm::StringRef text, Arena& arena,
                           DiagnosticEngine& diags) {
  return Climber(items, text, arena, diags).climb(0);
}

llvm::StringRef dpl::ast::spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Multiply:
    return "*";
  case BinaryOp::Divide:
    return "/";
  case BinaryOp::Remainder:
    return "%";
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Subtract:
    return "-";
  case BinaryOp::Range:
    return "..";
  case BinaryOp::RangeExclusive:
    return "..<";
  case BinaryOp::Equal:
    return "==";
  case BinaryOp::NotEqual:
    return "!=";
  case BinaryOp::LessEqual:
    return "<=";
  case BinaryOp::GreaterEqual:
    return ">=";
  case BinaryOp::Less:
    return "<";
  case BinaryOp::Greater:
    return ">";
  case BinaryOp::In:
    return "in";
  case BinaryOp::And:
    return "and";
  case BinaryOp::Or:
    return "or";
  }
  return "";
}
