#pragma once
//===- ExprBuilder.h - Builds values from ANTLR's contexts, for ParseTree.cpp -----------------===//
#include "DplParser.h"
#include "frontend/ast/Ast.h"
#include "frontend/parse/AntlrStreams.h"
#include "frontend/parse/LineJoiner.h"
#include "frontend/parse/Literals.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/parse/Precedence.h"
#include "frontend/parse/Usable.h"
#include "support/diagnostics/Parse.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

namespace dpl {

/// Builds values. It has one function per kind of context. After error recovery a child may be
/// null, and a context may have an exception. In both cases `hole` is set, so that the statement is
/// left out.
class ExprBuilder {
protected:
  using P = grammar::DplParser;
  using Terminal = antlr4::tree::TerminalNode;

  ExprBuilder(JoinedTokens& joined, llvm::StringRef text, std::uint32_t file, Arena& arena,
              DiagnosticEngine& diags, Damaged damaged)
      : joined(joined), text(text), file(file), arena(arena), diags(diags),
        keepsDamaged(damaged == Damaged::Keep) {}
  ~ExprBuilder() = default;

  /// Builds a block. The derived class does this, because fields of an amended value are
  /// statements.
  virtual const ast::Block& block(P::BlockContext* c) = 0;

  // ---- places and names

  SourceRange range(const antlr4::Token& t) const {
    return {file, own(t).token.begin, own(t).token.end};
  }
  SourceRange range(const antlr4::ParserRuleContext& c) const {
    if (!c.start || !c.stop)
      return {file, 0, 0};
    const std::uint32_t begin = own(*c.start).token.begin;
    return {file, begin, std::max(begin, own(*c.stop).token.end)};
  }
  SourceRange range(Terminal& t) const { return range(*t.getSymbol()); }
  llvm::StringRef source(SourceRange r) const { return text.slice(r.begin, r.end); }
  template <class T> llvm::ArrayRef<T> copy(const llvm::SmallVectorImpl<T>& from) {
    return arena.copy(llvm::ArrayRef<T>(from));
  }

  /// Builds a statement. Returns null if `hole` was set in it, unless damaged statements are kept
  /// and the names that later phases need are there.
  template <class Context, class Inner, class Build>
  auto whole(Context& outer, Inner* inner, Build build) -> decltype(build(*inner)) {
    const bool before = hole;
    hole = outer.exception != nullptr;
    decltype(build(*inner)) built = nullptr;
    if (const auto* made = inner ? build(*inner) : nullptr;
        made && (!hole || (keepsDamaged && isUsable(*made)))) {
      built = made;
      if (hole && lacksValue(*made))
        withoutValue.push_back(made->range);
    }
    hole = before;
    return built;
  }
  /// Sets `hole`, and returns true, if a context is missing or has an exception.
  template <class Context> bool broken(Context* c) {
    if (c && !c->exception)
      return false;
    hole = true;
    return true;
  }

  ast::Name name(Terminal* t) {
    if (!t) {
      hole = true;
      return {};
    }
    return {source(range(*t)), range(*t)};
  }
  ast::Name nameIf(Terminal* t) { return t ? name(t) : ast::Name{}; }
  ast::Name name(P::NameContext* c) {
    if (broken(c))
      return {};
    return {source(range(*c)), range(*c)};
  }
  ast::QualifiedName qname(P::QnameContext* c) {
    if (broken(c))
      return {};
    llvm::SmallVector<ast::Name> names{name(c->IDENT())};
    for (P::NameContext* n : c->name())
      names.push_back(name(n));
    return copy(names);
  }
  template <class Clause> ast::QualifiedName clause(Clause* c) {
    return c ? qname(c->qname()) : ast::QualifiedName{};
  }

  // ---- values

  const ast::Expr& error(SourceRange r, llvm::ArrayRef<ExprItem> read = {}) {
    hole = true;
    if (!keepsDamaged)
      return arena.make<ast::ErrorExpr>(r);
    llvm::SmallVector<const ast::Expr*, 4> parts;
    for (const ExprItem& item : read)
      if (item.kind == ExprItem::ExprItemKind::Operand)
        parts.push_back(item.operand);
    return arena.make<ast::ErrorExpr>(r, copy(parts));
  }

