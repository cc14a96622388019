//===- Names.cpp - What a name on the right of a field means ----------------------------------===//
#include "frontend/sema/Expressions.h"
#include "frontend/sema/ResultNames.h"
#include "support/Near.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

/// What the name means because a value of a certain type is wanted.
std::optional<Value> Expressions::expectedMember(llvm::StringRef name, const Type* expected,
                                                 SourceRange at, const Environment& scope) {
  if (!expected)
    return std::nullopt;
  if (name == "auto" && expected->automatic)
    return Value::plain(Value::Kind::Auto).at(at);
  switch (expected->kind) {
  case Type::Kind::Schema: {
    const Schema& schema = *expected->schema;
    if (const Member* member = schema.member(name)) {
      shared.names(at, {NameMeaning::Kind::Choice, member->ast->name.range, member->ast->doc});
      Value v = Value::choice(schema, member);
      if (!member->fields.empty() || !schema.fields.empty())
        v.object = &instance(schema, member, innermost(scope), at);
      return v.at(at);
    }
    if (name == "auto" && schema.takesAuto()) {
      Value v = Value::plain(Value::Kind::Auto);
      v.schema = &schema;
      return v.at(at);
    }
    if (!schema.isSum() && name == schema.name) {
      Value v = Value::plain(Value::Kind::Object);
      v.object = &instance(schema, nullptr, innermost(scope), at);
      return v.at(at);
    }
    break;
  }
  case Type::Kind::Axis:
    if (name == "rest")
      return Value::plain(Value::Kind::Rest).at(at);
    break;
  case Type::Kind::Name:
    if (resultNamed(name))
      return Value::symbol(name).at(at);
    break;
  default:
    break;
  }
  if (expected->optional && name == "none")
    return Value::missing(Value::Kind::Absent, "", nullptr).at(at);
  return std::nullopt;
}

bool Expressions::isCurrent(const Found& found) const {
  if (frames.empty())
    return false;
  const Frame& top = frames.back();
  return found.kind == Found::Kind::Field
             ? top.identity == found.field && top.object == found.object
             : found.kind == Found::Kind::Let && top.identity == found.let;
}

/// Whether what was found outside could be a value of the type, so that a choice of the same name
/// is ambiguous.
bool Expressions::couldBe(const Found& found, const Type& expected) {
  switch (found.kind) {
  case Found::Kind::Field: { // `norm = layer` beside the family `layer`: a layer is no norm
    const Type& type = typeOf(*found.field);
    return expected.kind == Type::Kind::Schema
               ? type.kind == Type::Kind::Schema && type.schema->isA(*expected.schema)
               : type.kind == expected.kind;
  }
  case Found::Kind::Declared:
    return llvm::isa<ast::ParamDecl>(found.declared.decl) ||
           llvm::isa<ast::LetDecl>(found.declared.decl);
  case Found::Kind::Let:
  case Found::Kind::Value:
    return true;
  case Found::Kind::Object: // blocks and files are never a choice
  case Found::Kind::Import:
  case Found::Kind::Nothing:
  case Found::Kind::Failed:
    break;
  }
  return false;
}

