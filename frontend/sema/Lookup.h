#pragma once
//===- Lookup.h - Finds the meaning of names --------------------------------------------------===//
//
// The lookup evaluates nothing.
#include "frontend/sema/Schemas.h"
#include "frontend/sema/Scopes.h"

namespace dpl::sema {

/// The meaning of a name in an expression.
struct FoundName {
  enum class FoundKind : std::uint8_t {
    Nothing,
    Field,
    Let,
    Value,
    Object,
    Declared,
    Import,
    Failed
  };
  FoundKind kind = FoundKind::Nothing;
  Object* object = nullptr; ///< object that has the Field, or that is the Object
  const FieldDecl* field = nullptr;
  const ast::LetStmt* let = nullptr;
  const Environment* scope = nullptr; ///< scope in which a Let is evaluated
  const Value* value = nullptr;
  Declared declared;
  SourceModule* module = nullptr; ///< module of an Import
  explicit operator bool() const { return kind != FoundKind::Nothing; }
};

class Lookup : public Scopes {
public:
  Lookup(Shared& shared, Modules& modules, Schemas& schemas)
      : Scopes(shared), modules(modules), schemas(schemas) {}

  Modules& modules;
  Schemas& schemas;

  FoundName lookup(llvm::StringRef name, const Environment& scope);
  FoundName lookupInObject(llvm::StringRef name, Object& object, const Environment* scope);
  const Type& typeOf(const FieldDecl& f) { return schemas.typeOf(f); }
  /// A value in the words of messages: "400Gbps per gpu", "`gated`", "a list".
  std::string describe(const Value& value) const;
  std::string describe(const Object& object) const;

protected:
  /// The innermost object around a scope; null if there is none.
  static Object* innermost(const Environment& scope);
  void tellMeaning(const FoundName& found, SourceRange use, const SourceModule& module) const;
  std::string describe(const FoundName& found, llvm::StringRef name);

private:
  static FoundName lookupEnclosing(llvm::StringRef name, Object& object);
  /// The first `let` of a block with this name; null if there is none. Large blocks have a table,
  /// because they are searched thousands of times.
  const ast::LetStmt* letOf(const ast::Block& block, llvm::StringRef name);

  /// tables of the blocks with many statements
  llvm::DenseMap<const ast::Block*, llvm::StringMap<const ast::LetStmt*>> letsOfBlocks;
};

} // namespace dpl::sema
