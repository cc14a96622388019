//===- Offers.cpp - What an editor may offer at a place ---------------------------------------===//
#include "frontend/names/Offers.h"
#include "frontend/names/CommonValues.h"
#include "frontend/names/NameDetails.h"
#include "frontend/sema/Functions.h"
#include "frontend/sema/ResultNames.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "ir/RowFunctions.h"
#include "llvm/ADT/Twine.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

void Offers::offer(std::string label, NamedThing thing, std::string detail, llvm::StringRef doc,
                   bool block) {
  if (label.empty() || !offered.insert(label).second)
    return;
  out.offers.push_back({std::move(label), thing, std::move(detail), doc.str(), block});
}

void Offers::offer(const Meaning& meaning, llvm::StringRef label) {
  const Shape& shape = meaning.shape;
  std::string detail = wordOf(meaning.thing);
  if (const auto* block = llvm::dyn_cast_or_null<ast::BlockDecl>(shape.root.decl);
      block && shape.path.empty())
    detail = block->blockKind.text.str();
  else if (shape.type)
    detail = shape.type->text.str();
  const bool fields = meaning.thing == NamedThing::Field && shape.schema && !shape.schema->isSum();
  offer(label.str(), meaning.thing, std::move(detail), meaning.doc, fields);
}

void Offers::words(llvm::ArrayRef<llvm::StringRef> all) {
  for (llvm::StringRef word : all)
    offer(word.str(), NamedThing::Word, "", wordSentence(word));
}

void Offers::fieldNames(const Shape& object) {
  const Schema* schema = object.schema;
  if (!schema && object.type && object.type->kind == Type::TypeKind::Map)
    schema = object.type->element->schema;
  if (!schema)
    return;
  if (object.choice)
    for (const FieldDecl& one : object.choice->fields)
      offer(lookup.meaningOf(one, object), one.name());
  else
    for (const ChoiceSchema* choice : schema->members)
      for (const FieldDecl& one : choice->fields)
        offer(lookup.meaningOf(one, object), one.name());
  for (const FieldDecl& one : schema->fields)
    offer(lookup.meaningOf(one, object), one.name());
}

void Offers::statementWords(const Shape& object) {
  words({"assert", "let", "if", "for"});
  const auto* block = llvm::dyn_cast_or_null<ast::BlockDecl>(object.root.decl);
  if (block && block->search)
    words({"require", "minimize", "maximize"});
}

void Offers::members(const Shape& of, const std::string& figure, const Type* expected) {
  if (of.module) {
    for (llvm::StringRef name : lookup.modules.namesOf(*of.module))
      if (const std::optional<Meaning> found = lookup.member(name, of))
        if (fits(*found, expected))
          offer(*found, name);
    return;
  }
  fieldNames(of);
  if (of.schema) {
    for (const SchemaLet& let : of.schema->lets)
      offer(let.let->name.text.str(), NamedThing::Let, "let");
    if (!of.root && !of.type && !of.choice) // the choices of a schema: `recompute.none`
      choices(*of.schema);
  }
  if (!figure.empty())
    figureNames(figure + ".");
}

/// The names of figures that begin with a text: all figures for an empty one, otherwise the next
/// part of their paths.
void Offers::figureNames(llvm::StringRef prefix) {
  const auto add = [&](llvm::StringRef path, const char* dimension, llvm::StringRef doc) {
    if (!path.startswith(prefix))
      return;
    if (prefix.empty())
      return offer(path.str(), NamedThing::Figure, dimension, doc);
    const llvm::StringRef next =
        path.drop_front(prefix.size()).take_until([](char c) { return c == '.' || c == '['; });
    if (llvm::none_of(next, [](char c) { return c >= 'A' && c <= 'Z'; }))
      offer(next.str(), NamedThing::Figure, dimension, doc);
  };
  // The figures that files read most come first.
  for (llvm::StringRef path : commonFigures())
    add(path, "", figureSentence(path));
  for (const ir::FigureRow& row : ir::figureRows())
    if (!prefix.empty() || !row.hasHoles())
      add(row.path, row.dimension, row.note);
  for (const ir::SimulatedFigure& row : ir::simulatedFigures())
    add(row.path, row.dimension, "");
  if (!prefix.endswith("."))
    return;
  const llvm::StringRef base = prefix.drop_back();
  if (base.startswith("run["))
    for (const ir::ProblemFigure& row : ir::problemFigures())
      if (base.endswith("]"))
        offer(row.name, NamedThing::Figure);
  const bool drawn = llvm::any_of(ir::statistics(), [&](const ir::Statistic& one) {
    return resultNamed((prefix + one.name).str()).has_value();
  });
  if (!drawn)
    return;
  for (const ir::Statistic& one : ir::statistics())
    offer(one.name, NamedThing::Statistic, "statistic", figureSentence((prefix + one.name).str()));
  offer("above", NamedThing::Statistic, "statistic");
}

void Offers::choices(const Schema& schema) {
  for (const ChoiceSchema* choice : schema.members)
    offer(choice->name.str(), NamedThing::Choice, schema.name.str(), choice->ast->doc,
          !choice->fields.empty());
}

