//===- Lookup.cpp - Finds the meaning of names ------------------------------------------------===//
#include "frontend/sema/Lookup.h"
using namespace dpl;
using namespace dpl::sema;

Object* Lookup::innermost(const Environment& scope) {
  for (const Environment* s = &scope; s; s = s->outer)
    if (s->kind == Environment::EnvironmentKind::Object)
      return s->object;
  return nullptr;
}

const ast::LetStmt* Lookup::letOf(const ast::Block& block, llvm::StringRef name) {
  constexpr std::size_t few = 32; // below this size a scan is faster than a table
  if (block.statements.size() <= few) {
    for (const ast::Stmt* stmt : block.statements)
      if (const auto* let = llvm::dyn_cast<ast::LetStmt>(stmt); let && let->name.text == name)
        return let;
    return nullptr;
  }
  const auto [lets, isNew] = letsOfBlocks.try_emplace(&block);
  if (isNew)
    for (const ast::Stmt* stmt : block.statements)
      if (const auto* let = llvm::dyn_cast<ast::LetStmt>(stmt))
        lets->second.try_emplace(let->name.text, let);
  return lets->second.lookup(name);
}

FoundName Lookup::lookupInObject(llvm::StringRef name, Object& object, const Environment*) {
  FoundName found;
  found.object = &object;
  if (const FieldDecl* field = object.find(name)) {
    found.kind = FoundName::FoundKind::Field;
    found.field = field;
    return found;
  }
  found.kind = FoundName::FoundKind::Let;
  for (std::size_t i = object.levels.size(); i-- > 0;)
    if (const ast::Block* block = object.levels[i].block)
      if (const ast::LetStmt* let = letOf(*block, name)) {
        found.let = let;
        found.scope = &scopeOf(object, i);
        return found;
      }
  for (const SchemaLet& let : object.schema->lets)
    if (let.let->name.text == name) {
      found.let = let.let;
      found.scope = &schemaScope(object, *let.owner->module);
      return found;
    }
  found.kind = FoundName::FoundKind::Object;
  if (object.decl && name == object.name())
    return found; // a block name means the final object, even in the text of its base
  if (object.header)
    for (const auto& [word, isFor] : llvm::reverse(object.header->names))
      if (word == name) {
        found.object = isFor ? object.forObject() : object.onObject();
        if (found.object)
          return found;
      }
  return {};
}

FoundName Lookup::lookupEnclosing(llvm::StringRef name, Object& object) {
  FoundName found;
  found.kind = FoundName::FoundKind::Object;
  for (Object* o = &object; o; o = o->parent)
    for (Object* candidate : {o, o->forObject(), o->onObject()})
      if (candidate && candidate->schema->isA(name)) {
        found.object = candidate;
        return found;
      }
  return {};
}

FoundName Lookup::lookup(llvm::StringRef name, const Environment& scope) {
  FoundName found;
  for (const Environment* s = &scope; s; s = s->outer)
    switch (s->kind) {
    case Environment::EnvironmentKind::Variable:
      if (s->variable->name != name)
        break;
      found.kind = FoundName::FoundKind::Value;
      found.value = &s->variable->value;
      return found;
    case Environment::EnvironmentKind::Local:
      if (const ast::LetStmt* let = letOf(*s->block, name)) {
        found.kind = FoundName::FoundKind::Let;
        found.let = let;
        found.scope = s;
        found.object = innermost(scope);
        return found;
      }
      break;
    case Environment::EnvironmentKind::Object:
      if ((found = lookupInObject(name, *s->object, s)))
        return found;
      break;
    case Environment::EnvironmentKind::Module: {
      if (Object* inner = innermost(scope))
        if ((found = lookupEnclosing(name, *inner)))
          return found;
      bool known = false;
      found.declared = {s->module, modules.find(*s->module, name)};
      if (found.declared) {
        found.kind = FoundName::FoundKind::Declared;
        return found;
      }
      found.module = modules.imported(*s->module, name, known);
      if (known) {
        found.kind = found.module ? FoundName::FoundKind::Import : FoundName::FoundKind::Failed;
        return found;
      }
      found.declared = modules.findVisible(*s->module, name);
      found.kind = found.declared                ? FoundName::FoundKind::Declared
                   : s->module->isPoisoned(name) ? FoundName::FoundKind::Failed
                                                 : FoundName::FoundKind::Nothing;
      return found;
    }
    }
  return {};
}

