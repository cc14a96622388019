//===- StaticLookup.cpp - Resolves names by declarations and types ----------------------------===//
#include "frontend/names/Shape.h"
#include "frontend/parse/ParseTree.h"
#include "llvm/ADT/Twine.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

namespace {
/// Limit on chains of bases; cycles are errors that the compilation reports.
constexpr unsigned deepest = 64;

SourceRange nameRange(const ast::Decl& decl) {
  if (const auto* import = llvm::dyn_cast<ast::ImportDecl>(&decl))
    return aliasRange(*import);
  return sema::meaningOf(decl).declaration;
}
} // namespace

SourceRange names::aliasRange(const ast::ImportDecl& decl) {
  if (!decl.alias.text.empty())
    return decl.alias.range;
  return decl.module.empty() ? decl.target : decl.module.back().range;
}

Shape StaticLookup::shapeOf(const Type& type, Declared root, std::string path) {
  Shape out;
  out.type = &type;
  out.schema = type.kind == Type::TypeKind::Schema ? type.schema : nullptr;
  out.root = root;
  out.path = std::move(path);
  return out;
}

const Schema* StaticLookup::schemaOf(Declared block) { return schemaOf(block, 0); }

const Schema* StaticLookup::schemaOf(Declared block, unsigned depth) {
  const auto* decl = llvm::dyn_cast_or_null<ast::BlockDecl>(block.decl);
  if (!decl || depth > deepest)
    return nullptr;
  const llvm::StringRef kind = decl->blockKind.text;
  const Schema* own = schemas.find(*block.module, kind);
  if (decl->search)
    if (const Schema* search = schemas.find(*block.module, (kind + "_search").str()))
      own = search;
  const Declared base = decl->base.empty() ? Declared() : modules.known(*block.module, decl->base);
  const Schema* below = !base                                   ? nullptr
                        : llvm::isa<ast::SchemaDecl>(base.decl) ? schemas.get(base)
                                                                : schemaOf(base, depth + 1);
  return below && (!own || below->isA(*own)) ? below : own;
}

Shape StaticLookup::shapeOf(Declared declared) {
  Shape out;
  if (const auto* param = llvm::dyn_cast_or_null<ast::ParamDecl>(declared.decl)) {
    out = shapeOf(schemas.resolve(param->type, *declared.module));
  } else if (llvm::isa_and_nonnull<ast::BlockDecl>(declared.decl)) {
    out.schema = schemaOf(declared);
    out.root = declared;
  } else if (llvm::isa_and_nonnull<ast::SchemaDecl>(declared.decl)) {
    out.schema = schemas.get(declared);
  }
  return out;
}

Shape StaticLookup::header(Declared block, bool isFor) { return header(block, isFor, 0); }

Shape StaticLookup::header(Declared block, bool isFor, unsigned depth) {
  const auto* decl = llvm::dyn_cast_or_null<ast::BlockDecl>(block.decl);
  if (!decl || depth > deepest)
    return {};
  const ast::QualifiedName named = isFor ? decl->forWhat : decl->onWhere;
  if (!named.empty())
    return shapeOf(modules.known(*block.module, named));
  return decl->base.empty() ? Shape()
                            : header(modules.known(*block.module, decl->base), isFor, depth + 1);
}

const ast::LetStmt* StaticLookup::letOf(const ast::Block* block, llvm::StringRef name) {
  if (block)
    for (const ast::Stmt* stmt : block->statements)
      if (const auto* let = llvm::dyn_cast<ast::LetStmt>(stmt); let && let->name.text == name)
        return let;
  return nullptr;
}

const ast::LetStmt* StaticLookup::letOf(Declared block, llvm::StringRef name) {
  return letOf(block, name, 0);
}

const ast::LetStmt* StaticLookup::letOf(Declared block, llvm::StringRef name, unsigned depth) {
  const auto* decl = llvm::dyn_cast_or_null<ast::BlockDecl>(block.decl);
  if (!decl || depth > deepest)
    return nullptr;
  const ast::LetStmt* found = letOf(decl->block, name);
  for (ast::QualifiedName fragment : decl->fragments)
    found = found ? found : letOf(modules.known(*block.module, fragment), name, depth + 1);
  if (!found && !decl->base.empty())
    found = letOf(modules.known(*block.module, decl->base), name, depth + 1);
  return found;
}

