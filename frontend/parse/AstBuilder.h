#pragma once
//===- AstBuilder.h - Builds the AST from ANTLR's contexts, for ParseTree.cpp -----------------===//
#include "frontend/parse/ExprBuilder.h"
#include "support/diagnostics/Parse.h"

namespace dpl {

/// Builds declarations, schemas and statements; the base class builds their values.
class AstBuilder final : ExprBuilder {
public:
  AstBuilder(JoinedTokens& joined, llvm::StringRef text, std::uint32_t file, Arena& arena,
             DiagnosticEngine& diags, Damaged damaged = Damaged::LeaveOut)
      : ExprBuilder(joined, text, file, arena, diags, damaged) {}

  /// Builds a declaration; null if it has a syntax error. `Damaged` says what is done about errors
  /// in its statements.
  const ast::Decl* build(P::TopLineContext& c) {
    return whole(c, c.item(), [&](auto& item) { return decl(item); });
  }

  const ast::FieldStmt* build(P::SettingContext& c) {
    return whole(c, c.field(), [&](auto& f) { return field(f); });
  }

  /// The statements that were kept although their values are damaged.
  std::vector<SourceRange> takeWithoutValue() { return std::move(withoutValue); }

private:
  llvm::StringRef doc(const antlr4::ParserRuleContext& c) {
    const auto token = static_cast<std::uint32_t>(c.start->getTokenIndex());
    const auto it =
        std::lower_bound(joined.docs.begin(), joined.docs.end(), token,
                         [](const DocComment& d, std::uint32_t t) { return d.token < t; });
    if (it == joined.docs.end() || it->token != token)
      return {};
    return readDoc(text.slice(it->begin, it->end), arena);
  }

