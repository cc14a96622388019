//===- CandidateNames.cpp - Names in an expression that depend on the candidate ---------------===//
#include "frontend/sema/CandidateNames.h"
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

/// The path of a field of the searched layout: "layout.mesh.tensor".
std::string ofLayout(const Object& object, llvm::StringRef field) {
  std::string path = field.str();
  for (const Object* o = &object; o->parent; o = o->parent)
    path = o->field.str() + "." + path;
  return "layout." + path;
}
} // namespace

bool CandidateNames::holds(const Object* object) const {
  while (object && object->parent)
    object = object->parent;
  return known() && object == space.block;
}

std::string CandidateNames::path(const ast::Expr& expr, const Environment& scope) const {
  const ast::NameExpr* root = known() ? rootOf(expr) : nullptr;
  if (!root)
    return "";
  if (const std::string written = evaluator.shared.sources.text(expr.range).str();
      llvm::is_contained(space.varied, written) ||
      (space.block->isSearch() && llvm::any_of(space.varied, [&](const std::string& varied) {
         return llvm::StringRef(written).startswith(varied + ".");
       })))
    return written;
  if (!space.block->isSearch())
    return "";
  const FoundName found = evaluator.lookup(root->name, scope);
  const bool starts =
      found.kind == FoundName::FoundKind::Field || found.kind == FoundName::FoundKind::Object;
  if (!starts || !holds(found.object))
    return "";
  if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    const Value base = evaluator.evaluate(member->base, scope, nullptr);
    return holds(base.object) && base.object->find(member->name.text)
               ? ofLayout(*base.object, member->name.text)
               : "";
  }
  return found.kind == FoundName::FoundKind::Field ? ofLayout(*found.object, root->name) : "";
}

FoundName CandidateNames::let(const ast::Expr& expr, const Environment& scope) const {
  const auto* name = known() ? llvm::dyn_cast<ast::NameExpr>(&expr) : nullptr;
  if (!name)
    return {};
  const FoundName found = evaluator.lookup(name->name, scope);
  return found.kind == FoundName::FoundKind::Let && holds(found.object) ? found : FoundName{};
}

bool CandidateNames::reads(const ast::Expr& expr, const Environment& scope) const {
  if (!known())
    return false;
  const auto in = [&](const ast::Expr* part) { return reads(*part, scope); };
  switch (expr.kind) {
  case ast::Expr::ExprKind::Name:
  case ast::Expr::ExprKind::Member:
    return !path(expr, scope).empty() || (rootOf(expr) && let(*rootOf(expr), scope)) ||
           !rootOf(expr);
  case ast::Expr::ExprKind::Number:
  case ast::Expr::ExprKind::String:
  case ast::Expr::ExprKind::Bool:
  case ast::Expr::ExprKind::Error:
    return false;
  case ast::Expr::ExprKind::Group:
    return in(&llvm::cast<ast::GroupExpr>(expr).inner);
  case ast::Expr::ExprKind::Unary:
    return in(&llvm::cast<ast::UnaryExpr>(expr).operand);
  case ast::Expr::ExprKind::Scoped:
    return in(&llvm::cast<ast::ScopedExpr>(expr).value);
  case ast::Expr::ExprKind::List:
    return llvm::any_of(llvm::cast<ast::ListExpr>(expr).values, in);
  case ast::Expr::ExprKind::Call:
    return llvm::any_of(llvm::cast<ast::CallExpr>(expr).arguments,
                        [&](const ast::Argument& argument) { return in(argument.value); });
  case ast::Expr::ExprKind::Binary: {
    const auto& both = llvm::cast<ast::BinaryExpr>(expr);
    return in(&both.left) || in(&both.right);
  }
  case ast::Expr::ExprKind::Index:
  case ast::Expr::ExprKind::If:
  case ast::Expr::ExprKind::Comprehension:
  case ast::Expr::ExprKind::Amend:
    return true; // it may; its parts are not checked
  }
  return true;
}
