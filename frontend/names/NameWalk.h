#pragma once
//===- NameWalk.h - Visits every name of a file with its meaning ------------------------------===//
#include "frontend/names/Shape.h"

namespace dpl::names {

/// Receives each name that has a meaning, in no particular order.
using NameSink = std::function<void(SourceRange use, Meaning meaning, bool isDeclaration)>;

/// Walks over declarations, also over statements that would not run and beside damaged ones.
class NameWalk {
public:
  NameWalk(StaticLookup& lookup, NameSink sink) : lookup(lookup), sink(std::move(sink)) {}

  void module(sema::SourceModule& module);
  void block(sema::Declared declared) { blockDecl(declared); }
  /// Called, if it is set, with each statement that sets a field of a known schema.
  std::function<void(const ast::FieldStmt&, const sema::FieldDecl&)> onSetting;
  /// Visits the names of a value. `expected` is the type of the field that has it; null if any type
  /// is possible.
  Shape value(const ast::Expr& expr, const NameScope& scope, const sema::Type* expected);

  /// The path of a figure as a text, with a number in place of a variable; empty for other values.
  std::string figurePath(const ast::Expr& expr, const NameScope& scope);
  /// The type of the elements of a list or map; null for other types.
  static const sema::Type* elementOf(const sema::Type* type);
  /// The elements over which a loop runs.
  static Shape elementOf(const Shape& shape);
  /// The level of the cluster with a name, as `per gpu` and `within domain` name it.
  Meaning levelNamed(llvm::StringRef name);

private:
  void decl(sema::Declared declared);
  void importDecl(const ast::ImportDecl& decl, sema::SourceModule& module);
  void schemaDecl(sema::Declared declared);
  void schemaFields(llvm::ArrayRef<ast::SchemaField> fields, const Shape& shape,
                    const NameScope& scope);
  void blockDecl(sema::Declared declared);
  void qualified(ast::QualifiedName name, sema::SourceModule& module);
  void type(const ast::TypeExpr& type, sema::SourceModule& module);
  void typeName(ast::QualifiedName name, sema::SourceModule& module);

  void statements(const ast::Block& block, const Shape& object, const NameScope& scope);
  void statement(const ast::Stmt& stmt, const Shape& object, const NameScope& scope);
  void field(const ast::FieldStmt& stmt, const Shape& object, const NameScope& scope);
  void loop(const ast::ForStmt& stmt, const Shape& object, const NameScope& scope);
  /// Visits the paths of `vary`, which begin with other blocks.
  void varied(const ast::Block& block, const NameScope& scope);
  void let(const ast::LetStmt& stmt, const NameScope& scope);
  /// A nested block of fields.
  void nested(const ast::Block& block, const Shape& object, const NameScope& outer);
  /// The rest of a path, from the step `from` on. Returns what the whole path names.
  Shape path(llvm::ArrayRef<ast::PathStep> steps, std::size_t from, Shape at,
             const NameScope& scope);

  // NameWalkValues.cpp
  Shape name(const ast::NameExpr& expr, const NameScope& scope, const sema::Type* expected);
  std::optional<Meaning> expectedWord(llvm::StringRef name, const sema::Type* expected);
  Shape member(const ast::MemberExpr& expr, const NameScope& scope, const sema::Type* expected);
  Shape index(const ast::IndexExpr& expr, const NameScope& scope, const sema::Type* expected);
  Shape binary(const ast::BinaryExpr& expr, const NameScope& scope, const sema::Type* expected);
  Shape call(const ast::CallExpr& expr, const NameScope& scope);
  /// Visits `base { … }`. `set` is the field that has the value, if it is known.
  Shape amend(const ast::AmendExpr& expr, const NameScope& scope, const sema::Type* expected,
              const Shape& set = {});
  void unit(const ast::NumberExpr& expr);
  /// Visits a path of a figure, if it is one.
  bool figure(const ast::Expr& expr, const NameScope& scope, const sema::Type* expected);
  void figureParts(const ast::Expr& expr, const std::string& whole, const NameScope& scope);

  void tell(SourceRange use, Meaning meaning, bool isDeclaration = false);
  void word(SourceRange use, NamedThing thing, llvm::StringRef text);
  llvm::StringRef textOf(SourceRange range) const;

  StaticLookup& lookup;
  NameSink sink;
  const sema::FieldDecl* last = nullptr; ///< field of the last path
  unsigned depth = 0;
};

} // namespace dpl::names