const FieldDecl* StaticLookup::fieldOf(const Shape& object, llvm::StringRef name) {
  // The elements of a map have the fields: `layer.ffn` and `layer[0].ffn`.
  const Type* of = object.type;
  const Schema* schema = object.schema;
  if (!schema && of && of->kind == Type::TypeKind::Map && of->element)
    schema = of->element->schema;
  if (!schema)
    return nullptr;
  if (const FieldDecl* field = schema->field(name, object.choice))
    return field;
  for (const ChoiceSchema* choice : schema->members)
    if (const FieldDecl* field = schema->field(name, choice))
      return field;
  return nullptr;
}

std::optional<FieldPlace> StaticLookup::placeOf(const Shape& value, const Environment& scope) {
  DiagnosticEngine silent;
  const std::uint32_t text = pathTexts.add("path", "x." + value.path + " = 0");
  const ast::FieldStmt* stmt = parseSetting(pathTexts, text, paths, silent);
  return stmt ? sema::placeOf(evaluator, value.root, stmt->path.drop_front(1), scope)
              : std::nullopt;
}

/// The choice that a value has; null if it is not known.
const ChoiceSchema* StaticLookup::choiceOf(const Shape& value) {
  if (!llvm::isa_and_nonnull<ast::BlockDecl>(value.root.decl) || value.path.empty())
    return nullptr;
  const std::optional<FieldPlace> place = placeOf(value, value.root.module->scope);
  if (!place)
    return nullptr;
  const Value v =
      place->element ? *place->element : evaluator.field(*place->object, *place->field, {});
  return v.is(Value::ValueKind::Choice) ? v.member : nullptr;
}

Meaning StaticLookup::meaningOf(const FieldDecl& field, const Shape& of) {
  Meaning out;
  out.thing = NamedThing::Field;
  out.declaration = field.ast->name.range;
  out.doc = field.ast->doc;
  out.field = &field;
  const std::string path =
      of.path.empty() ? field.name().str() : of.path + "." + field.name().str();
  out.shape = shapeOf(schemas.typeOf(field), of.root, of.root ? path : "");
  return out;
}

Meaning StaticLookup::meaningOf(const ChoiceSchema& choice, const Schema& schema) {
  Meaning out;
  out.thing = NamedThing::Choice;
  out.declaration = choice.ast->name.range;
  out.doc = choice.ast->doc;
  out.shape.schema = &schema;
  out.shape.choice = &choice;
  return out;
}

Meaning StaticLookup::meaningOf(Declared declared) {
  Meaning out;
  out.declaration = nameRange(*declared.decl);
  out.doc = declared.decl->doc;
  out.shape = shapeOf(declared);
  if (const auto* let = llvm::dyn_cast<ast::LetDecl>(declared.decl)) {
    out.let = &let->let;
    out.thing = NamedThing::Let;
    out.shape.root = declared;
  } else if (llvm::isa<ast::ParamDecl>(declared.decl)) {
    out.thing = NamedThing::Param;
    out.shape.root = declared;
  } else if (llvm::isa<ast::SchemaDecl>(declared.decl)) {
    out.thing = NamedThing::Schema;
  }
  return out;
}

Meaning StaticLookup::meaningOf(const sema::Import& import) {
  Meaning out;
  out.thing = NamedThing::Import;
  out.declaration = aliasRange(*import.decl);
  out.doc = import.decl->doc;
  out.shape.module = import.module;
  return out;
}

SourceModule* StaticLookup::moduleOf(SourceModule& of, llvm::StringRef alias) {
  bool known = false;
  return modules.imported(of, alias, known);
}

