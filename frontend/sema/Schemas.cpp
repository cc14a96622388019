//===- Schemas.cpp - Resolves schema declarations on demand -----------------------------------===//
#include "frontend/sema/Schemas.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::sema;

const Schema* Schemas::find(SourceModule& module, llvm::StringRef name) {
  const Declared found = modules.findVisible(module, name);
  return found && llvm::isa<ast::SchemaDecl>(found.decl) ? get(found) : nullptr;
}

const Schema* Schemas::get(Declared declared) {
  if (auto it = byDecl.find(declared.decl); it != byDecl.end())
    return it->second;
  const Schema* made = make(declared);
  byDecl[declared.decl] = made;
  return made;
}

const Schema* Schemas::make(Declared declared) {
  const auto& decl = *llvm::cast<ast::SchemaDecl>(declared.decl);
  if (auto at = std::find(making.begin(), making.end(), &decl); at != making.end()) {
    std::string circle;
    for (; at != making.end(); ++at)
      circle += (*at)->name.text.str() + " -> ";
    shared.diags.report<diag::SchemaCycle>(decl.name.range, decl.name.text,
                                           circle + decl.name.text.str());
    return nullptr;
  }
  if (making.size() >= Budget::deepest) {
    if (!std::exchange(tooDeep, true))
      shared.diags.report<diag::TooDeep>(decl.name.range, Budget::deepest);
    return nullptr;
  }
  const Schema* base = nullptr;
  if (!decl.base.empty()) {
    making.push_back(&decl);
    const Declared found = modules.resolve(*declared.module, decl.base);
    if (found && !llvm::isa<ast::SchemaDecl>(found.decl))
      shared.diags.report<diag::WrongKind>(range(decl.base), text(decl.base), "a block",
                                           "a schema");
    else if (found)
      base = get(found);
    making.pop_back();
    if (!base)
      return nullptr;
  }
  Schema& schema = schemas.emplace_back();
  schema.name = decl.name.text;
  schema.ast = &decl;
  schema.module = declared.module;
  schema.base = base;
  if (base) {
    if (!shared.budget.spend(base->fields.size() + base->members.size() + base->lets.size(),
                             decl.name.range))
      return nullptr;
    schema.fields = base->fields;
    schema.members = base->members;
    schema.lets = base->lets;
  }
  addMembers(schema);

  llvm::SmallVector<const ast::Stmt*> amendments;
  for (const ast::Stmt* stmt : decl.statements)
    if (const auto* let = llvm::dyn_cast<ast::LetStmt>(stmt))
      schema.lets.push_back({let, &schema});
    else if (llvm::isa<ast::FieldStmt>(stmt))
      amendments.push_back(stmt);
  if (!amendments.empty())
    schema.amendments = &shared.arena.make<ast::Block>(
        decl.range, shared.arena.copy(llvm::makeArrayRef(amendments)));
  return &schema;
}

void Schemas::addMembers(Schema& schema) {
  auto add = [&](auto& fields, const ast::SchemaField& field, bool ofMember) {
    if (!shared.budget.spend(1 + fields.size() / 16, field.name.range))
      return;
    for (const FieldDecl& other : fields)
      if (other.name() == field.name.text) {
        shared.diags
            .report<diag::DuplicateSchemaField>(field.name.range, schema.name, field.name.text)
            .note<diag::DeclaredHere>(other.ast->name.range, field.name.text)
            .help(other.owner == &schema
                      ? ""
                      : "write `name = value` to give a field of the base another default");
        return;
      }
    FieldDecl decl;
    decl.ast = &field, decl.owner = &schema, decl.index = fields.size(), decl.ofMember = ofMember;
    fields.push_back(decl);
  };
  for (const ast::SchemaField& field : schema.ast->fields)
    add(schema.fields, field, false);
  for (const ast::ChoiceMember& choice : schema.ast->choices) {
    if (!shared.budget.spend(1 + schema.members.size() / 16, choice.name.range))
      return;
    if (schema.member(choice.name.text)) {
      shared.diags.report<diag::DuplicateSchemaField>(choice.name.range, schema.name,
                                                      choice.name.text);
      continue;
    }
    ChoiceSchema& member = memberStore.emplace_back();
    member.name = choice.name.text;
    member.ast = &choice;
    member.owner = &schema;
    for (const ast::SchemaField& field : choice.fields)
      add(member.fields, field, true);
    schema.members.push_back(&member);
  }
}

