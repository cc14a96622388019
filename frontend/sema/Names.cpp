//===- Names.cpp - Evaluates names ------------------------------------------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "frontend/sema/ResultNames.h"
#include "support/Near.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

/// The value that a name has because of the expected type, such as a choice.
std::optional<Value> ExpressionEvaluator::expectedMember(llvm::StringRef name, const Type* expected,
                                                         SourceRange at, const Environment& scope) {
  if (!expected)
    return std::nullopt;
  if (name == "auto" && expected->automatic)
    return Value::plain(Value::ValueKind::Auto).at(at);
  switch (expected->kind) {
  case Type::TypeKind::Schema: {
    const Schema& schema = *expected->schema;
    if (const ChoiceSchema* member = schema.member(name)) {
      shared.names(at, {NameMeaning::NameKind::Choice, member->ast->name.range, member->ast->doc});
      Value v = Value::choice(schema, member);
      if (!member->fields.empty() || !schema.fields.empty())
        v.object = &instance(schema, member, innermost(scope), at);
      return v.at(at);
    }
    if (name == "auto" && schema.takesAuto()) {
      Value v = Value::plain(Value::ValueKind::Auto);
      v.schema = &schema;
      return v.at(at);
    }
    if (!schema.isSum() && name == schema.name) {
      Value v = Value::plain(Value::ValueKind::Object);
      v.object = &instance(schema, nullptr, innermost(scope), at);
      return v.at(at);
    }
    break;
  }
  case Type::TypeKind::Axis:
    if (name == "rest")
      return Value::plain(Value::ValueKind::Rest).at(at);
    break;
  case Type::TypeKind::Name:
    if (resultNamed(name))
      return Value::symbol(name).at(at);
    break;
  default:
    break;
  }
  if (expected->optional && name == "none")
    return Value::missing(Value::ValueKind::Absent, "", nullptr).at(at);
  return std::nullopt;
}

bool ExpressionEvaluator::isCurrent(const FoundName& found) const {
  if (frames.empty())
    return false;
  const Frame& top = frames.back();
  return found.kind == FoundName::FoundKind::Field
             ? top.identity == found.field && top.object == found.object
             : found.kind == FoundName::FoundKind::Let && top.identity == found.let;
}

/// Whether an outer name could have a value of the expected type, so that a choice with this name
/// would be ambiguous.
bool ExpressionEvaluator::couldBe(const FoundName& found, const Type& expected) {
  switch (found.kind) {
  case FoundName::FoundKind::Field: { // in `norm = layer` the family `layer` is not meant
    const Type& type = typeOf(*found.field);
    return expected.kind == Type::TypeKind::Schema
               ? type.kind == Type::TypeKind::Schema && type.schema->isA(*expected.schema)
               : type.kind == expected.kind;
  }
  case FoundName::FoundKind::Declared:
    return llvm::isa<ast::ParamDecl>(found.declared.decl) ||
           llvm::isa<ast::LetDecl>(found.declared.decl);
  case FoundName::FoundKind::Let:
  case FoundName::FoundKind::Value:
    return true;
  case FoundName::FoundKind::Object: // blocks and files are not choices
  case FoundName::FoundKind::Import:
  case FoundName::FoundKind::Nothing:
  case FoundName::FoundKind::Failed:
    break;
  }
  return false;
}

