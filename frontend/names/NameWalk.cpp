//===- NameWalk.cpp - Visits the names of declarations and statements -------------------------===//
#include "frontend/names/NameWalk.h"
#include "llvm/ADT/StringSwitch.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

void NameWalk::tell(SourceRange use, Meaning meaning, bool isDeclaration) {
  if (use.valid() && use.begin < use.end && sink)
    sink(use, std::move(meaning), isDeclaration);
}

void NameWalk::word(SourceRange use, NamedThing thing, llvm::StringRef text) {
  Meaning meaning;
  meaning.thing = thing;
  meaning.figure = text.str();
  tell(use, std::move(meaning));
}

llvm::StringRef NameWalk::textOf(SourceRange range) const {
  return range.valid() ? lookup.evaluator.shared.sources.text(range) : llvm::StringRef();
}

void NameWalk::module(SourceModule& module) {
  if (!module.isLibrary()) {
    for (const ast::Decl* one : module.ast->declarations)
      decl({&module, one});
    return;
  }
  for (const Import& import : module.imports)
    importDecl(*import.decl, module);
  for (const LibraryEntry& entry : lookup.evaluator.shared.library.entries(module.libraryName))
    if (const ast::Decl* one = lookup.modules.find(module, entry.name))
      decl({&module, one});
}

void NameWalk::decl(Declared declared) {
  SourceModule& module = *declared.module;
  NameScope scope;
  scope.module = &module;
  switch (declared.decl->kind) {
  case ast::Decl::DeclKind::Import:
    return importDecl(llvm::cast<ast::ImportDecl>(*declared.decl), module);
  case ast::Decl::DeclKind::Param: {
    const auto& param = llvm::cast<ast::ParamDecl>(*declared.decl);
    tell(param.name.range, lookup.meaningOf(declared), true);
    type(param.type, module);
    const Type& expected = lookup.schemas.resolve(param.type, module);
    Type list;
    list.kind = Type::TypeKind::List, list.element = &expected;
    if (param.candidates)
      (void)value(*param.candidates, scope, &list);
    if (param.value)
      (void)value(*param.value, scope, &expected);
    return;
  }
  case ast::Decl::DeclKind::Let: {
    const auto& let = llvm::cast<ast::LetDecl>(*declared.decl);
    tell(let.let.name.range, lookup.meaningOf(declared), true);
    (void)value(let.let.value, scope, nullptr);
    return;
  }
  case ast::Decl::DeclKind::Schema:
    return schemaDecl(declared);
  case ast::Decl::DeclKind::Block:
    return blockDecl(declared);
  case ast::Decl::DeclKind::Assert:
    (void)value(llvm::cast<ast::AssertDecl>(*declared.decl).check.condition, scope, nullptr);
    return;
  }
}

void NameWalk::importDecl(const ast::ImportDecl& decl, SourceModule& module) {
  const SourceRange alias = aliasRange(decl);
  for (const ast::Name& part : decl.module)
    if (!(part.range == alias))
      word(part.range, NamedThing::Module,
           &part == decl.module.begin() ? part.text : textOf(decl.target));
  for (const Import& import : module.imports)
    if (import.decl == &decl) {
      Meaning meaning = lookup.meaningOf(import);
      meaning.shape.module = lookup.moduleOf(module, import.alias);
      tell(alias, meaning, true);
      if (decl.module.empty() && !(alias == decl.target)) {
        meaning.thing = NamedThing::Module; // another name does not change the path
        meaning.declaration = {};
        tell(decl.target, meaning);
      }
    }
}

void NameWalk::typeName(ast::QualifiedName name, SourceModule& module) {
  if (name.size() > 1)
    return qualified(name, module);
  if (name.empty())
    return;
  const Declared found = lookup.modules.findVisible(module, name[0].text);
  const bool builtin = llvm::StringSwitch<bool>(name[0].text)
                           .Cases("Bool", "Count", "Real", "String", "Name", "Field", true)
                           .Cases("Column", "Axis", "Batch", "MicroBatch", "vary", true)
                           .Case("AutoBytes", true)
                           .Default(dimensionNamed(name[0].text).has_value());
  if (builtin)
    word(name[0].range, NamedThing::Type, name[0].text);
  else if (found)
    tell(name[0].range, lookup.meaningOf(found));
}

