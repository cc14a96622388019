//===- Candidate.cpp - What an expression of a search reads of a candidate --------------------===//
#include "frontend/sema/Candidate.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
const ast::NameExpr* rootOf(const ast::Expr& expr) {
  const ast::Expr* e = &expr;
  while (const auto* member = llvm::dyn_cast<ast::MemberExpr>(e))
    e = &member->base;
  return llvm::dyn_cast<ast::NameExpr>(e);
}

/// "layout.mesh.tensor"
std::string ofLayout(const Object& object, llvm::StringRef field) {
  std::string path = field.str();
  for (const Object* o = &object; o->parent; o = o->parent)
    path = o->field.str() + "." + path;
  return "layout." + path;
}
} // namespace

bool Candidate::holds(const Object* object) const {
  while (object && object->parent)
    object = object->parent;
  return known() && object == space.block;
}

std::string Candidate::path(const ast::Expr& expr, const Environment& scope) const {
  const ast::NameExpr* root = known() ? rootOf(expr) : nullptr;
  if (!root)
    return "";
  if (!space.block->isSearch()) {
    const std::string written = evaluator.shared.sources.text(expr.range).str();
    return llvm::is_contained(space.varied, written) ? written : "";
  }
  const Found found = evaluator.lookup(root->name, scope);
  const bool starts = found.kind == Found::Kind::Field || found.kind == Found::Kind::Object;
  if (!starts || !holds(found.object))
    return "";
  if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    const Value base = evaluator.evaluate(member->base, scope, nullptr);
    return holds(base.object) && base.object->find(member->name.text)
               ? ofLayout(*base.object, member->name.text)
               : "";
  }
  return found.kind == Found::Kind::Field ? ofLayout(*found.object, root->name) : "";
}

Found Candidate::let(const ast::Expr& expr, const Environment& scope) const {
  const auto* name = known() ? llvm::dyn_cast<ast::NameExpr>(&expr) : nullptr;
  if (!name)
    return {};
  const Found found = evaluator.lookup(name->name, scope);
  return found.kind == Found::Kind::Let && holds(found.object) ? found : Found{};
}

bool Candidate::reads(const ast::Expr& expr, const Environment& scope) const {
  if (!known())
    return false;
  const auto in = [&](const ast::Expr* part) { return reads(*part, scope); };
  switch (expr.kind) {
  case ast::Expr::Kind::Name:
  case ast::Expr::Kind::Member:
    return !path(expr, scope).empty() || (rootOf(expr) && let(*rootOf(expr), scope)) ||
           !rootOf(expr);
  case ast::Expr::Kind::Number:
  case ast::Expr::Kind::String:
  case ast::Expr::Kind::Bool:
  case ast::Expr::Kind::Error:
    return false;
  case ast::Expr::Kind::Group:
    return in(&llvm::cast<ast::GroupExpr>(expr).inner);
  case ast::Expr::Kind::Unary:
    return in(&llvm::cast<ast::UnaryExpr>(expr).operand);
  case ast::Expr::Kind::Scoped:
    return in(&llvm::cast<ast::ScopedExpr>(expr).value);
  case ast::Expr::Kind::List:
    return llvm::any_of(llvm::cast<ast::ListExpr>(expr).values, in);
  case ast::Expr::Kind::Call:
    return llvm::any_of(llvm::cast<ast::CallExpr>(expr).arguments,
                        [&](const ast::Argument& argument) { return in(argument.value); });
  case ast::Expr::Kind::Binary: {
    const auto& both = llvm::cast<ast::BinaryExpr>(expr);
    return in(&both.left) || in(&both.right);
  }
  case ast::Expr::Kind::Index:
  case ast::Expr::Kind::If:
  case ast::Expr::Kind::Comprehension:
  case ast::Expr::Kind::Amend:
    return true; // it may: nobody looks closer
  }
  return true;
}
