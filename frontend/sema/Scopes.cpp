//===- Scopes.cpp - Scopes of names, and levels of settings -----------------------------------===//
#include "frontend/sema/Scopes.h"
using namespace dpl;
using namespace dpl::sema;

const SettingLevel& Scopes::level(SettingLevel::SettingLevelKind kind, llvm::StringRef label,
                                  const ast::Decl* decl, unsigned fragment) {
  return levels.emplace_back(SettingLevel{kind, label, decl, fragment});
}

Environment Scopes::scopeAround(Object& object, const Environment& outer) {
  Environment s;
  s.kind = Environment::EnvironmentKind::Object, s.outer = &outer, s.object = &object;
  return s;
}

/// Finds or makes the scope in which texts of an object are evaluated. An object has one scope for
/// each outer scope.
const Environment& Scopes::scopeIn(Object& object, const Environment* outer) {
  for (const Environment* known = object.scopes; known; known = known->sibling)
    if (known->outer == outer)
      return *known;
  Environment s = scopeAround(object, *outer);
  s.sibling = object.scopes;
  object.scopes = &shared.arena.make<Environment>(s);
  return *object.scopes;
}

const Environment& Scopes::scopeOf(Object& object, unsigned i) {
  return scopeIn(object, object.levels[i].scope);
}

const Environment& Scopes::schemaScope(Object& object, SourceModule& module) {
  return scopeIn(object, &module.scope);
}

const Environment& Scopes::variable(llvm::StringRef variableName, const Value& value,
                                    const Environment& outer) {
  Environment s;
  s.kind = Environment::EnvironmentKind::Variable, s.outer = &outer;
  s.variable = &shared.arena.make<LoopVariable>(variableName, value);
  return shared.arena.make<Environment>(s);
}