std::optional<Meaning> StaticLookup::member(llvm::StringRef name, const Shape& of) {
  if (of.module) {
    const Declared found = modules.member(*of.module, name);
    return found ? std::optional(meaningOf(found)) : std::nullopt;
  }
  if (const FieldDecl* field = fieldOf(of, name)) {
    // Several choices may have fields with this name: the optimizers have `lr`.
    const ChoiceSchema* chosen = field->ofMember && !of.choice ? choiceOf(of) : nullptr;
    const FieldDecl* exact = chosen ? of.schema->field(name, chosen) : nullptr;
    return meaningOf(exact ? *exact : *field, of);
  }
  const ast::LetStmt* let = of.isRoot() ? letOf(of.root, name) : nullptr;
  if (!let && of.schema)
    for (const SchemaLet& one : of.schema->lets)
      if (one.let->name.text == name)
        let = one.let;
  if (!let)
    return std::nullopt;
  Meaning out;
  out.thing = NamedThing::Let;
  out.declaration = let->name.range;
  out.let = let;
  return out;
}

/// The meaning of a name as a member of the object of a scope, or as a block that its header names.
std::optional<Meaning> StaticLookup::inObject(llvm::StringRef name, const NameScope& scope) {
  const Shape& object = scope.shape;
  if (const FieldDecl* field = fieldOf(object, name))
    return meaningOf(*field, object);
  if (const ast::LetStmt* let = letOf(scope.block, name)) {
    Meaning out;
    out.thing = NamedThing::Let, out.declaration = let->name.range, out.let = let;
    return out;
  }
  if (std::optional<Meaning> found = member(name, object))
    return found;
  if (!object.isRoot())
    return std::nullopt;
  const auto* decl = llvm::dyn_cast<ast::BlockDecl>(object.root.decl);
  if (decl && decl->name.text == name)
    return meaningOf(object.root);
  for (const bool isFor : {false, true}) {
    const Shape named = header(object.root, isFor);
    const auto* block = llvm::dyn_cast_or_null<ast::BlockDecl>(named.root.decl);
    if (block && block->name.text == name)
      return meaningOf(named.root);
  }
  return std::nullopt;
}

/// The enclosing object, or an object that its header names, of a kind: `layout`, `model`.
std::optional<Meaning> StaticLookup::byKind(llvm::StringRef name, const NameScope& scope) {
  for (const NameScope* s = &scope; s; s = s->outer) {
    if (s->kind != NameScope::ScopeKind::Object || !s->shape.schema)
      continue;
    Shape candidates[3] = {s->shape, {}, {}};
    if (s->shape.isRoot())
      candidates[1] = header(s->shape.root, true), candidates[2] = header(s->shape.root, false);
    for (const Shape& candidate : candidates)
      if (candidate.schema && candidate.schema->isA(name)) {
        Meaning out;
        out.shape = candidate;
        if (candidate.isRoot()) {
          out.declaration = nameRange(*candidate.root.decl);
          out.doc = candidate.root.decl->doc;
        } else {
          out.declaration = candidate.schema->ast->name.range;
          out.doc = candidate.schema->ast->doc;
        }
        return out;
      }
  }
  return std::nullopt;
}

std::optional<Meaning> StaticLookup::find(llvm::StringRef name, const NameScope& scope) {
  if (name.empty())
    return std::nullopt;
  for (const NameScope* s = &scope; s; s = s->outer)
    switch (s->kind) {
    case NameScope::ScopeKind::Variable:
      if (s->variable.text == name) {
        Meaning out;
        out.thing = NamedThing::Variable;
        out.declaration = s->variable.range;
        out.shape = s->shape;
        return out;
      }
      break;
    case NameScope::ScopeKind::Local:
      if (const ast::LetStmt* let = letOf(s->block, name)) {
        Meaning out;
        out.thing = NamedThing::Let, out.declaration = let->name.range, out.let = let;
        return out;
      }
      break;
    case NameScope::ScopeKind::Object:
      if (std::optional<Meaning> found = inObject(name, *s))
        return found;
      break;
    case NameScope::ScopeKind::Module: {
      if (std::optional<Meaning> found = byKind(name, scope))
        return found;
      if (const ast::Decl* own = modules.find(*s->module, name))
        return meaningOf(Declared{s->module, own});
      if (const Import* import = modules.importOf(*s->module, name)) {
        Meaning out = meaningOf(*import);
        out.shape.module = moduleOf(*s->module, name);
        return out;
      }
      const Declared outer = modules.findVisible(*s->module, name);
      return outer ? std::optional(meaningOf(outer)) : std::nullopt;
    }
    }
  return std::nullopt;
}
