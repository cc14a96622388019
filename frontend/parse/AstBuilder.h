#pragma once
//===- AstBuilder.h - From ANTLR's contexts to the AST (for ParseTree.cpp alone) ---------------------===//
#include "DplParser.h"
#include "frontend/ast/Ast.h"
#include "frontend/parse/AntlrStreams.h"
#include "frontend/parse/LineJoiner.h"
#include "frontend/parse/Literals.h"
#include "frontend/parse/Precedence.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

namespace dpl {

/// One function a context. Recovery leaves holes in a tree, so every child may be null and every
/// context may carry an exception; either makes `hole`, and the statement around it is left out.
class AstBuilder {
  using P = grammar::DplParser;
  using Terminal = antlr4::tree::TerminalNode;

public:
  AstBuilder(const JoinedTokens& joined, llvm::StringRef text, std::uint32_t file, Arena& arena,
             DiagnosticEngine& diags)
      : joined(joined), text(text), file(file), arena(arena), diags(diags) {}

  const ast::File& build(P::FileContext& c) {
    llvm::SmallVector<const ast::Decl*> declarations;
    for (P::TopLineContext* line : c.topLine())
      if (const ast::Decl* d = whole(*line, line->item(), [&](auto& item) { return decl(item); }))
        declarations.push_back(d);
    return arena.make<ast::File>(file, copy(declarations));
  }

  const ast::FieldStmt* build(P::SettingContext& c) {
    return whole(c, c.field(), [&](auto& f) { return field(f); });
  }

private:
  // ---- places and pieces ---------------------------------------------------------------------------

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

  /// A statement without holes, or null.
  template <class Context, class Inner, class Build>
  auto whole(Context& outer, Inner* inner, Build build) -> decltype(build(*inner)) {
    const bool before = hole;
    hole = outer.exception != nullptr;
    decltype(build(*inner)) built = nullptr;
    if (const auto* made = inner ? build(*inner) : nullptr; made && !hole)
      built = made;
    hole = before;
    return built;
  }
  /// Notes a hole where recovery has been.
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

  llvm::StringRef doc(const antlr4::ParserRuleContext& c) {
    const auto token = static_cast<std::uint32_t>(c.start->getTokenIndex());
    const auto it = std::lower_bound(joined.docs.begin(), joined.docs.end(), token,
                                     [](const DocComment& d, std::uint32_t t) { return d.token < t; });
    if (it == joined.docs.end() || it->token != token)
      return {};
    return readDoc(text.slice(it->begin, it->end), arena);
  }

  // ---- declarations --------------------------------------------------------------------------------

  const ast::Decl* decl(P::ItemContext& c) {
    if (broken(&c))
      return nullptr;
    const llvm::StringRef docText = doc(c);
    if (P::ImportDeclContext* i = c.importDecl())
      return importDecl(*i, docText);
    if (P::ParamDeclContext* p = c.paramDecl())
      return param(*p, docText);
    if (P::SchemaDeclContext* s = c.schemaDecl())
      return schema(*s, docText);
    if (P::BlockDeclContext* b = c.blockDecl())
      return blockDecl(*b, docText);
    if (P::LetStmtContext* l = c.letStmt())
      return &arena.make<ast::LetDecl>(range(*l), docText, let(*l));
    if (P::AssertStmtContext* a = c.assertStmt())
      return &arena.make<ast::AssertDecl>(range(*a), docText,
                                          check(ast::Stmt::Kind::Assert, *a));
    return nullptr;
  }

  const ast::Decl* importDecl(P::ImportDeclContext& c, llvm::StringRef docText) {
    if (broken(&c))
      return nullptr;
    const ast::Name alias = c.AS() ? name(c.IDENT()) : ast::Name{};
    if (Terminal* path = c.STRING())
      return &arena.make<ast::ImportDecl>(range(c), docText, ast::QualifiedName{}, string(*path),
                                          range(*path), alias);
    const ast::QualifiedName module = qname(c.qname());
    return &arena.make<ast::ImportDecl>(
        range(c), docText, module, llvm::StringRef{},
        c.qname() ? range(*c.qname()) : range(c), alias);
  }