void NameWalk::type(const ast::TypeExpr& type, SourceModule& module) {
  typeName(type.name, module);
  typeName(type.key, module);
  if (type.element)
    this->type(*type.element, module);
  if (!type.scope.text.empty())
    tell(type.scope.range, levelNamed(type.scope.text));
}

Meaning NameWalk::levelNamed(llvm::StringRef name) {
  const Schema* levels = lookup.schemas.find(lookup.modules.prelude(), "level");
  Meaning out;
  if (const ChoiceSchema* level = levels ? levels->member(name) : nullptr)
    out = lookup.meaningOf(*level, *levels);
  else if (name == "nic") // rates and bandwidths have this level; no statement names its devices
    out.doc = "One network port of a node.";
  out.thing = NamedThing::Scope;
  out.figure = name.str();
  return out;
}

void NameWalk::qualified(ast::QualifiedName name, SourceModule& module) {
  if (name.empty())
    return;
  if (name.size() == 1) {
    if (const Declared found = lookup.modules.findVisible(module, name[0].text))
      tell(name[0].range, lookup.meaningOf(found));
    return;
  }
  const Import* import = lookup.modules.importOf(module, name[0].text);
  if (!import)
    return;
  Meaning alias = lookup.meaningOf(*import);
  alias.shape.module = lookup.moduleOf(module, name[0].text);
  const Shape of = alias.shape;
  tell(name[0].range, std::move(alias));
  if (std::optional<Meaning> found = lookup.member(name[1].text, of))
    tell(name[1].range, std::move(*found));
}

void NameWalk::schemaFields(llvm::ArrayRef<ast::SchemaField> fields, const Shape& shape,
                            const NameScope& scope) {
  for (const ast::SchemaField& one : fields) {
    type(one.type, *scope.module);
    const FieldDecl* field = StaticLookup::fieldOf(shape, one.name.text);
    if (!field)
      continue;
    const Meaning meaning = lookup.meaningOf(*field, shape);
    tell(one.name.range, meaning, field->ast->name.range == one.name.range);
    if (one.value)
      (void)value(*one.value, scope, meaning.shape.type);
    if (one.block)
      nested(*one.block, meaning.shape, scope);
  }
}

void NameWalk::schemaDecl(Declared declared) {
  const auto& decl = llvm::cast<ast::SchemaDecl>(*declared.decl);
  SourceModule& module = *declared.module;
  tell(decl.name.range, lookup.meaningOf(declared), true);
  qualified(decl.base, module);
  for (const ast::Name& kind : decl.forKinds)
    qualified(kind, module);
  if (!decl.onKind.text.empty())
    qualified(decl.onKind, module);
  NameScope outer;
  outer.module = &module;
  NameScope scope;
  scope.kind = NameScope::ScopeKind::Object;
  scope.outer = &outer, scope.module = &module;
  scope.shape = lookup.shapeOf(declared);
  schemaFields(decl.fields, scope.shape, scope);
  for (const ast::ChoiceMember& one : decl.choices) {
    NameScope inner = scope;
    if (const ChoiceSchema* choice =
            scope.shape.schema ? scope.shape.schema->member(one.name.text) : nullptr) {
      tell(one.name.range, lookup.meaningOf(*choice, *scope.shape.schema), true);
      inner.shape.choice = choice;
    }
    schemaFields(one.fields, inner.shape, inner);
    for (const ast::Stmt* stmt : one.asserts)
      statement(*stmt, inner.shape, inner);
  }
  for (const ast::Stmt* stmt : decl.statements)
    statement(*stmt, scope.shape, scope);
}

