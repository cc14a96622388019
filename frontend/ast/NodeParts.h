#pragma once
//===- NodeParts.h - Members of each node of the syntax tree ----------------------------------===//
//
// Lists the members of each node in the order of its constructor, or of the aggregate. The encoder
// and the decoder use this list, so a new member needs only one more word here.
#include "frontend/ast/Ast.h"
#include <tuple>

namespace dpl::ast {

template <class T> struct NodeParts { static constexpr bool known = false; };

#define DPL_SHAPE(TYPE, ...)                                                                       \
  template <> struct NodeParts<TYPE> {                                                             \
    static constexpr bool known = true;                                                            \
    static auto of(const TYPE& n) { return std::tie(__VA_ARGS__); }                                \
  };

DPL_SHAPE(ErrorExpr, n.range)
DPL_SHAPE(NumberExpr, n.range, n.number)
DPL_SHAPE(StringExpr, n.range, n.value)
DPL_SHAPE(BoolExpr, n.range, n.value)
DPL_SHAPE(NameExpr, n.range, n.name)
DPL_SHAPE(MemberExpr, n.range, n.base, n.name)
DPL_SHAPE(IndexExpr, n.range, n.base, n.index)
DPL_SHAPE(Argument, n.label, n.value, n.where)
DPL_SHAPE(CallExpr, n.range, n.function, n.arguments)
DPL_SHAPE(ScopedExpr, n.range, n.value, n.scope)
DPL_SHAPE(UnaryExpr, n.range, n.op, n.operand)
DPL_SHAPE(BinaryExpr, n.range, n.op, n.opRange, n.left, n.right)
DPL_SHAPE(ListExpr, n.range, n.values)
DPL_SHAPE(ComprehensionExpr, n.range, n.variable, n.over, n.condition, n.value)
DPL_SHAPE(IfExpr, n.range, n.condition, n.then, n.otherwise)
DPL_SHAPE(GroupExpr, n.range, n.inner)
DPL_SHAPE(AmendExpr, n.range, n.base, n.block)

DPL_SHAPE(PathStep, n.name, n.index)
DPL_SHAPE(AxisPlacement, n.across, n.level, n.range)
DPL_SHAPE(FieldStmt, n.range, n.path, n.pathRange, n.form, n.value, n.placements, n.block)
DPL_SHAPE(ForStmt, n.range, n.variable, n.second, n.over, n.body)
DPL_SHAPE(IfStmt, n.range, n.condition, n.then, n.otherwise)
DPL_SHAPE(CheckStmt, n.kind, n.range, n.condition, n.reason)
DPL_SHAPE(ObjectiveStmt, n.range, n.maximize, n.value)
DPL_SHAPE(LetStmt, n.range, n.name, n.value)
DPL_SHAPE(Block, n.range, n.statements)

DPL_SHAPE(TypeExpr, n.range, n.form, n.name, n.key, n.element, n.scope, n.optional)
DPL_SHAPE(SchemaField, n.range, n.name, n.type, n.value, n.block, n.doc)
DPL_SHAPE(ChoiceMember, n.name, n.fields, n.asserts, n.doc)
DPL_SHAPE(ImportDecl, n.range, n.doc, n.module, n.path, n.target, n.alias)
DPL_SHAPE(ParamDecl, n.range, n.doc, n.name, n.type, n.candidates, n.value)
DPL_SHAPE(LetDecl, n.range, n.doc, n.let)
DPL_SHAPE(SchemaDecl, n.range, n.doc, n.name, n.base, n.forKinds, n.onKind, n.fields, n.choices,
          n.statements)
DPL_SHAPE(BlockDecl, n.range, n.doc, n.search, n.blockKind, n.name, n.base, n.fragments, n.forWhat,
          n.onWhere, n.block)
DPL_SHAPE(AssertDecl, n.range, n.doc, n.check)
#undef DPL_SHAPE

template <class T> struct TypeTag { using type = T; };

/// Calls `f` with the node type for a kind of expression.
template <class F> decltype(auto) withType(Expr::ExprKind kind, F f) {
  switch (kind) {
  case Expr::ExprKind::Error:
    break;
  case Expr::ExprKind::Number:
    return f(TypeTag<NumberExpr>{});
  case Expr::ExprKind::String:
    return f(TypeTag<StringExpr>{});
  case Expr::ExprKind::Bool:
    return f(TypeTag<BoolExpr>{});
  case Expr::ExprKind::Name:
    return f(TypeTag<NameExpr>{});
  case Expr::ExprKind::Member:
    return f(TypeTag<MemberExpr>{});
  case Expr::ExprKind::Index:
    return f(TypeTag<IndexExpr>{});
  case Expr::ExprKind::Call:
    return f(TypeTag<CallExpr>{});
  case Expr::ExprKind::Scoped:
    return f(TypeTag<ScopedExpr>{});
  case Expr::ExprKind::Unary:
    return f(TypeTag<UnaryExpr>{});
  case Expr::ExprKind::Binary:
    return f(TypeTag<BinaryExpr>{});
  case Expr::ExprKind::List:
    return f(TypeTag<ListExpr>{});
  case Expr::ExprKind::Comprehension:
    return f(TypeTag<ComprehensionExpr>{});
  case Expr::ExprKind::If:
    return f(TypeTag<IfExpr>{});
  case Expr::ExprKind::Group:
    return f(TypeTag<GroupExpr>{});
  case Expr::ExprKind::Amend:
    return f(TypeTag<AmendExpr>{});
  }
  return f(TypeTag<ErrorExpr>{});
}

template <class F> decltype(auto) withType(Stmt::StmtKind kind, F f) {
  switch (kind) {
  case Stmt::StmtKind::Field:
    return f(TypeTag<FieldStmt>{});
  case Stmt::StmtKind::For:
    return f(TypeTag<ForStmt>{});
  case Stmt::StmtKind::If:
    return f(TypeTag<IfStmt>{});
  case Stmt::StmtKind::Objective:
    return f(TypeTag<ObjectiveStmt>{});
  case Stmt::StmtKind::Let:
    return f(TypeTag<LetStmt>{});
  case Stmt::StmtKind::Assert:
  case Stmt::StmtKind::Require:
    break;
  }
  return f(TypeTag<CheckStmt>{});
}

template <class F> decltype(auto) withType(Decl::DeclKind kind, F f) {
  switch (kind) {
  case Decl::DeclKind::Import:
    return f(TypeTag<ImportDecl>{});
  case Decl::DeclKind::Param:
    return f(TypeTag<ParamDecl>{});
  case Decl::DeclKind::Let:
    return f(TypeTag<LetDecl>{});
  case Decl::DeclKind::Schema:
    return f(TypeTag<SchemaDecl>{});
  case Decl::DeclKind::Block:
    return f(TypeTag<BlockDecl>{});
  case Decl::DeclKind::Assert:
    break;
  }
  return f(TypeTag<AssertDecl>{});
}

} // namespace dpl::ast