  const ast::Decl* param(P::ParamDeclContext& c, llvm::StringRef docText) {
    if (broken(&c))
      return nullptr;
    return &arena.make<ast::ParamDecl>(range(c), docText, name(c.IDENT()), type(c.type()),
                                       c.IN() ? &expr(c.expr()) : nullptr,
                                       c.ASSIGN() ? &value(c.value()) : nullptr);
  }

  const ast::Decl* blockDecl(P::BlockDeclContext& c, llvm::StringRef docText) {
    if (broken(&c))
      return nullptr;
    llvm::SmallVector<ast::QualifiedName> fragments;
    if (P::WithClauseContext* with = c.withClause(); with && !broken(with))
      for (P::QnameContext* q : with->qname())
        fragments.push_back(qname(q));
    return &arena.make<ast::BlockDecl>(
        range(c), docText, c.SEARCH() != nullptr, name(c.IDENT(0)), name(c.IDENT(1)),
        clause(c.fromClause()), copy(fragments), clause(c.forClause()), clause(c.onClause()),
        c.block() ? &block(c.block()) : nullptr);
  }

  // ---- schemas -------------------------------------------------------------------------------------

  const ast::Decl* schema(P::SchemaDeclContext& c, llvm::StringRef docText) {
    if (broken(&c) || broken(c.schemaBlock()))
      return nullptr;
    llvm::SmallVector<ast::SchemaField> fields;
    llvm::SmallVector<ast::ChoiceMember> choices;
    llvm::SmallVector<const ast::Stmt*> statements;
    for (P::SchemaLineContext* line : c.schemaBlock()->schemaLine()) {
      P::SchemaStmtContext* s = line->schemaStmt();
      if (!s)
        continue;
      if (P::SchemaFieldContext* f = s->schemaField(); f && f->COLON()) {
        if (const ast::SchemaField* made = whole(*line, f, [&](auto& x) { return schemaField(x); }))
          fields.push_back(*made);
      } else if (P::ChoiceStmtContext* choice = s->choiceStmt()) {
        choiceStmt(*line, *choice, choices);
      } else if (const ast::Stmt* made = whole(*line, s, [&](auto& x) { return schemaStmt(x); })) {
        statements.push_back(made);
      }
    }
    // `for` is before `on`, so one name alone is told by which of the two words stands there.
    Terminal* first = c.IDENT(1);
    Terminal* second = c.FOR() && c.ON() ? c.IDENT(2) : first;
    return &arena.make<ast::SchemaDecl>(
        range(c), docText, name(c.IDENT(0)), clause(c.fromClause()),
        c.FOR() ? name(first) : ast::Name{}, c.ON() ? name(second) : ast::Name{}, copy(fields),
        copy(choices), copy(statements));
  }

  const ast::Stmt* schemaStmt(P::SchemaStmtContext& c) {
    if (P::LetStmtContext* l = c.letStmt())
      return &let(*l);
    if (P::AssertStmtContext* a = c.assertStmt())
      return &check(ast::Stmt::Kind::Assert, *a);
    P::SchemaFieldContext* f = c.schemaField();
    if (broken(f))
      return nullptr;
    const ast::Name n = name(f->IDENT());
    const ast::PathStep step{n, nullptr};
    return &arena.make<ast::FieldStmt>(range(*f), arena.copy(llvm::makeArrayRef(step)), n.range,
                                       ast::FieldStmt::Form::Assign, &value(f->value()),
                                       llvm::ArrayRef<ast::Placement>{}, nullptr);
  }

  /// `c` is a SchemaField or a ChoiceField: the two share their typed form.
  template <class Context> const ast::SchemaField* schemaField(Context& c) {
    if (broken(&c))
      return nullptr;
    return &arena.make<ast::SchemaField>(range(c), name(c.IDENT()), type(c.type()),
                                         c.ASSIGN() ? &value(c.value()) : nullptr,
                                         c.block() ? &block(c.block()) : nullptr, doc(c));
  }

