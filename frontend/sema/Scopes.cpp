//===- Scopes.cpp - Where names are looked up, and who set something --------------------------===//
#include "frontend/sema/Scopes.h"
using namespace dpl;
using namespace dpl::sema;

const Level& Scopes::level(Level::Kind kind, llvm::StringRef label, const ast::Decl* decl,
                           unsigned fragment) {
  return levels.emplace_back(Level{kind, label, decl, fragment});
}

const Environment& Scopes::scopeOf(Object& object, unsigned i) {
  if (object.scopes.size() < object.levels.size())
    object.scopes.resize(object.levels.size());
  if (!object.scopes[i]) {
    Environment s;
    s.kind = Environment::Kind::Object, s.outer = object.levels[i].scope, s.object = &object;
    object.scopes[i] = &shared.arena.make<Environment>(s);
  }
  return *object.scopes[i];
}

const Environment& Scopes::schemaScope(Object& object, Module& module) {
  const Environment*& cached = schemaScopes[{&object, &module}];
  if (!cached) {
    Environment s;
    s.kind = Environment::Kind::Object, s.outer = &module.scope, s.object = &object;
    cached = &shared.arena.make<Environment>(s);
  }
  return *cached;
}

const Environment& Scopes::variable(llvm::StringRef variableName, const Value& value,
                                    const Environment& outer) {
  Environment s;
  s.kind = Environment::Kind::Variable, s.outer = &outer, s.name = variableName;
  s.value = &shared.arena.make<Value>(value);
  return shared.arena.make<Environment>(s);
}
