#pragma once
//===- Shape.h - What is known about values and scopes without evaluating ---------------------===//
//
// Editors ask for names in statements that do not run and beside statements that are damaged, so
// names are resolved here by declarations and types only.
#include "frontend/names/NameInfo.h"
#include "frontend/sema/FieldLevels.h"

namespace dpl::names {

/// The known properties of a value.
struct Shape {
  const sema::Type* type = nullptr;           ///< type of a field, param or element
  const sema::Schema* schema = nullptr;       ///< schema of a block, of its part, or of a choice
  const sema::ChoiceSchema* choice = nullptr; ///< choice, if it is known
  sema::Declared root;                        ///< declared block that the value is or is a part of
  std::string path;                     ///< path of the value in `root`; empty if it is `root`
  sema::SourceModule* module = nullptr; ///< imported file that a name stands for
  bool isRoot() const { return root && path.empty(); }
  explicit operator bool() const { return type || schema || module; }
};

/// The thing that a name stands for.
struct Meaning {
  NamedThing thing = NamedThing::Block;
  SourceRange declaration;
  llvm::StringRef doc;
  Shape shape;                            ///< value that the name has
  const sema::FieldDecl* field = nullptr; ///< field, for a Field
  const ast::LetStmt* let = nullptr;      ///< `let`, for a Let
  std::string figure; ///< path of a figure; name of a unit, function, statistic, word, type or key
};

/// A scope of names, from the innermost to the module.
struct NameScope {
  enum class ScopeKind : std::uint8_t { Module, Object, Local, Variable };
  ScopeKind kind = ScopeKind::Module;
  const NameScope* outer = nullptr;
  sema::SourceModule* module = nullptr; ///< module in which the chain ends
  Shape shape;                          ///< of an Object, or value of a Variable
  const ast::Block* block = nullptr;    ///< block of an Object or Local, which may have `let`s
  ast::Name variable;
};

/// Resolves names by declarations and types.
class StaticLookup {
public:
  explicit StaticLookup(sema::Evaluator& evaluator)
      : evaluator(evaluator), modules(evaluator.modules), schemas(evaluator.schemas) {}

  /// The meaning of a name in a scope; none if nothing is known.
  std::optional<Meaning> find(llvm::StringRef name, const NameScope& scope);
  /// The meaning of a name after a dot.
  std::optional<Meaning> member(llvm::StringRef name, const Shape& of);
  /// The place of a value in its declared block; none if its path does not lead to a field. Indices
  /// of the path are evaluated in `scope`.
  std::optional<sema::FieldPlace> placeOf(const Shape& value, const sema::Environment& scope);
  /// The field of an object, or of one of its choices, with a name; null if there is none.
  static const sema::FieldDecl* fieldOf(const Shape& object, llvm::StringRef name);
  Meaning meaningOf(const sema::FieldDecl& field, const Shape& of);
  Meaning meaningOf(const sema::ChoiceSchema& choice, const sema::Schema& schema);
  Meaning meaningOf(sema::Declared declared);
  Meaning meaningOf(const sema::Import& import);

  /// The value that a declaration has: a block, or the type of a param.
  Shape shapeOf(sema::Declared declared);
  /// A value of a type. `root` and `path` are those of the value.
  static Shape shapeOf(const sema::Type& type, sema::Declared root = {}, std::string path = {});
  /// The object that a block, or one of its bases, names after `for` or `on`.
  Shape header(sema::Declared block, bool isFor);
  /// The schema of a block: that of its kind, or of its base.
  const sema::Schema* schemaOf(sema::Declared block);
  /// The `let`s of a block, of its fragments and of its bases, the innermost first.
  const ast::LetStmt* letOf(sema::Declared block, llvm::StringRef name);
  static const ast::LetStmt* letOf(const ast::Block* block, llvm::StringRef name);
  /// The module of an import; null if it cannot be read.
  sema::SourceModule* moduleOf(sema::SourceModule& of, llvm::StringRef alias);

  sema::Evaluator& evaluator;
  sema::Modules& modules;
  sema::Schemas& schemas;

private:
  std::optional<Meaning> inObject(llvm::StringRef name, const NameScope& scope);
  std::optional<Meaning> byKind(llvm::StringRef name, const NameScope& scope);
  Shape header(sema::Declared block, bool isFor, unsigned depth);
  const sema::Schema* schemaOf(sema::Declared block, unsigned depth);
  const ast::LetStmt* letOf(sema::Declared block, llvm::StringRef name, unsigned depth);
  const sema::ChoiceSchema* choiceOf(const Shape& value);

  SourceManager pathTexts; ///< texts of the paths of `placeOf`, to which values refer
  Arena paths;
};

/// The place of the name of an import: its alias, or the last part of what is imported.
SourceRange aliasRange(const ast::ImportDecl& decl);

} // namespace dpl::names
