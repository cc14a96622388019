#pragma once
//===- Scopes.h - Scopes of names, and levels of settings -------------------------------------===//
#include "frontend/sema/Modules.h"

namespace dpl::sema {

/// Makes the scopes in which texts are evaluated, and the levels of settings. Each scope is made
/// once.
class Scopes {
public:
  explicit Scopes(Shared& shared) : shared(shared) {}
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;

  Shared& shared;

  /// The scope of the text of one level of an object, which is a block or a path.
  const Environment& scopeOf(Object& object, unsigned level);
  const Environment& schemaScope(Object& object, SourceModule& module);
  const Environment& variable(llvm::StringRef name, const Value& value, const Environment& outer);
  const SettingLevel& level(SettingLevel::SettingLevelKind kind, llvm::StringRef label,
                            const ast::Decl* decl, unsigned fragment = 0);

  /// A scope for an expression that is evaluated once. It is not stored.
  static Environment scopeAround(Object& object, const Environment& outer);

private:
  const Environment& scopeIn(Object& object, const Environment* outer);
  std::deque<SettingLevel> levels;
};

} // namespace dpl::sema