void Lookup::tellMeaning(const FoundName& found, SourceRange use,
                         const SourceModule& module) const {
  using Kind = NameMeaning::NameKind;
  switch (found.kind) {
  case FoundName::FoundKind::Field:
    return shared.names(use, {Kind::Field, found.field->ast->name.range, found.field->ast->doc});
  case FoundName::FoundKind::Let:
    return shared.names(use, {Kind::Let, found.let->name.range, {}});
  case FoundName::FoundKind::Value:
    return shared.names(use, {Kind::Variable, {}, {}});
  case FoundName::FoundKind::Object:
    return shared.names(use, {Kind::Block, found.object->range,
                              found.object->decl ? found.object->decl->doc : llvm::StringRef()});
  case FoundName::FoundKind::Declared:
    return shared.names(use, meaningOf(*found.declared.decl));
  case FoundName::FoundKind::Import:
    if (const Import* import = modules.importOf(module, shared.sources.text(use)))
      return shared.names(use, meaningOf(*import->decl));
    return;
  case FoundName::FoundKind::Nothing:
  case FoundName::FoundKind::Failed:
    return;
  }
}

std::string Lookup::describe(const FoundName& found, llvm::StringRef name) {
  switch (found.kind) {
  case FoundName::FoundKind::Field:
    return fmt::format("a field of {}", describe(*found.object));
  case FoundName::FoundKind::Let:
    return "a `let`";
  case FoundName::FoundKind::Value:
    return "the variable of a `for`";
  case FoundName::FoundKind::Object:
    return describe(*found.object);
  case FoundName::FoundKind::Import:
    return "an import";
  case FoundName::FoundKind::Declared:
    return llvm::isa<ast::ParamDecl>(found.declared.decl) ? "a param"
           : llvm::isa<ast::LetDecl>(found.declared.decl) ? "a `let`"
                                                          : fmt::format("the block `{}`", name);
  case FoundName::FoundKind::Nothing:
  case FoundName::FoundKind::Failed:
    break;
  }
  return "nothing";
}

std::string Lookup::describe(const Value& value) const {
  switch (value.kind) {
  case Value::ValueKind::Poison:
    return "nothing";
  case Value::ValueKind::Missing:
    return fmt::format("`{}`, which is not set", value.text);
  case Value::ValueKind::Absent:
    return value.text.empty() ? "`none`" : fmt::format("`{}`, which is not set", value.text);
  case Value::ValueKind::Bool:
    return value.truth ? "`true`" : "`false`";
  case Value::ValueKind::Number: {
    const dpl::Number& n = value.number;
    return n.dimension.none() ? n.str()
                              : fmt::format("{} ({})", n.str(), dpl::describe(n.dimension));
  }
  case Value::ValueKind::String:
    return fmt::format("the string \"{}\"", value.text);
  case Value::ValueKind::Choice:
    return fmt::format("`{}`, a choice of `{}`", value.member->name, value.schema->name);
  case Value::ValueKind::Symbol:
    return fmt::format("`{}`", value.text);
  case Value::ValueKind::List:
    return fmt::format("a list of {} items", value.list.size());
  case Value::ValueKind::Range:
    return "a range";
  case Value::ValueKind::Object:
    return describe(*value.object);
  case Value::ValueKind::Family:
    return fmt::format("the family `{}`", value.family->field);
  case Value::ValueKind::Rest:
    return "`rest`";
  case Value::ValueKind::Auto:
    return "`auto`";
  case Value::ValueKind::Result:
    return fmt::format("a figure ({})",
                       value.truth ? "true or false" : dpl::describe(value.figure.dimension));
  }
  return "";
}

std::string Lookup::describe(const Object& object) const {
  if (!object.name().empty())
    return fmt::format("{} `{}`", object.decl->blockKind.text, object.name());
  if (object.member)
    return fmt::format("`{}`", object.member->name);
  if (!object.field.empty())
    return fmt::format("`{}`", object.field);
  return fmt::format("`{}`", object.schema->name);
}