  void choiceStmt(P::SchemaLineContext& line, P::ChoiceStmtContext& c,
                  llvm::SmallVectorImpl<ast::ChoiceMember>& into) {
    if (line.exception || c.exception)
      return;
    llvm::SmallVector<ast::SchemaField> fields;
    if (P::ChoiceBlockContext* b = c.choiceBlock())
      for (P::ChoiceLineContext* l : b->choiceLine())
        if (const ast::SchemaField* made =
                whole(*l, l->choiceField(), [&](auto& x) { return schemaField(x); }))
          fields.push_back(*made);
    // The block belongs to the last name.
    const std::vector<Terminal*> names = c.IDENT();
    for (Terminal* n : names)
      into.push_back({name(n), n == names.back() ? copy(fields) : llvm::ArrayRef<ast::SchemaField>{},
                      doc(c)});
  }

  ast::TypeExpr type(P::TypeContext* c) {
    if (broken(c))
      return {};
    ast::TypeExpr t;
    t.range = range(*c);
    t.optional = c->QUESTION() != nullptr;
    t.scope = c->PER() ? name(c->IDENT()) : ast::Name{};
    if (P::TypeContext* element = c->type()) {
      t.form = ast::TypeExpr::Form::List;
      t.element = &arena.make<ast::TypeExpr>(type(element));
      return t;
    }
    t.name = qname(c->qname(0));
    if (c->LBRACK()) {
      t.form = ast::TypeExpr::Form::Map;
      t.key = qname(c->qname(1));
    }
    return t;
  }

  // ---- statements ----------------------------------------------------------------------------------

  const ast::Block& block(P::BlockContext* c) {
    if (broken(c))
      return arena.make<ast::Block>();
    llvm::SmallVector<const ast::Stmt*> statements;
    for (P::LineContext* line : c->line())
      if (const ast::Stmt* s = whole(*line, line->stmt(), [&](auto& x) { return stmt(x); }))
        statements.push_back(s);
    return arena.make<ast::Block>(range(*c), copy(statements));
  }

  const ast::Stmt* stmt(P::StmtContext& c) {
    if (broken(&c))
      return nullptr;
    if (P::FieldContext* f = c.field())
      return field(*f);
    if (P::ForStmtContext* f = c.forStmt())
      return forStmt(*f);
    if (P::IfStmtContext* i = c.ifStmt())
      return ifStmt(*i);
    if (P::AssertStmtContext* a = c.assertStmt())
      return &check(ast::Stmt::Kind::Assert, *a);
    if (P::RequireStmtContext* r = c.requireStmt())
      return &check(ast::Stmt::Kind::Require, *r);
    if (P::LetStmtContext* l = c.letStmt())
      return &let(*l);
    if (P::ObjectiveContext* o = c.objective(); o && !broken(o))
      return &arena.make<ast::ObjectiveStmt>(range(*o), o->MAXIMIZE() != nullptr, expr(o->expr()));
    return nullptr;
  }

  const ast::FieldStmt* field(P::FieldContext& c) {
    if (broken(&c) || broken(c.path()))
      return nullptr;
    llvm::SmallVector<ast::PathStep> steps;
    for (antlr4::tree::ParseTree* child : c.path()->children) {
      if (auto* n = dynamic_cast<P::NameContext*>(child))
        steps.push_back({name(n), nullptr});
      else if (auto* e = dynamic_cast<P::ExprContext*>(child))
        steps.push_back({{}, &expr(e)});
      else if (steps.empty())
        steps.push_back({name(c.path()->IDENT()), nullptr});
    }
    llvm::SmallVector<ast::Placement> placements;
    for (P::PlacementContext* p : c.placement()) {
      if (broken(p))
        continue;
      const ast::QualifiedName level = qname(p->qname());
      if (level.size() != 1)
        hole = true;
      else
        placements.push_back({p->ACROSS() != nullptr, level.front(), range(*p)});
    }
    using Form = ast::FieldStmt::Form;
    const Form form = c.ASSIGN() ? Form::Assign : c.IN() ? Form::Candidates : Form::Amend;
    const ast::Expr* v = form == Form::Assign       ? &value(c.value())
                         : form == Form::Candidates ? &expr(c.expr())
                                                    : nullptr;
    return &arena.make<ast::FieldStmt>(range(c), copy(steps), range(*c.path()), form, v,
                                       copy(placements),
                                       form == Form::Amend ? &block(c.block()) : nullptr);
  }