const Type& Schemas::typeOf(const FieldDecl& field) {
  if (!field.type)
    field.type = &resolve(field.ast->type, *field.owner->module);
  return *field.type;
}

Type Schemas::named(ast::QualifiedName name, SourceRange range, SourceModule& module) {
  Type type;
  type.text = shared.keep(sema::text(name));
  if (name.size() == 1) {
    static constexpr std::pair<const char*, Type::TypeKind> builtin[] = {
        {"Bool", Type::TypeKind::Bool},     {"Count", Type::TypeKind::Count},
        {"Real", Type::TypeKind::Real},     {"String", Type::TypeKind::String},
        {"Name", Type::TypeKind::Name},     {"Field", Type::TypeKind::Field},
        {"Column", Type::TypeKind::Column}, {"Axis", Type::TypeKind::Axis},
        {"Batch", Type::TypeKind::Batch},   {"MicroBatch", Type::TypeKind::MicroBatch},
        {"vary", Type::TypeKind::Vary}};
    for (const auto& [text, kind] : builtin)
      if (name[0].text == text) {
        type.kind = kind;
        type.automatic = kind == Type::TypeKind::MicroBatch;
        return type;
      }
    if (name[0].text == "AutoBytes") {
      type.kind = Type::TypeKind::Quantity;
      type.dimension = *dimensionNamed("Bytes");
      type.automatic = true;
      return type;
    }
    if (const auto dimension = dimensionNamed(name[0].text)) {
      type.kind = Type::TypeKind::Quantity;
      type.dimension = *dimension;
      return type;
    }
    if (const Declared found = modules.findVisible(module, name[0].text);
        found && llvm::isa<ast::SchemaDecl>(found.decl)) {
      shared.names(name[0].range, meaningOf(*found.decl));
      type.schema = get(found);
      type.kind = type.schema ? Type::TypeKind::Schema : Type::TypeKind::Error;
      return type;
    }
    if (module.isPoisoned(name[0].text))
      return type;
    auto known = modules.namesOf(module);
    known.append({"Bool", "Count", "Real", "String", "Name", "Field", "Bytes", "Duration",
                  "Bandwidth", "Flop", "FlopRate", "Tokens", "Sequences", "Samples", "Steps",
                  "Power", "Energy", "Money", "Rate"});
    const Suggestion near = shared.nearest(name[0].text, known, range);
    auto d = shared.diags.report<diag::UnknownType>(range, name[0].text).help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(name[0].range, near.edit);
    return type;
  }
  const Declared found = modules.resolve(module, name);
  if (found && !llvm::isa<ast::SchemaDecl>(found.decl))
    shared.diags.report<diag::UnknownType>(range, type.text);
  else if (found)
    type.schema = get(found);
  type.kind = type.schema ? Type::TypeKind::Schema : Type::TypeKind::Error;
  return type;
}