Value Expressions::name(const ast::NameExpr& expr, const Environment& scope, const Type* expected) {
  const std::optional<Value> member = expectedMember(expr.name, expected, expr.range, scope);
  const Found found = lookup(expr.name, scope);
  const bool self = isCurrent(found);
  if (member) {
    if (found && !self && couldBe(found, *expected)) {
      const bool isParam =
          found.kind == Found::Kind::Declared && llvm::isa<ast::ParamDecl>(found.declared.decl);
      const std::string outer =
          found.kind == Found::Kind::Field
              ? fmt::format("write `{}.{}`", found.object->schema->name, expr.name)
          : isParam ? fmt::format("write `param.{}`", expr.name)
                    : "give the other another name";
      const std::string inner =
          fmt::format("{}.{}", expected->schema ? expected->schema->name : "", expr.name);
      shared.diags
          .report<diag::AmbiguousName>(expr.range, expr.name,
                                       fmt::format("a choice of `{}`", expected->text),
                                       describe(found, expr.name))
          .help(fmt::format("write `{}` for the choice, or {}", inner, outer));
      return {};
    }
    return *member;
  }
  if (self)
    return selfReference(expr, found, scope);
  // An output of a study may be one of its own `let`s, which each point works out.
  if (expected && expected->kind == Type::Kind::Name && found.kind == Found::Kind::Let)
    return Value::symbol(shared.keep(expr.name.str())).at(expr.range);
  // A schema is no value: whoever names one mostly meant something near.
  const bool namesSchema =
      found.kind == Found::Kind::Declared && llvm::isa<ast::SchemaDecl>(found.declared.decl);
  if (namesSchema && schemaAlone)
    return {}; // of the block that would be around it
  const bool isSchema = namesSchema && found.declared.module->isLibrary();
  if (found && !isSchema) {
    tellMeaning(found, expr.range, scope.ofModule());
    return valueOf(found, expr.name, expr.range);
  }
  if (resultNamed(expr.name))
    return result(expr.name, expr.range);
  unknownName(expr, scope, expected);
  return {};
}

Value Expressions::selfReference(const ast::NameExpr& expr, const Found& found,
                                 const Environment& scope) {
  auto d = shared.diags.report<diag::SelfReference>(expr.range, expr.name);
  // The name that was meant is one that the field shadows: look again from outside its object.
  const Environment* s = &scope;
  while (s && !(s->kind == Environment::Kind::Object && s->object == found.object))
    s = s->outer;
  if (!s || !s->outer)
    return {};
  const Found outer = lookup(expr.name, *s->outer);
  std::string meant;
  if (outer.kind == Found::Kind::Field && outer.object)
    meant = fmt::format("{}.{}", outer.object->schema->name, expr.name);
  else if (outer.kind == Found::Kind::Declared && llvm::isa<ast::ParamDecl>(outer.declared.decl))
    meant = fmt::format("param.{}", expr.name);
  else if (found.object)
    for (Object* o = found.object->parent; o && meant.empty(); o = o->parent)
      if (o->find(expr.name))
        meant = fmt::format("{}.{}", o->schema->name, expr.name);
  if (!meant.empty())
    std::move(d).help(fmt::format("write `{}` for the outer one", meant)).edit(expr.range, meant);
  return {};
}

/// A name that is nothing, where only a list, a map or a block can stand: what is needed says more.
bool Expressions::notOfStructure(const ast::NameExpr& expr, const Environment& scope,
                                 const Type* expected) {
  if (!expected || frames.empty() || expected->kind == Type::Kind::Error)
    return false;
  const bool structure = expected->kind == Type::Kind::List || expected->kind == Type::Kind::Map ||
                         expected->kind == Type::Kind::Schema || expected->kind == Type::Kind::Bool;
  if (!structure && expr.name != "none" && expr.name != "null")
    return false;
  auto d = shared.diags.report<diag::WrongType>(
      expr.range, frames.back().name, sema::describe(*expected), fmt::format("`{}`", expr.name));
  if (expected->optional)
    std::move(d).help("`none` leaves an optional field out");
  if (expected->kind == Type::Kind::List &&
      expectedMember(expr.name, expected->element, expr.range, scope))
    std::move(d)
        .help(fmt::format("write `[{}]`", expr.name))
        .edit(expr.range, fmt::format("[{}]", expr.name));
  else if (expected->kind == Type::Kind::Schema)
    if (const std::string example = exampleOf(frames.back().name, *expected->schema);
        !example.empty())
      std::move(d).help(fmt::format("write `{}`", example));
  return true;
}

