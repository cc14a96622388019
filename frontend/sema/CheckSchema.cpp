//===- CheckSchema.cpp - Checks schemas, and blocks against their schemas ---------------------===//
#include "frontend/sema/Checker.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// Whether `wanted` holds for a field of the object that an expression reads, in order.
bool findFieldRead(const ast::Expr& expr, Object& object,
                   llvm::function_ref<bool(const FieldDecl&)> wanted) {
  const auto in = [&](const ast::Expr& part) { return findFieldRead(part, object, wanted); };
  switch (expr.kind) {
  case ast::Expr::ExprKind::Name: {
    const FieldDecl* field = object.find(llvm::cast<ast::NameExpr>(expr).name);
    return field && wanted(*field);
  }
  case ast::Expr::ExprKind::Member:
    return in(llvm::cast<ast::MemberExpr>(expr).base);
  case ast::Expr::ExprKind::Index:
    return in(llvm::cast<ast::IndexExpr>(expr).base);
  case ast::Expr::ExprKind::Scoped:
    return in(llvm::cast<ast::ScopedExpr>(expr).value);
  case ast::Expr::ExprKind::Unary:
    return in(llvm::cast<ast::UnaryExpr>(expr).operand);
  case ast::Expr::ExprKind::Group:
    return in(llvm::cast<ast::GroupExpr>(expr).inner);
  case ast::Expr::ExprKind::Call:
    return llvm::any_of(llvm::cast<ast::CallExpr>(expr).arguments,
                        [&](const ast::Argument& a) { return in(*a.value); });
  case ast::Expr::ExprKind::Binary: {
    const auto& b = llvm::cast<ast::BinaryExpr>(expr);
    return in(b.left) || in(b.right);
  }
  default:
    return false;
  }
}
} // namespace

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
  // A wrong value may break several assertions; only the first of those that read it is reported.
  llvm::SmallPtrSet<const FieldDecl*, 4> broken;
  const auto isBroken = [&](const FieldDecl& field) { return broken.contains(&field); };
  const auto breaks = [&](const FieldDecl& field) {
    broken.insert(&field);
    return false;
  };
  auto all = [&](llvm::ArrayRef<const ast::Stmt*> statements, const Schema& of) {
    for (const ast::Stmt* stmt : statements)
      if (const auto* c = llvm::dyn_cast<ast::CheckStmt>(stmt);
          c && c->kind == ast::Stmt::StmtKind::Assert &&
          !findFieldRead(c->condition, object, isBroken) &&
          !checkAssert(*c, evaluator.schemaScope(object, *of.module), &object, &of))
        (void)findFieldRead(c->condition, object, breaks);
  };
  for (const Schema* s = object.schema; s; s = s->base)
    all(s->ast->statements, *s);
  if (object.member)
    all(object.member->ast->asserts, *object.member->owner);
}

const Winner* Checker::settingRead(const ast::Expr& expr, Object& object) {
  const Winner* set = nullptr;
  (void)findFieldRead(expr, object, [&](const FieldDecl& field) {
    set = evaluator.winner(object, field);
    return set != nullptr;
  });
  return set;
}