  const ast::Expr& value(P::ValueContext* c) {
    if (broken(c))
      return error({file, 0, 0});
    if (c->IF())
      return arena.make<ast::IfExpr>(range(*c), expr(c->expr()), value(c->value(0)),
                                     value(c->value(1)));
    const ast::Expr& e = expr(c->expr());
    if (!c->block())
      return e;
    llvm::SmallVector<ast::Name> names;
    if (!qualified(e, names)) {
      if (!hole && !joined.unmatchedAround(c->block()->start->getTokenIndex()))
        diags.report<diag::AmendedExpression>(e.range, fmt::format("`{}`", source(e.range)));
      return error(e.range);
    }
    return arena.make<ast::AmendExpr>(range(*c), copy(names), block(c->block()));
  }

  /// Reads an expression `a.b.c` as names. False for other expressions.
  bool qualified(const ast::Expr& e, llvm::SmallVectorImpl<ast::Name>& names) {
    if (const auto* n = llvm::dyn_cast<ast::NameExpr>(&e)) {
      names.push_back({n->name, n->range});
      return true;
    }
    const auto* m = llvm::dyn_cast<ast::MemberExpr>(&e);
    if (!m || !qualified(m->base, names))
      return false;
    names.push_back(m->name);
    return true;
  }

  const ast::Expr& expr(P::ExprContext* c) {
    if (broken(c))
      return error({file, 0, 0});
    llvm::SmallVector<ExprItem, 8> items;
    const std::vector<P::OperandContext*> operands = c->operand();
    const std::vector<P::BinaryContext*> operators = c->binary();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > operators.size())
        break; // after a syntax error
      if (i > 0) {
        const SourceRange at = range(*operators[i - 1]);
        items.push_back({ExprItem::ExprItemKind::Infix,
                         at,
                         nullptr,
                         {},
                         infix(own(*operators[i - 1]->start).token.kind)});
      }
      operand(*operands[i], items);
    }
    if (hole || operands.empty() || operators.size() + 1 != operands.size())
      return error(range(*c), items);
    const ast::Expr& tree = buildTree(items, text, arena, diags);
    if (llvm::isa<ast::ErrorExpr>(tree))
      hole = true;
    return tree;
  }

  static ast::BinaryOp infix(TokenKind kind) {
    using Kind = TokenKind;
    using ast::BinaryOp;
    switch (kind) {
    case Kind::Star:
      return BinaryOp::Multiply;
    case Kind::Slash:
      return BinaryOp::Divide;
    case Kind::Percent:
      return BinaryOp::Remainder;
    case Kind::Plus:
      return BinaryOp::Add;
    case Kind::Minus:
      return BinaryOp::Subtract;
    case Kind::Range:
      return BinaryOp::Range;
    case Kind::RangeExclusive:
      return BinaryOp::RangeExclusive;
    case Kind::Equal:
      return BinaryOp::Equal;
    case Kind::NotEqual:
      return BinaryOp::NotEqual;
    case Kind::LessEqual:
      return BinaryOp::LessEqual;
    case Kind::GreaterEqual:
      return BinaryOp::GreaterEqual;
    case Kind::Less:
      return BinaryOp::Less;
    case Kind::Greater:
      return BinaryOp::Greater;
    case Kind::In:
      return BinaryOp::In;
    case Kind::And:
      return BinaryOp::And;
    default:
      return BinaryOp::Or;
    }
  }

  void operand(P::OperandContext& c, llvm::SmallVectorImpl<ExprItem>& items) {
    if (broken(&c))
      return;
    for (antlr4::tree::ParseTree* child : c.children)
      if (auto* sign = dynamic_cast<Terminal*>(child))
        items.push_back({ExprItem::ExprItemKind::Prefix,
                         range(*sign),
                         nullptr,
                         own(*sign->getSymbol()).token.is(TokenKind::Not) ? ast::UnaryOp::Not
                                                                          : ast::UnaryOp::Negate,
                         {}});
    const ast::Expr* e = &primary(c.primary());
    for (P::PostfixContext* p : c.postfix())
      e = &postfix(*e, p);
    items.push_back({ExprItem::ExprItemKind::Operand, e->range, e, {}, {}});
  }

  const ast::Expr& postfix(const ast::Expr& base, P::PostfixContext* c) {
    if (broken(c))
      return error(base.range, {{ExprItem::ExprItemKind::Operand, base.range, &base, {}, {}}});
    const SourceRange r{file, base.range.begin, range(*c).end};
    if (c->DOT())
      return arena.make<ast::MemberExpr>(r, base, name(c->name()));
    if (c->PER())
      return arena.make<ast::ScopedExpr>(r, base, name(c->IDENT()));
    if (c->LBRACK())
      return arena.make<ast::IndexExpr>(r, base, expr(c->expr()));
    llvm::SmallVector<ast::Argument> arguments;
    if (P::ArgumentsContext* list = c->arguments(); list && !broken(list))
      for (P::ArgumentContext* a : list->argument())
        arguments.push_back(argument(a));
    return arena.make<ast::CallExpr>(r, base, copy(arguments));
  }

  ast::Argument argument(P::ArgumentContext* c) {
    if (broken(c))
      return {{}, &error({file, 0, 0})};
    if (c->WHERE())
      return {{}, &value(c->value(0)), &value(c->value(1))};
    if (!c->COLON())
      return {{}, &value(c->value(0))};
    const ast::Expr& label = value(c->value(0));
    const auto* n = llvm::dyn_cast<ast::NameExpr>(&label);
    if (!n && !hole)
      diags.report<diag::LabelNotAName>(label.range, fmt::format("`{}`", source(label.range)));
    if (!n)
      return {{}, &error(label.range)};
    return {{n->name, n->range}, &value(c->value(1))};
  }

  const ast::Expr& primary(P::PrimaryContext* c) {
    if (broken(c))
      return error({file, 0, 0});
    const SourceRange r = range(*c);
    if (c->LPAREN())
      return arena.make<ast::GroupExpr>(r, value(c->value()));
    if (c->LBRACK())
      return c->comprehension() ? comprehension(r, *c->comprehension()) : list(r, c->values());
    if (c->IDENT())
      return arena.make<ast::NameExpr>(r, source(r));
    if (c->PARAM()) {
      const SourceRange keyword = range(*c->PARAM());
      return arena.make<ast::MemberExpr>(r, arena.make<ast::NameExpr>(keyword, source(keyword)),
                                         name(c->name()));
    }
    if (c->STRING())
      return arena.make<ast::StringExpr>(r, string(*c->STRING()));
    if (c->TRUE() || c->FALSE())
      return arena.make<ast::BoolExpr>(r, c->TRUE() != nullptr);
    FailureOr<Number> number = readNumber(source(r), r, diags);
    if (number.failed())
      return error(r);
    return arena.make<ast::NumberExpr>(r, *number);
  }

  const ast::Expr& list(SourceRange r, P::ValuesContext* c) {
    llvm::SmallVector<const ast::Expr*> values;
    if (c && !broken(c))
      for (P::ValueContext* v : c->value())
        values.push_back(&value(v));
    return arena.make<ast::ListExpr>(r, copy(values));
  }

  const ast::Expr& comprehension(SourceRange r, P::ComprehensionContext& c) {
    if (broken(&c))
      return error(r);
    return arena.make<ast::ComprehensionExpr>(
        r, name(c.IDENT()), expr(c.expr(0)), c.IF() ? &expr(c.expr(1)) : nullptr, value(c.value()));
  }

  llvm::StringRef string(Terminal& t) {
    FailureOr<llvm::StringRef> read = readString(source(range(t)), range(t), arena, diags);
    if (read.failed())
      hole = true;
    return read.failed() ? llvm::StringRef{} : *read;
  }

  JoinedTokens& joined;
  llvm::StringRef text;
  std::uint32_t file;
  Arena& arena;
  DiagnosticEngine& diags;
  std::vector<SourceRange> withoutValue; ///< statements of which only the value is damaged
  const bool keepsDamaged;               ///< whether statements with holes are a part of the tree
  bool hole = false; ///< whether a part of the current statement is missing or wrong
};

} // namespace dpl