  const ast::Stmt* forStmt(P::ForStmtContext& c) {
    if (broken(&c))
      return nullptr;
    return &arena.make<ast::ForStmt>(range(c), name(c.IDENT(0)), nameIf(c.IDENT(1)),
                                     expr(c.expr()), block(c.block()));
  }

  const ast::Stmt* ifStmt(P::IfStmtContext& c) {
    if (broken(&c))
      return nullptr;
    const ast::Block* otherwise = nullptr;
    if (P::ElseClauseContext* e = c.elseClause(); e && !broken(e)) {
      if (e->block())
        otherwise = &block(e->block());
      else if (const ast::Stmt* next = e->ifStmt() ? ifStmt(*e->ifStmt()) : nullptr)
        otherwise = &arena.make<ast::Block>(next->range, arena.copy(llvm::makeArrayRef(next)));
    }
    return &arena.make<ast::IfStmt>(range(c), expr(c.expr()), block(c.block()), otherwise);
  }

  template <class Context> const ast::CheckStmt& check(ast::Stmt::Kind kind, Context& c) {
    broken(&c);
    const llvm::StringRef reason = c.STRING() ? string(*c.STRING()) : llvm::StringRef{};
    return arena.make<ast::CheckStmt>(kind, range(c), expr(c.expr()), reason);
  }

  const ast::LetStmt& let(P::LetStmtContext& c) {
    broken(&c);
    return arena.make<ast::LetStmt>(range(c), name(c.IDENT()), value(c.value()));
  }

  // ---- values --------------------------------------------------------------------------------------

  const ast::Expr& error(SourceRange r) {
    hole = true;
    return arena.make<ast::ErrorExpr>(r);
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
      if (!hole)
        diags.report<diag::AmendedExpression>(e.range, fmt::format("`{}`", source(e.range)));
      return error(e.range);
    }
    return arena.make<ast::AmendExpr>(range(*c), copy(names), block(c->block()));
  }

  /// `a.b.c` as its names; false when the expression is anything else.
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
      if (i > 0) {
        const SourceRange at = range(*operators[i - 1]);
        items.push_back({ExprItem::Kind::Infix, at, nullptr, {},
                         infix(own(*operators[i - 1]->start).token.kind)});
      }
      operand(*operands[i], items);
    }
    if (hole || operands.empty() || operators.size() + 1 != operands.size())
      return error(range(*c));
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
        items.push_back({ExprItem::Kind::Prefix, range(*sign), nullptr,
                         own(*sign->getSymbol()).token.is(TokenKind::Not) ? ast::UnaryOp::Not
                                                                          : ast::UnaryOp::Negate,
                         {}});
    const ast::Expr* e = &primary(c.primary());
    for (P::PostfixContext* p : c.postfix())
      e = &postfix(*e, p);
    items.push_back({ExprItem::Kind::Operand, e->range, e, {}, {}});
  }

  const ast::Expr& postfix(const ast::Expr& base, P::PostfixContext* c) {
    if (broken(c))
      return error(base.range);
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
    return arena.make<ast::ComprehensionExpr>(r, name(c.IDENT()), expr(c.expr(0)),
                                              c.IF() ? &expr(c.expr(1)) : nullptr, value(c.value()));
  }

  llvm::StringRef string(Terminal& t) {
    FailureOr<llvm::StringRef> read = readString(source(range(t)), range(t), arena, diags);
    if (read.failed())
      hole = true;
    return read.failed() ? llvm::StringRef{} : *read;
  }

  const JoinedTokens& joined;
  llvm::StringRef text;
  std::uint32_t file;
  Arena& arena;
  DiagnosticEngine& diags;
  bool hole = false; ///< in the statement being built
};

} // namespace dpl