void NameWalk::blockDecl(Declared declared) {
  const auto& decl = llvm::cast<ast::BlockDecl>(*declared.decl);
  SourceModule& module = *declared.module;
  qualified(decl.blockKind, module);
  tell(decl.name.range, lookup.meaningOf(declared), true);
  qualified(decl.base, module);
  for (ast::QualifiedName fragment : decl.fragments)
    qualified(fragment, module);
  qualified(decl.forWhat, module);
  qualified(decl.onWhere, module);
  NameScope scope;
  scope.module = &module;
  if (decl.block)
    nested(*decl.block, lookup.shapeOf(declared), scope);
}

void NameWalk::nested(const ast::Block& block, const Shape& object, const NameScope& outer) {
  NameScope scope;
  scope.kind = NameScope::ScopeKind::Object;
  scope.outer = &outer, scope.module = outer.module;
  scope.shape = object;
  scope.block = &block;
  statements(block, object, scope);
}

void NameWalk::statements(const ast::Block& block, const Shape& object, const NameScope& scope) {
  for (const ast::Stmt* stmt : block.statements)
    statement(*stmt, object, scope);
}

void NameWalk::statement(const ast::Stmt& stmt, const Shape& object, const NameScope& scope) {
  switch (stmt.kind) {
  case ast::Stmt::StmtKind::Field:
    return field(llvm::cast<ast::FieldStmt>(stmt), object, scope);
  case ast::Stmt::StmtKind::For:
    return loop(llvm::cast<ast::ForStmt>(stmt), object, scope);
  case ast::Stmt::StmtKind::If: {
    const auto& guard = llvm::cast<ast::IfStmt>(stmt);
    (void)value(guard.condition, scope, nullptr);
    for (const ast::Block* block : {&guard.then, guard.otherwise}) {
      if (!block)
        continue;
      NameScope local;
      local.kind = NameScope::ScopeKind::Local;
      local.outer = &scope, local.module = scope.module, local.block = block;
      statements(*block, object, local);
    }
    return;
  }
  case ast::Stmt::StmtKind::Assert:
  case ast::Stmt::StmtKind::Require:
    (void)value(llvm::cast<ast::CheckStmt>(stmt).condition, scope, nullptr);
    return;
  case ast::Stmt::StmtKind::Objective:
    (void)value(llvm::cast<ast::ObjectiveStmt>(stmt).value, scope, nullptr);
    return;
  case ast::Stmt::StmtKind::Let:
    return let(llvm::cast<ast::LetStmt>(stmt), scope);
  }
}

void NameWalk::let(const ast::LetStmt& stmt, const NameScope& scope) {
  Meaning meaning;
  meaning.thing = NamedThing::Let;
  meaning.declaration = stmt.name.range;
  meaning.let = &stmt;
  const NameScope* object = &scope;
  while (object->outer && object->kind != NameScope::ScopeKind::Object)
    object = object->outer;
  meaning.shape.root = object->shape.isRoot() ? object->shape.root : Declared();
  tell(stmt.name.range, std::move(meaning), true);
  (void)value(stmt.value, scope, nullptr);
}

const Type* NameWalk::elementOf(const Type* type) {
  const bool has =
      type && (type->kind == Type::TypeKind::List || type->kind == Type::TypeKind::Map);
  return has ? type->element : nullptr;
}

Shape NameWalk::elementOf(const Shape& shape) {
  const Type* element = elementOf(shape.type);
  return element ? StaticLookup::shapeOf(*element) : Shape();
}

void NameWalk::loop(const ast::ForStmt& stmt, const Shape& object, const NameScope& scope) {
  const Shape over = value(stmt.over, scope, nullptr);
  const Shape element = elementOf(over);
  const bool two = !stmt.second.text.empty();
  NameScope first;
  first.kind = NameScope::ScopeKind::Variable;
  first.outer = &scope, first.module = scope.module;
  first.variable = stmt.variable;
  if (!two)
    first.shape = element;
  else if (over.type && over.type->key)
    first.shape = StaticLookup::shapeOf(*over.type->key);
  NameScope second = first;
  second.outer = &first;
  second.variable = stmt.second;
  second.shape = element;
  for (const NameScope* variable : {&first, two ? &second : nullptr})
    if (variable)
      tell(variable->variable.range, *lookup.find(variable->variable.text, *variable), true);
  NameScope local;
  local.kind = NameScope::ScopeKind::Local;
  local.outer = two ? &second : &first, local.module = scope.module, local.block = &stmt.body;
  statements(stmt.body, object, local);
}

