#pragma once
//===- Scopes.h - Where names are looked up, and who set something ----------------------------===//
#include "frontend/sema/Modules.h"

namespace dpl::sema {

/// Makes the environments in which texts are read, each once, and the levels of settings.
class Scopes {
public:
  explicit Scopes(Shared& shared) : shared(shared) {}
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;

  Shared& shared;

  /// The scope in which the block or path of one level is read; and that of a schema's own texts.
  const Environment& scopeOf(Object& object, unsigned level);
  const Environment& schemaScope(Object& object, SourceModule& module);
  const Environment& variable(llvm::StringRef name, const Value& value, const Environment& outer);
  const SettingLevel& level(SettingLevel::SettingLevelKind kind, llvm::StringRef label,
                            const ast::Decl* decl, unsigned fragment = 0);

  /// Of an expression that is read once and kept by nothing.
  static Environment scopeAround(Object& object, const Environment& outer);

private:
  const Environment& scopeIn(Object& object, const Environment* outer);
  std::deque<SettingLevel> levels;
};

} // namespace dpl::sema
