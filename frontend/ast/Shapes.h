#pragma once
//===- Shapes.h - What each node is made of, described once -----------------------------------===//
//
// A node's parts in the order of its constructor (or of its members, where it is an aggregate). The
// encoder writes these parts and the decoder reads them and builds the node from them, so a new
// field of the AST is one word here.
#include "frontend/ast/Ast.h"
#include <tuple>

namespace dpl::ast {

template <class T> struct Shape { static constexpr bool known = false; };

#define DPL_SHAPE(TYPE, ...)                                                                       \
  template <> struct Shape<TYPE> {                                                                 \
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
DPL_SHAPE(Argument, n.label, n.value)
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
DPL_SHAPE(Placement, n.across, n.level, n.range)
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

template <class T> struct Type { using type = T; };

/// Calls `f` with the Type of the node that a kind stands for.
template <class F> decltype(auto) withType(Expr::Kind kind, F f) {
  switch (kind) {
  case Expr::Kind::Error:
    break;
  case Expr::Kind::Number:
    return f(Type<NumberExpr>{});
  case Expr::Kind::String:
    return f(Type<StringExpr>{});
  case Expr::Kind::Bool:
    return f(Type<BoolExpr>{});
  case Expr::Kind::Name:
    return f(Type<NameExpr>{});
  case Expr::Kind::Member:
    return f(Type<MemberExpr>{});
  case Expr::Kind::Index:
    return f(Type<IndexExpr>{});
  case Expr::Kind::Call:
    return f(Type<CallExpr>{});
  case Expr::Kind::Scoped:
    return f(Type<ScopedExpr>{});
  case Expr::Kind::Unary:
    return f(Type<UnaryExpr>{});
  case Expr::Kind::Binary:
    return f(Type<BinaryExpr>{});
  case Expr::Kind::List:
    return f(Type<ListExpr>{});
  case Expr::Kind::Comprehension:
    return f(Type<ComprehensionExpr>{});
  case Expr::Kind::If:
    return f(Type<IfExpr>{});
  case Expr::Kind::Group:
    return f(Type<GroupExpr>{});
  case Expr::Kind::Amend:
    return f(Type<AmendExpr>{});
  }
  return f(Type<ErrorExpr>{});
}

template <class F> decltype(auto) withType(Stmt::Kind kind, F f) {
  switch (kind) {
  case Stmt::Kind::Field:
    return f(Type<FieldStmt>{});
  case Stmt::Kind::For:
    return f(Type<ForStmt>{});
  case Stmt::Kind::If:
    return f(Type<IfStmt>{});
  case Stmt::Kind::Objective:
    return f(Type<ObjectiveStmt>{});
  case Stmt::Kind::Let:
    return f(Type<LetStmt>{});
  case Stmt::Kind::Assert:
  case Stmt::Kind::Require:
    break;
  }
  return f(Type<CheckStmt>{});
}

template <class F> decltype(auto) withType(Decl::Kind kind, F f) {
  switch (kind) {
  case Decl::Kind::Import:
    return f(Type<ImportDecl>{});
  case Decl::Kind::Param:
    return f(Type<ParamDecl>{});
  case Decl::Kind::Let:
    return f(Type<LetDecl>{});
  case Decl::Kind::Schema:
    return f(Type<SchemaDecl>{});
  case Decl::Kind::Block:
    return f(Type<BlockDecl>{});
  case Decl::Kind::Assert:
    break;
  }
  return f(Type<AssertDecl>{});
}

} // namespace dpl::ast