  // ---- declarations

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
                                          check(ast::Stmt::StmtKind::Assert, *a));
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
    return &arena.make<ast::ImportDecl>(range(c), docText, module, llvm::StringRef{},
                                        c.qname() ? range(*c.qname()) : range(c), alias);
  }

  const ast::Decl* param(P::ParamDeclContext& c, llvm::StringRef docText) {
    if (broken(&c))
      return nullptr;
    // The candidates come first, because a missing value would damage what is built after it.
    const ast::Expr* candidates = c.IN() ? &expr(c.expr()) : nullptr;
    return &arena.make<ast::ParamDecl>(range(c), docText, name(c.IDENT()), type(c.type()),
                                       candidates, c.ASSIGN() ? &value(c.value()) : nullptr);
  }

  const ast::Decl* blockDecl(P::BlockDeclContext& c, llvm::StringRef docText) {
    if (broken(&c))
      return nullptr;
    if (!c.fromClause() && !c.withClause() && !c.block() && !keepsDamaged)
      return nothingDeclared(c);
    llvm::SmallVector<ast::QualifiedName> fragments;
    if (P::WithClauseContext* with = c.withClause(); with && !broken(with))
      for (P::QnameContext* q : with->qname())
        if (const ast::QualifiedName fragment = qname(q); !fragment.empty())
          fragments.push_back(fragment);
    return &arena.make<ast::BlockDecl>(range(c), docText, c.SEARCH() != nullptr, name(c.IDENT(0)),
                                       name(c.IDENT(1)), clause(c.fromClause()), copy(fragments),
                                       clause(c.forClause()), clause(c.onClause()),
                                       c.block() ? &block(c.block()) : nullptr);
  }

  /// Reports a `cluster pod` without a block once, so that its missing fields are not reported one
  /// by one.
  const ast::Decl* nothingDeclared(const P::BlockDeclContext& c) {
    const SourceRange r = range(c);
    if (!hole && !joined.unmatchedAround(c.stop->getTokenIndex()))
      diags
          .report<diag::UnexpectedToken>({file, r.end, r.end},
                                         fmt::format("`from` or `{{` after `{}`", source(r)),
                                         "the end of the line")
          .help("fields are written in `{ … }`, a base after `from`");
    hole = true;
    return nullptr;
  }

  // ---- schemas

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
    // Of the names, the schema's is first; then those after `for`, then the one after `on`.
    llvm::SmallVector<ast::Name> forKinds;
    if (c.FOR())
      for (std::size_t i = 0; i <= c.OR().size(); ++i)
        forKinds.push_back(name(c.IDENT(i + 1)));
    return &arena.make<ast::SchemaDecl>(range(c), docText, name(c.IDENT(0)), clause(c.fromClause()),
                                        copy(forKinds),
                                        c.ON() ? name(c.IDENT(forKinds.size() + 1)) : ast::Name{},
                                        copy(fields), copy(choices), copy(statements));
  }

  const ast::Stmt* schemaStmt(P::SchemaStmtContext& c) {
    if (P::LetStmtContext* l = c.letStmt())
      return &let(*l);
    if (P::AssertStmtContext* a = c.assertStmt())
      return &check(ast::Stmt::StmtKind::Assert, *a);
    P::SchemaFieldContext* f = c.schemaField();
    if (broken(f))
      return nullptr;
    const ast::Name n = name(f->IDENT());
    const ast::PathStep step{n, nullptr};
    return &arena.make<ast::FieldStmt>(range(*f), arena.copy(llvm::makeArrayRef(step)), n.range,
                                       ast::FieldStmt::FieldForm::Assign, &value(f->value()),
                                       llvm::ArrayRef<ast::AxisPlacement>{}, nullptr);
  }

  /// Builds a field from the context of a schema field or of a choice field, which have the same
  /// members.
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
    llvm::SmallVector<const ast::Stmt*> asserts;
    if (P::ChoiceBlockContext* b = c.choiceBlock()) {
      for (P::ChoiceLineContext* l : b->choiceLine())
        if (l->assertStmt()) {
          if (const ast::Stmt* made = whole(*l, l->assertStmt(), [&](auto& x) -> const ast::Stmt* {
                return &check(ast::Stmt::StmtKind::Assert, x);
              }))
            asserts.push_back(made);
        } else if (const ast::SchemaField* made =
                       whole(*l, l->choiceField(), [&](auto& x) { return schemaField(x); })) {
          fields.push_back(*made);
        }
    }
    // The block belongs to the last name in the line.
    const std::vector<Terminal*> names = c.IDENT();
    for (Terminal* n : names)
      if (n == names.back())
        into.push_back({name(n), copy(fields), copy(asserts), doc(c)});
      else
        into.push_back({name(n), {}, {}, doc(c)});
  }

  ast::TypeExpr type(P::TypeContext* c) {
    if (broken(c))
      return {};
    ast::TypeExpr t;
    t.range = range(*c);
    t.optional = c->QUESTION() != nullptr;
    t.scope = c->PER() ? name(c->IDENT()) : ast::Name{};
    if (P::TypeContext* element = c->type()) {
      t.form = ast::TypeExpr::TypeForm::List;
      t.element = &arena.make<ast::TypeExpr>(type(element));
      return t;
    }
    t.name = qname(c->qname(0));
    if (c->LBRACK()) {
      t.form = ast::TypeExpr::TypeForm::Map;
      t.key = qname(c->qname(1));
    }
    return t;
  }

  // ---- statements

  const ast::Block& block(P::BlockContext* c) override {
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
      return &check(ast::Stmt::StmtKind::Assert, *a);
    if (P::RequireStmtContext* r = c.requireStmt())
      return &check(ast::Stmt::StmtKind::Require, *r);
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
    llvm::SmallVector<ast::AxisPlacement> placements;
    for (P::PlacementContext* p : c.placement()) {
      if (broken(p))
        continue;
      const ast::QualifiedName level = qname(p->qname());
      if (level.size() != 1)
        hole = true;
      else
        placements.push_back({p->ACROSS() != nullptr, level.front(), range(*p)});
    }
    using Form = ast::FieldStmt::FieldForm;
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
    return &arena.make<ast::ForStmt>(range(c), name(c.IDENT(0)), nameIf(c.IDENT(1)), expr(c.expr()),
                                     block(c.block()));
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

  template <class Context> const ast::CheckStmt& check(ast::Stmt::StmtKind kind, Context& c) {
    broken(&c);
    const llvm::StringRef reason = c.STRING() ? string(*c.STRING()) : llvm::StringRef{};
    return arena.make<ast::CheckStmt>(kind, range(c), expr(c.expr()), reason);
  }

  const ast::LetStmt& let(P::LetStmtContext& c) {
    broken(&c);
    return arena.make<ast::LetStmt>(range(c), name(c.IDENT()), value(c.value()));
  }
};

} // namespace dpl