void Expressions::unknownName(const ast::NameExpr& expr, const Environment& scope,
                              const Type* expected) {
  llvm::SmallVector<llvm::StringRef, 0> known;
  if (expected && expected->kind == Type::Kind::Schema && expected->schema->isSum()) {
    for (const Member* m : expected->schema->members)
      known.push_back(m->name);
    const Suggestion near = shared.nearest(expr.name, known, expr.range);
    auto d = shared.diags.report<diag::NotAChoice>(expr.range, expr.name, expected->schema->name)
                 .help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(expr.range, near.edit);
    return;
  }
  if (expr.name == "rest" || expr.name == "auto") {
    shared.diags.report<diag::RestInside>(expr.range, expr.name)
        .help(expr.name == "rest" ? "only an axis of a mesh can be `rest`"
                                  : "only a whole mesh or schedule can be `auto`");
    return;
  }
  for (const Environment* s = &scope; s; s = s->outer) {
    if (s->kind == Environment::Kind::Variable)
      known.push_back(s->variable->name);
    if (s->kind == Environment::Kind::Object) {
      for (const FieldDecl& f : s->object->schema->fields)
        known.push_back(f.name());
      for (const SchemaLet& let : s->object->schema->lets)
        known.push_back(let.let->name.text);
    }
  }
  if (expected && expected->kind == Type::Kind::Name) {
    known = resultNames();
  } else {
    Module& module = scope.ofModule();
    known.append(modules.namesOf(module));
    known.append(modules.aliasesOf(module));
    if (resultsAllowed)
      known.append(resultNames());
  }
  if (expected && expected->kind == Type::Kind::Schema && expected->schema->isA("mesh"))
    known.push_back("auto");
  if (expected && expected->kind == Type::Kind::Axis)
    known.push_back("rest");
  if (expected && expected->kind == Type::Kind::Bool)
    known.append({"true", "false"});
  Suggestion near = shared.nearest(expr.name, known, expr.range);
  if (const std::string own = resultsAllowed ? "" : inItsBlock(expr.name, scope); !own.empty())
    near = {fmt::format("did you mean `{}`?", own), own};
  if ((near.edit.empty() || expr.name == "none" || expr.name == "null") &&
      !shared.library.hasModule(expr.name) && notOfStructure(expr, scope, expected))
    return;
  auto d = shared.diags.report<diag::UnknownName>(expr.range, expr.name).help(near.help);
  if (shared.library.hasModule(expr.name))
    std::move(d).help(fmt::format("add `import std.{}` at the top", expr.name));
  else if (!near.edit.empty())
    std::move(d).edit(expr.range, near.edit);
}

Value Expressions::valueOf(const Found& found, llvm::StringRef name, SourceRange at) {
  switch (found.kind) {
  case Found::Kind::Field:
    return field(*found.object, *found.field, at).at(at);
  case Found::Kind::Let:
    return let(*found.let, *found.scope, found.object, at).at(at);
  case Found::Kind::Value:
    return found.value->at(at);
  case Found::Kind::Object: {
    Value v = Value::plain(Value::Kind::Object);
    v.object = found.object;
    return v.at(at);
  }
  case Found::Kind::Declared:
    return declared(found.declared, name, at).at(at);
  case Found::Kind::Import:
    shared.diags.report<diag::NotAValue>(at, name, "an imported file");
    return {};
  case Found::Kind::Nothing:
  case Found::Kind::Failed:
    break;
  }
  return {};
}

Value Expressions::declared(Declared d, llvm::StringRef name, SourceRange use) {
  if (const auto* param = llvm::dyn_cast<ast::ParamDecl>(d.decl))
    return parameter(*d.module, *param, use);
  if (const auto* let = llvm::dyn_cast<ast::LetDecl>(d.decl))
    return this->let(let->let, d.module->scope, nullptr, use);
  if (llvm::isa<ast::BlockDecl>(d.decl)) {
    Value v = Value::plain(Value::Kind::Object);
    v.object = block(d);
    return v.object ? v : Value{};
  }
  shared.diags.report<diag::NotAValue>(use, name, "a schema");
  return {};
}

Value Expressions::named(Object& object, llvm::StringRef fieldName, SourceRange use) {
  const Found found = lookupInObject(fieldName, object, nullptr);
  return found.kind == Found::Kind::Field || found.kind == Found::Kind::Let
             ? valueOf(found, fieldName, use)
             : Value{};
}
