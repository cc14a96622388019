#pragma once
//===- Scopes.h - Scopes of names, and levels of settings -------------------------------------===//
#include "frontend/sema/Modules.h"

namespace dpl::sema {

/// Makes the scopes in which texts are evaluated, each once, and the levels of settings.
class Scopes {
public:
  explicit Scopes(Shared& shared) : shared(shared) {}
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;

  Shared& shared;

  /// The scope of the block or path of a level, and the scope of a schema's own texts.
  const Environment& scopeOf(Object& object, unsigned level);
  const Environment& schemaScope(Object& object, SourceModule& module);
  const Environment& variable(llvm::StringRef name, const Value& value, const Environment& outer);
  const SettingLevel& level(SettingLevel::SettingLevelKind kind, llvm::StringRef label,
                            const ast::Decl* decl, unsigned fragment = 0);

  /// The scope of an expression that is evaluated once and not cached.
  static Environment scopeAround(Object& object, const Environment& outer);

private:
  const Environment& scopeIn(Object& object, const Environment* outer);
  std::deque<SettingLevel> levels;
};

} // namespace dpl::sema