const Type& Schemas::resolve(const ast::TypeExpr& expr, SourceModule& module) {
  Type type;
  switch (expr.form) {
  case ast::TypeExpr::TypeForm::Named:
    type = named(expr.name, expr.range, module);
    break;
  case ast::TypeExpr::TypeForm::List:
    type.kind = Type::TypeKind::List;
    type.element = &resolve(*expr.element, module);
    if (type.element->kind == Type::TypeKind::Error)
      type.kind = Type::TypeKind::Error;
    break;
  case ast::TypeExpr::TypeForm::Map: {
    const Type element = named(expr.name, expr.range, module);
    const Type key = named(expr.key, expr.range, module);
    const bool usable = key.kind == Type::TypeKind::Count || key.kind == Type::TypeKind::String ||
                        (key.kind == Type::TypeKind::Schema && key.schema->isSum());
    if (!usable && key.kind != Type::TypeKind::Error)
      shared.diags.report<diag::WrongType>(range(expr.key), "the index of a map",
                                           "`Count`, `String` or a schema of choices",
                                           fmt::format("`{}`", key.text));
    type.kind = usable && element.kind != Type::TypeKind::Error ? Type::TypeKind::Map
                                                                : Type::TypeKind::Error;
    type.element = &shared.arena.make<Type>(element);
    type.key = &shared.arena.make<Type>(key);
    break;
  }
  }
  if (!expr.scope.text.empty()) {
    if (const auto scope = scopeNamed(expr.scope.text))
      (type.kind == Type::TypeKind::Map ? const_cast<Type*>(type.element)->scope : type.scope) =
          *scope;
    else
      shared.diags.report<diag::UnknownScope>(expr.scope.range, expr.scope.text)
          .help("the scopes are gpu, nic, node, domain, leaf, pod and site");
  }
  type.optional = expr.optional;
  type.text = shared.keep(shared.sources.text(expr.range).str());
  return shared.arena.make<Type>(type);
}

/// Whether a chain of required fields leads from a schema back to it, so that no block can be
/// complete. `seen` has the schemas that were searched without finding such a chain.
bool Schemas::endless(const Schema& schema, const Schema& target, const std::string& chain,
                      llvm::SmallPtrSetImpl<const Schema*>& seen, unsigned depth) {
  if (depth > Budget::deepest || !seen.insert(&schema).second ||
      !shared.budget.spend(schema.fields.size(), target.ast->name.range))
    return false;
  for (const FieldDecl& field : schema.fields) {
    const Type& type = typeOf(field);
    // A default that is the schema itself does not end the chain: `child: tree = tree`.
    const auto* byName = llvm::dyn_cast_or_null<ast::NameExpr>(field.ast->value);
    const bool finite =
        field.ast->value && !(byName && type.schema && byName->name == type.schema->name);
    if (type.kind != Type::TypeKind::Schema || type.optional || type.schema->isSum() || finite)
      continue;
    const std::string longer = fmt::format("{} -> {}", chain, type.schema->name);
    if (type.schema == &target) {
      shared.diags.report<diag::EndlessSchema>(field.ast->name.range, target.name, longer)
          .help(fmt::format("make `{}` optional: `{}?`", field.name(), type.text));
      return true;
    }
    if (endless(*type.schema, target, longer, seen, depth + 1))
      return true;
  }
  return false;
}

void Schemas::check(const Schema& schema) {
  llvm::SmallPtrSet<const Schema*, 8> seen;
  (void)endless(schema, schema, schema.name.str(), seen, 0);
  auto one = [&](const FieldDecl& field) {
    const Type& type = typeOf(field);
    if (!field.ast->block || field.owner != &schema || type.kind == Type::TypeKind::Error)
      return;
    if (type.kind != Type::TypeKind::Schema)
      shared.diags.report<diag::NoFields>(field.ast->name.range, field.name(), describe(type));
    else if (type.schema->isSum() && !type.schema->members.empty())
      shared.diags.report<diag::NothingToAmend>(field.ast->name.range, field.name())
          .help(
              fmt::format("choose a value first, as in `{}`",
                          exampleOf(fmt::format("{}: {}", field.name(), type.text), *type.schema)));
  };
  llvm::for_each(schema.fields, one);
  for (const ChoiceSchema* member : schema.members)
    llvm::for_each(member->fields, one);
}

llvm::SmallVector<llvm::StringRef, 0> Schemas::kinds(SourceModule& module) {
  llvm::SmallVector<llvm::StringRef, 0> names{"model",  "decoder", "encoder", "layer_list",
                                              "device", "node",    "cluster", "layout",
                                              "run",    "study",   "launch",  "lint"};
  if (module.ast)
    for (const ast::Decl* decl : module.ast->declarations)
      if (const auto* s = llvm::dyn_cast<ast::SchemaDecl>(decl))
        names.push_back(s->name.text);
  return names;
}