Shape NameWalk::path(llvm::ArrayRef<ast::PathStep> steps, std::size_t from, Shape at,
                     const NameScope& scope) {
  last = nullptr;
  for (std::size_t i = from; i < steps.size(); ++i) {
    if (const ast::Expr* index = steps[i].index) {
      const Type* type = at.type;
      (void)value(*index, scope, type ? type->key : nullptr);
      Shape element = elementOf(at);
      element.root = at.root;
      if (at.root)
        element.path = fmt::format("{}[{}]", at.path, textOf(index->range));
      at = element;
      continue;
    }
    std::optional<Meaning> found = lookup.member(steps[i].name.text, at);
    if (!found) { // later steps may have indices with names
      at = {};
      last = nullptr;
      continue;
    }
    at = found->shape;
    last = found->field;
    tell(steps[i].name.range, std::move(*found));
  }
  return at;
}

/// The object whose field a statement sets. After a missing `}`, a statement can be in a block to
/// which it does not belong: its field is that of a block around it.
static const Shape& objectOf(const ast::FieldStmt& stmt, const Shape& object,
                             const NameScope& scope) {
  const llvm::StringRef name = stmt.path[0].name.text;
  if (scope.module->failed() && !StaticLookup::fieldOf(object, name))
    for (const NameScope* s = &scope; s; s = s->outer)
      if (s->kind == NameScope::ScopeKind::Object && StaticLookup::fieldOf(s->shape, name))
        return s->shape;
  return object;
}

void NameWalk::field(const ast::FieldStmt& stmt, const Shape& object, const NameScope& scope) {
  const Shape set = path(stmt.path, 0, objectOf(stmt, object, scope), scope);
  if (onSetting && last)
    onSetting(stmt, *last);
  // A setting without an index sets all elements.
  const Type* expected = set.type;
  if (expected && expected->kind == Type::TypeKind::Map)
    expected = expected->element;
  for (const ast::AxisPlacement& placement : stmt.placements)
    tell(placement.level.range, levelNamed(placement.level.text));
  if (stmt.block && set.type && set.type->kind == Type::TypeKind::Vary)
    return varied(*stmt.block, scope);
  if (stmt.block) {
    Shape inner = expected ? StaticLookup::shapeOf(*expected, set.root, set.path) : set;
    return nested(*stmt.block, inner, scope);
  }
  if (!stmt.value)
    return;
  Type list;
  list.kind = Type::TypeKind::List, list.element = expected;
  const bool open = stmt.form == ast::FieldStmt::FieldForm::Candidates;
  if (const auto* amended = llvm::dyn_cast<ast::AmendExpr>(stmt.value); amended && !open)
    (void)amend(*amended, scope, expected, set);
  else
    (void)value(*stmt.value, scope, !expected ? nullptr : open ? &list : expected);
}

void NameWalk::varied(const ast::Block& block, const NameScope& scope) {
  for (const ast::Stmt* stmt : block.statements) {
    const auto* one = llvm::dyn_cast<ast::FieldStmt>(stmt);
    if (!one) {
      statement(*stmt, {}, scope);
      continue;
    }
    Shape set;
    if (std::optional<Meaning> root = lookup.find(one->path[0].name.text, scope)) {
      set = root->shape;
      tell(one->path[0].name.range, std::move(*root));
      set = path(one->path, 1, set, scope);
      if (onSetting && last)
        onSetting(*one, *last);
    }
    const Type* expected = set.type;
    if (expected && expected->kind == Type::TypeKind::Map)
      expected = expected->element;
    if (!one->value)
      continue;
    Type list;
    list.kind = Type::TypeKind::List, list.element = expected;
    const bool open = one->form == ast::FieldStmt::FieldForm::Candidates;
    (void)value(*one->value, scope, !expected ? nullptr : open ? &list : expected);
  }
}