/// The blocks of the module, or of the library if `module` is one of its modules, that are of one
/// of the kinds. With `schemas`, also the schemas of these kinds, which `from` may name.
void Offers::blocksOf(llvm::ArrayRef<llvm::StringRef> kinds, bool schemas) {
  const auto isOf = [&](const Schema* schema) {
    return schema && llvm::any_of(kinds, [&](llvm::StringRef kind) { return schema->isA(kind); });
  };
  auto names = lookup.modules.namesOf(*module);
  for (llvm::StringRef name : llvm::reverse(names)) {
    const ast::Decl* decl = lookup.modules.find(*module, name);
    if (!llvm::isa_and_nonnull<ast::BlockDecl>(decl))
      continue;
    const Meaning meaning = lookup.meaningOf(Declared{module, decl});
    if (kinds.empty() || isOf(meaning.shape.schema))
      offer(meaning, name);
  }
  if (schemas)
    for (llvm::StringRef kind : lookup.schemas.kinds(*module))
      if (const Schema* schema = lookup.schemas.find(*module, kind); isOf(schema))
        offer(kind.str(), NamedThing::Schema, "schema", schema->ast->doc);
}

bool Offers::fits(const Meaning& meaning, const Type* expected) const {
  if (!expected || meaning.thing == NamedThing::Variable || meaning.thing == NamedThing::Let)
    return true;
  const Shape& shape = meaning.shape;
  if (expected->kind == Type::TypeKind::Schema)
    return shape.schema && shape.schema->isA(*expected->schema);
  if (expected->kind == Type::TypeKind::Field || expected->kind == Type::TypeKind::Column)
    return meaning.thing == NamedThing::Block || meaning.thing == NamedThing::Import;
  if (!shape.type)
    return false;
  return shape.type->kind == expected->kind && shape.type->dimension == expected->dimension;
}

void Offers::namesInScope(const NameScope& scope, const Type* expected) {
  const auto add = [&](llvm::StringRef name) {
    if (const std::optional<Meaning> found = lookup.find(name, scope);
        found && fits(*found, expected))
      offer(*found, name);
  };
  for (const NameScope* s = &scope; s; s = s->outer) {
    if (s->kind == NameScope::ScopeKind::Variable)
      add(s->variable.text);
    if (s->block)
      for (const ast::Stmt* stmt : s->block->statements)
        if (const auto* let = llvm::dyn_cast<ast::LetStmt>(stmt))
          add(let->name.text);
    if (s->kind == NameScope::ScopeKind::Object && s->shape.isRoot())
      for (const bool isFor : {true, false})
        if (const Shape named = lookup.header(s->shape.root, isFor); named.isRoot())
          add(declaredName(*named.root.decl));
    if (s->kind == NameScope::ScopeKind::Object && s->shape.schema)
      for (const FieldDecl& one : s->shape.schema->fields)
        add(one.name());
  }
  for (llvm::StringRef name : lookup.modules.namesOf(*module))
    add(name);
  // A block of an imported file of the right kind, by its full name.
  for (const Import& import : module->imports) {
    SourceModule* of = lookup.moduleOf(*module, import.alias);
    if (!of)
      continue;
    const bool wanted = expected && expected->kind == Type::TypeKind::Schema;
    if (!wanted) {
      offer(lookup.meaningOf(import), import.alias);
      continue;
    }
    for (llvm::StringRef name : lookup.modules.namesOf(*of))
      if (const ast::Decl* decl = lookup.modules.find(*of, name))
        if (const Meaning found = lookup.meaningOf(Declared{of, decl}); fits(found, expected))
          offer(found, (import.alias + "." + name).str());
  }
}

void Offers::functionNames() {
  for (const Signature& function : functions())
    offer(function.name, NamedThing::Function, function.takes);
  for (const ir::RowFunction& function : ir::rowFunctions())
    offer(function.name, NamedThing::Function, function.takes);
}

void Offers::typeNames() {
  out.type.clear();
  for (const char* name : {"Count", "Real", "Bool", "String", "Bytes", "Duration", "Bandwidth",
                           "FlopRate", "Flop", "Tokens", "Sequences", "Samples", "Steps", "Power",
                           "Energy", "Money", "Rate", "Name", "Field"})
    offer(name, NamedThing::Type, "type");
  for (llvm::StringRef kind : lookup.schemas.kinds(*module))
    offer(kind.str(), NamedThing::Schema, "schema");
}

void Offers::levels() {
  if (const Schema* levels = lookup.schemas.find(lookup.modules.prelude(), "level"))
    choices(*levels);
  offer("nic", NamedThing::Scope, "level");
}

void Offers::values(const NameScope& scope, const Type* expected, bool figures) {
  if (expected && expected->kind != Type::TypeKind::Error)
    out.type = describe(*expected);
  commonValues(scope, expected);
  if (expected) {
    if (expected->kind == Type::TypeKind::Axis)
      words({"rest"});
    if (expected->automatic || (expected->schema && expected->schema->takesAuto()))
      words({"auto"});
    if (expected->schema && expected->schema->isSum())
      choices(*expected->schema);
    if (expected->optional)
      words({"none"});
    if (expected->kind == Type::TypeKind::Bool)
      words({"true", "false"});
  }
  const bool named = expected && (expected->kind == Type::TypeKind::Name ||
                                  expected->kind == Type::TypeKind::Column);
  if (named)
    figureNames("");
  namesInScope(scope, expected);
  if (figures && !named) {
    figureNames("");
    functionNames();
  }
}