Value ExpressionEvaluator::name(const ast::NameExpr& expr, const Environment& scope,
                                const Type* expected) {
  const std::optional<Value> member = expectedMember(expr.name, expected, expr.range, scope);
  const FoundName found = lookup(expr.name, scope);
  const bool self = isCurrent(found);
  if (member) {
    if (found && !self && couldBe(found, *expected)) {
      const bool isParam = found.kind == FoundName::FoundKind::Declared &&
                           llvm::isa<ast::ParamDecl>(found.declared.decl);
      const std::string outer =
          found.kind == FoundName::FoundKind::Field
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
  // An output of a study may be one of its `let`s. The `let` is evaluated at each point, so only
  // its name is used here.
  if (expected && expected->kind == Type::TypeKind::Name && found.kind == FoundName::FoundKind::Let)
    return Value::symbol(shared.keep(expr.name.str())).at(expr.range);
  // A schema is not a value; a similar name was probably meant.
  const bool namesSchema = found.kind == FoundName::FoundKind::Declared &&
                           llvm::isa<ast::SchemaDecl>(found.declared.decl);
  if (namesSchema && schemaAlone)
    return {}; // the block that has this schema may have the name
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

Value ExpressionEvaluator::selfReference(const ast::NameExpr& expr, const FoundName& found,
                                         const Environment& scope) {
  auto d = shared.diags.report<diag::SelfReference>(expr.range, expr.name);
  // The field may hide the name that was meant, so the name is looked up again outside of the
  // object.
  const Environment* s = &scope;
  while (s && !(s->kind == Environment::EnvironmentKind::Object && s->object == found.object))
    s = s->outer;
  if (!s || !s->outer)
    return {};
  const FoundName outer = lookup(expr.name, *s->outer);
  std::string meant;
  if (outer.kind == FoundName::FoundKind::Field && outer.object)
    meant = fmt::format("{}.{}", outer.object->schema->name, expr.name);
  else if (outer.kind == FoundName::FoundKind::Declared &&
           llvm::isa<ast::ParamDecl>(outer.declared.decl))
    meant = fmt::format("param.{}", expr.name);
  else if (found.object)
    for (Object* o = found.object->parent; o && meant.empty(); o = o->parent)
      if (o->find(expr.name))
        meant = fmt::format("{}.{}", o->schema->name, expr.name);
  if (!meant.empty())
    std::move(d).help(fmt::format("write `{}` for the outer one", meant)).edit(expr.range, meant);
  return {};
}

/// Reports a name without a meaning where a list, map or block is required, and says what is
/// needed.
bool ExpressionEvaluator::notOfStructure(const ast::NameExpr& expr, const Environment& scope,
                                         const Type* expected) {
  if (!expected || frames.empty() || expected->kind == Type::TypeKind::Error)
    return false;
  const bool structure =
      expected->kind == Type::TypeKind::List || expected->kind == Type::TypeKind::Map ||
      expected->kind == Type::TypeKind::Schema || expected->kind == Type::TypeKind::Bool;
  if (!structure && expr.name != "none" && expr.name != "null")
    return false;
  auto d = shared.diags.report<diag::WrongType>(
      expr.range, frames.back().name, sema::describe(*expected), fmt::format("`{}`", expr.name));
  if (expected->optional)
    std::move(d).help("`none` leaves an optional field out");
  if (expected->kind == Type::TypeKind::List &&
      expectedMember(expr.name, expected->element, expr.range, scope))
    std::move(d)
        .help(fmt::format("write `[{}]`", expr.name))
        .edit(expr.range, fmt::format("[{}]", expr.name));
  else if (expected->kind == Type::TypeKind::Schema)
    if (const std::string example = exampleOf(frames.back().name, *expected->schema);
        !example.empty())
      std::move(d).help(fmt::format("write `{}`", example));
  return true;
}

void ExpressionEvaluator::unknownName(const ast::NameExpr& expr, const Environment& scope,
                                      const Type* expected) {
  llvm::SmallVector<llvm::StringRef, 0> known;
  if (expected && expected->kind == Type::TypeKind::Schema && expected->schema->isSum()) {
    for (const ChoiceSchema* m : expected->schema->members)
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
    if (s->kind == Environment::EnvironmentKind::Variable)
      known.push_back(s->variable->name);
    if (s->kind == Environment::EnvironmentKind::Object) {
      for (const FieldDecl& f : s->object->schema->fields)
        known.push_back(f.name());
      for (const SchemaLet& let : s->object->schema->lets)
        known.push_back(let.let->name.text);
    }
  }
  if (expected && expected->kind == Type::TypeKind::Name) {
    known = resultNames();
  } else {
    SourceModule& module = scope.ofModule();
    known.append(modules.namesOf(module));
    known.append(modules.aliasesOf(module));
    if (resultsAllowed)
      known.append(resultNames());
  }
  if (expected && expected->kind == Type::TypeKind::Schema && expected->schema->isA("mesh"))
    known.push_back("auto");
  if (expected && expected->kind == Type::TypeKind::Axis)
    known.push_back("rest");
  if (expected && expected->kind == Type::TypeKind::Bool)
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

void ExpressionEvaluator::recordRead(const Object& object, llvm::StringRef name) const {
  // The fields that a `require` reads directly are not recorded. Fields on which those depend are
  // evaluated with `resultsAllowed` unset, so they are.
  if (!shared.reads || (inSearchStatement && resultsAllowed))
    return;
  std::string path = name.str();
  const Object* root = &object;
  for (; root->parent; root = root->parent)
    path = root->field.str() + "." + path;
  if (root->schema->isA("layout"))
    shared.reads->insert(std::move(path));
}

Value ExpressionEvaluator::valueOf(const FoundName& found, llvm::StringRef name, SourceRange at) {
  switch (found.kind) {
  case FoundName::FoundKind::Field:
    recordRead(*found.object, name);
    return field(*found.object, *found.field, at).at(at);
  case FoundName::FoundKind::Let:
    return let(*found.let, *found.scope, found.object, at).at(at);
  case FoundName::FoundKind::Value:
    return found.value->at(at);
  case FoundName::FoundKind::Object: {
    Value v = Value::plain(Value::ValueKind::Object);
    v.object = found.object;
    return v.at(at);
  }
  case FoundName::FoundKind::Declared:
    return declared(found.declared, name, at).at(at);
  case FoundName::FoundKind::Import:
    shared.diags.report<diag::NotAValue>(at, name, "an imported file");
    return {};
  case FoundName::FoundKind::Nothing:
  case FoundName::FoundKind::Failed:
    break;
  }
  return {};
}

Value ExpressionEvaluator::declared(Declared d, llvm::StringRef name, SourceRange use) {
  if (const auto* param = llvm::dyn_cast<ast::ParamDecl>(d.decl))
    return parameter(*d.module, *param, use);
  if (const auto* let = llvm::dyn_cast<ast::LetDecl>(d.decl))
    return this->let(let->let, d.module->scope, nullptr, use);
  if (llvm::isa<ast::BlockDecl>(d.decl)) {
    Value v = Value::plain(Value::ValueKind::Object);
    v.object = block(d);
    return v.object ? v : Value{};
  }
  shared.diags.report<diag::NotAValue>(use, name, "a schema");
  return {};
}

Value ExpressionEvaluator::named(Object& object, llvm::StringRef fieldName, SourceRange use) {
  const FoundName found = lookupInObject(fieldName, object, nullptr);
  return found.kind == FoundName::FoundKind::Field || found.kind == FoundName::FoundKind::Let
             ? valueOf(found, fieldName, use)
             : Value{};
}
