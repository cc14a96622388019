//===- Usable.cpp - Which damaged statements are complete enough for later phases -------------===//
#include "frontend/parse/Usable.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;

namespace {
bool isNamed(ast::QualifiedName name) { return !name.empty() && !name.front().text.empty(); }

bool isNamed(const ast::TypeExpr& type) {
  switch (type.form) {
  case ast::TypeExpr::TypeForm::Named:
    return isNamed(type.name);
  case ast::TypeExpr::TypeForm::List:
    return type.element && isNamed(*type.element);
  case ast::TypeExpr::TypeForm::Map:
    return isNamed(type.name) && isNamed(type.key);
  }
  return false;
}
} // namespace

bool dpl::isUsable(const ast::Stmt& stmt) {
  if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(&stmt))
    return !field->path.empty() && llvm::all_of(field->path, [](const ast::PathStep& step) {
      return step.index || !step.name.text.empty();
    });
  if (const auto* loop = llvm::dyn_cast<ast::ForStmt>(&stmt))
    return !loop->variable.text.empty();
  if (const auto* let = llvm::dyn_cast<ast::LetStmt>(&stmt))
    return !let->name.text.empty();
  return true;
}

bool dpl::isUsable(const ast::SchemaField& field) {
  return !field.name.text.empty() && isNamed(field.type);
}

bool dpl::isUsable(const ast::Decl& decl) {
  switch (decl.kind) {
  case ast::Decl::DeclKind::Import: {
    const auto& import = llvm::cast<ast::ImportDecl>(decl);
    return isNamed(import.module) || !import.path.empty();
  }
  case ast::Decl::DeclKind::Param: {
    const auto& param = llvm::cast<ast::ParamDecl>(decl);
    return !param.name.text.empty() && isNamed(param.type);
  }
  case ast::Decl::DeclKind::Let:
    return isUsable(llvm::cast<ast::LetDecl>(decl).let);
  case ast::Decl::DeclKind::Schema:
    return !llvm::cast<ast::SchemaDecl>(decl).name.text.empty();
  case ast::Decl::DeclKind::Block: {
    const auto& block = llvm::cast<ast::BlockDecl>(decl);
    return !block.blockKind.text.empty() && !block.name.text.empty();
  }
  case ast::Decl::DeclKind::Assert:
    return true;
  }
  return false;
}

bool dpl::lacksValue(const ast::Stmt& stmt) {
  if (const auto* let = llvm::dyn_cast<ast::LetStmt>(&stmt))
    return llvm::isa<ast::ErrorExpr>(let->value);
  const auto* field = llvm::dyn_cast<ast::FieldStmt>(&stmt);
  return field && field->value && llvm::isa<ast::ErrorExpr>(field->value) &&
         field->placements.empty() && llvm::none_of(field->path, [](const ast::PathStep& step) {
           return step.index && llvm::isa<ast::ErrorExpr>(step.index);
         });
}

bool dpl::lacksValue(const ast::SchemaField& field) {
  return field.value && llvm::isa<ast::ErrorExpr>(field.value);
}

bool dpl::lacksValue(const ast::Decl& decl) {
  if (const auto* let = llvm::dyn_cast<ast::LetDecl>(&decl))
    return lacksValue(let->let);
  const auto* param = llvm::dyn_cast<ast::ParamDecl>(&decl);
  return param && param->value && llvm::isa<ast::ErrorExpr>(param->value) &&
         !(param->candidates && llvm::isa<ast::ErrorExpr>(param->candidates));
}
