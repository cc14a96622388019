//===- CheckSchema.cpp - Checks schemas, and blocks against their schemas ---------------------===//
#include "frontend/sema/Checker.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::sema;

void Checker::check(const Schema& schema) {
  const llvm::SaveAndRestore<bool> alone(evaluator.schemaAlone, true);
  auto one = [&](const ChoiceSchema* member) {
    Object& object = evaluator.instance(schema, member, nullptr, schema.ast->name.range);
    object.detached = true;
    check(object);
    const llvm::SaveAndRestore<bool> results(evaluator.resultsAllowed, true);
    for (const SchemaLet& let : schema.lets)
      if (let.owner == &schema)
        (void)evaluator.named(object, let.let->name.text, let.let->name.range);
  };
  if (!schema.isSum())
    one(nullptr);
  for (const ChoiceSchema* member : schema.members)
    one(member);
}

void Checker::schemaAsserts(Object& object) {
  auto all = [&](llvm::ArrayRef<const ast::Stmt*> statements, const Schema& of) {
    for (const ast::Stmt* stmt : statements)
      if (const auto* c = llvm::dyn_cast<ast::CheckStmt>(stmt);
          c && c->kind == ast::Stmt::StmtKind::Assert)
        checkAssert(*c, evaluator.schemaScope(object, *of.module), &object, &of);
  };
  for (const Schema* s = object.schema; s; s = s->base)
    all(s->ast->statements, *s);
  if (object.member)
    all(object.member->ast->asserts, *object.member->owner);
}

const Winner* Checker::settingRead(const ast::Expr& expr, Object& object) {
  switch (expr.kind) {
  case ast::Expr::ExprKind::Name: {
    const FieldDecl* field = object.find(llvm::cast<ast::NameExpr>(expr).name);
    return field ? evaluator.winner(object, *field) : nullptr;
  }
  case ast::Expr::ExprKind::Member:
    return settingRead(llvm::cast<ast::MemberExpr>(expr).base, object);
  case ast::Expr::ExprKind::Index:
    return settingRead(llvm::cast<ast::IndexExpr>(expr).base, object);
  case ast::Expr::ExprKind::Scoped:
    return settingRead(llvm::cast<ast::ScopedExpr>(expr).value, object);
  case ast::Expr::ExprKind::Unary:
    return settingRead(llvm::cast<ast::UnaryExpr>(expr).operand, object);
  case ast::Expr::ExprKind::Group:
    return settingRead(llvm::cast<ast::GroupExpr>(expr).inner, object);
  case ast::Expr::ExprKind::Call:
    for (const ast::Argument& a : llvm::cast<ast::CallExpr>(expr).arguments)
      if (const Winner* set = settingRead(*a.value, object))
        return set;
    return nullptr;
  case ast::Expr::ExprKind::Binary: {
    const auto& b = llvm::cast<ast::BinaryExpr>(expr);
    const Winner* set = settingRead(b.left, object);
    return set ? set : settingRead(b.right, object);
  }
  default:
    return nullptr;
  }
}
