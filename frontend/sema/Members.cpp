//===- Members.cpp - Evaluates `a.b` and `a[i]` -----------------------------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "frontend/sema/ResultNames.h"
#include "support/Near.h"
#include "support/diagnostics/Assertions.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
const ast::NameExpr* rootOf(const ast::Expr& expr) {
  if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(&expr))
    return rootOf(member->base);
  if (const auto* index = llvm::dyn_cast<ast::IndexExpr>(&expr))
    return rootOf(index->base);
  return llvm::dyn_cast<ast::NameExpr>(&expr);
}
/// Whether a choice other than this one has a field with this name.
bool isOfOther(const Value& choice, llvm::StringRef name) {
  for (const ChoiceSchema* m : choice.schema->members)
    if (choice.schema->field(name, m))
      return true;
  return false;
}
} // namespace

/// The path of a figure, such as "communication[data].gradients.all_reduce.time"; empty for other
/// expressions. An index may be a number, a name, a string or a variable.
std::string ExpressionEvaluator::resultPath(const ast::Expr& expr, const Environment& scope) {
  if (const auto* name = llvm::dyn_cast<ast::NameExpr>(&expr))
    return name->name.str();
  if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    const std::string base = resultPath(member->base, scope);
    return base.empty() ? base : base + "." + member->name.text.str();
  }
  const auto* index = llvm::dyn_cast<ast::IndexExpr>(&expr);
  const std::string base = index ? resultPath(index->base, scope) : "";
  if (base.empty())
    return {};
  if (const auto* text = llvm::dyn_cast<ast::StringExpr>(&index->index))
    return fmt::format("{}[{}]", base, text->value);
  if (const auto* name = llvm::dyn_cast<ast::NameExpr>(&index->index))
    if (const FoundName found = lookup(name->name, scope);
        found.kind == FoundName::FoundKind::Value)
      return fmt::format("{}[{}]", base,
                         found.value->is(Value::ValueKind::String) ? found.value->text.str()
                                                                   : describe(*found.value));
  std::string written = shared.sources.text(index->index.range).str();
  llvm::erase_if(written, [](char c) { return c == ' '; });
  return fmt::format("{}[{}]", base, written);
}

/// Whether a path with this first name may be a figure, because nothing in the file has the name.
/// Schemas do not count, so that `device.peak` is a figure.
bool ExpressionEvaluator::isFree(const FoundName& found) {
  return !found ||
         (found.kind == FoundName::FoundKind::Declared &&
          llvm::isa<ast::SchemaDecl>(found.declared.decl) && found.declared.module->isLibrary());
}

/// Evaluates a path whose first name is not a value: `param.x`, `clusters.dgx`, `recompute.none`.
std::optional<Value> ExpressionEvaluator::qualified(const ast::MemberExpr& expr,
                                                    const Environment& scope) {
  const auto* base = llvm::dyn_cast<ast::NameExpr>(&expr.base);
  if (!base)
    return std::nullopt;
  SourceModule& module = scope.ofModule();
  if (base->name == "param") {
    const ast::Decl* decl = modules.find(module, expr.name.text);
    if (decl && llvm::isa<ast::ParamDecl>(decl)) {
      shared.names(expr.name.range, meaningOf(*decl));
      return parameter(module, *llvm::cast<ast::ParamDecl>(decl), expr.range).at(expr.range);
    }
    if (module.isPoisoned(expr.name.text))
      return Value{};
    llvm::SmallVector<llvm::StringRef, 0> known;
    if (module.ast)
      for (const ast::Decl* d : module.ast->declarations)
        if (const auto* p = llvm::dyn_cast<ast::ParamDecl>(d))
          known.push_back(p->name.text);
    shared.diags.report<diag::NoSuchMember>(expr.name.range, "`param`", expr.name.text)
        .help(shared.nearest(expr.name.text, known, expr.name.range).help);
    return Value{};
  }
  if (const Schema* schema = schemas.find(module, base->name);
      schema && schema->member(expr.name.text)) {
    Type type;
    type.kind = Type::TypeKind::Schema, type.schema = schema;
    return expectedMember(expr.name.text, &type, expr.range, scope);
  }
  const FoundName found = lookup(base->name, scope);
  if (found.kind == FoundName::FoundKind::Failed)
    return Value{};
  tellMeaning(found, base->range, module);
  if (found.kind == FoundName::FoundKind::Import)
    return memberOfModule(*found.module, expr.name, base->name).at(expr.range);
  return std::nullopt;
}

Value ExpressionEvaluator::memberOfModule(SourceModule& module, const ast::Name& name,
                                          llvm::StringRef alias) {
  if (const Declared found = modules.member(module, name.text)) {
    shared.names(name.range, meaningOf(*found.decl));
    return declared(found, name.text, name.range);
  }
  if (!module.failed()) {
    const Suggestion near = shared.nearest(name.text, modules.namesOf(module), name.range);
    auto d =
        shared.diags.report<diag::NoSuchMember>(name.range, fmt::format("`{}`", alias), name.text)
            .help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(name.range, near.edit);
  }
  return {};
}

Value ExpressionEvaluator::member(const ast::MemberExpr& expr, const Environment& scope,
                                  const Type* expected) {
  if (expected && expected->kind == Type::TypeKind::Name)
    if (const std::string path = resultPath(expr, scope); resultNamed(path))
      return Value::symbol(shared.keep(path)).at(expr.range);
  if (auto v = qualified(expr, scope))
    return *v;
  const ast::NameExpr* root = rootOf(expr);
  if (root && root->name != "param" && isResultRoot(root->name)) {
    const std::string path = resultPath(expr, scope);
    const FoundName found = lookup(root->name, scope);
    const bool free = isFree(found);
    // `model.parameters` is a figure although `model` is a block, because no field has that name.
    const bool shadowed = found.kind == FoundName::FoundKind::Object && !path.empty() &&
                          !found.object->find(expr.name.text);
    if (free || shadowed) {
      if (resultNamed(path))
        return result(path, expr.range);
      // A figure does not have members.
      if (free || resultNamed(resultPath(expr.base, scope))) {
        // Only the longest path is reported. A part, such as `memory` in `memory.peek`, has no
        // value.
        const Suggestion near = suggest(path, resultNames());
        auto d = shared.diags.report<diag::UnknownResult>(expr.range, path).help(near.help);
        if (!near.edit.empty())
          std::move(d).edit(expr.range, near.edit);
        return {};
      }
    }
  }
  return memberOf(evaluate(expr.base, scope, nullptr), expr.name, expr.base);
}

Value ExpressionEvaluator::memberOf(const Value& base, const ast::Name& name,
                                    const ast::Expr& baseExpr) {
  const SourceRange at{baseExpr.range.file, baseExpr.range.begin, name.range.end};
  if (base.unknown())
    return base;
  if (base.is(Value::ValueKind::Auto) && base.schema && base.schema->isA("mesh"))
    return result(shared.keep("mesh." + name.text.str()), at);
  if (Object* object = base.object; object && !base.is(Value::ValueKind::Missing)) {
    const FoundName found = lookupInObject(name.text, *object, nullptr);
    if (found.kind == FoundName::FoundKind::Field || found.kind == FoundName::FoundKind::Let) {
      tellMeaning(found, name.range, *object->schema->module);
      const Value v = valueOf(found, name.text, at);
      if (!v.is(Value::ValueKind::Rest))
        return v.at(at);
      // A compiler pass computes this value from the other axes, so it is a figure here.
      const bool nested = object->field == "experts";
      return result(shared.keep((nested ? "mesh.experts." : "mesh.") + name.text.str()), at);
    }
    llvm::SmallVector<llvm::StringRef, 0> known;
    object->eachField([&](const FieldDecl& f) { known.push_back(f.name()); });
    for (const SchemaLet& let : object->schema->lets)
      known.push_back(let.let->name.text);
    if (schemaAlone && base.is(Value::ValueKind::Choice) && isOfOther(base, name.text))
      return {};
    const Suggestion near = shared.nearest(name.text, known, name.range);
    auto d = shared.diags.report<diag::NoSuchMember>(name.range, describe(*object), name.text)
                 .help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(name.range, near.edit);
    return {};
  }
  if (schemaAlone && base.is(Value::ValueKind::Choice) && isOfOther(base, name.text))
    return {}; // another block may have another choice, which has the field
  auto d = shared.diags.report<diag::NoSuchMember>(name.range, describe(base), name.text);
  if (base.is(Value::ValueKind::Family))
    std::move(d).help(fmt::format("name one of its elements: `{}[…].{}`",
                                  shared.sources.text(baseExpr.range), name.text));
  else if (base.is(Value::ValueKind::Choice) && !base.schema->members.empty())
    for (const ChoiceSchema* m : base.schema->members)
      if (base.schema->field(name.text, m))
        std::move(d).help(fmt::format("`{}` is a field of the choice `{}`", name.text, m->name));
  return {};
}

Value ExpressionEvaluator::index(const ast::IndexExpr& expr, const Environment& scope,
                                 const Type* expected) {
  if (expected && expected->kind == Type::TypeKind::Name)
    if (const std::string path = resultPath(expr, scope); resultNamed(path))
      return Value::symbol(shared.keep(path)).at(expr.range);
  if (const ast::NameExpr* root = rootOf(expr);
      root && isResultRoot(root->name) && isFree(lookup(root->name, scope))) {
    const std::string path = resultPath(expr, scope);
    if (resultNamed(path))
      return result(path, expr.range);
    if (llvm::StringRef(resultPath(expr.base, scope)).endswith(".above")) {
      shared.diags.report<diag::UnknownResult>(expr.range, path)
          .help("the share above a limit is written with a value of the figure's unit, as in "
                "`step_time.above[100ms]`");
      return {};
    }
  }
  const Value base = evaluate(expr.base, scope, nullptr);
  if (base.unknown())
    return base;
  const Type* key = base.is(Value::ValueKind::Family) ? base.family->type->key : nullptr;
  const Value at = evaluate(expr.index, scope, key);
  if (at.unknown())
    return at;
  if (base.is(Value::ValueKind::Family))
    return element(*base.family, at, expr.index.range).at(expr.range);
  if (!base.is(Value::ValueKind::List) && !base.is(Value::ValueKind::Range)) {
    shared.diags.report<diag::NotIndexable>(expr.base.range, describe(base));
    return {};
  }
  std::vector<Value> all;
  if (!items(base, expr.base.range, all))
    return {};
  const auto i = at.is(Value::ValueKind::Number) && at.number.dimension.none()
                     ? at.number.value.asInteger()
                     : std::nullopt;
  if (!i) {
    shared.diags.report<diag::WrongOperand>(expr.index.range, "[ ]", "a count", describe(at));
    return {};
  }
  if (*i < 0 || static_cast<std::size_t>(*i) >= all.size()) {
    shared.diags.report<diag::IndexOutside>(expr.index.range, *i,
                                            fmt::format("0..<{}", all.size()));
    return {};
  }
  return all[*i].at(expr.range);
}

/// The name of a figure or of a `let`, or the path of a field. If a block has the name of a figure,
/// the block is meant.
Value ExpressionEvaluator::column(const ast::Expr& expr, const Environment& scope) {
  const ast::NameExpr* root = rootOf(expr);
  const FoundName found = root ? lookup(root->name, scope) : FoundName{};
  const std::string path = root ? resultPath(expr, scope) : "";
  const bool isLet = root == &expr && found.kind == FoundName::FoundKind::Let;
  if (isLet || (root && isFree(found) && resultNamed(path)))
    return Value::symbol(shared.keep(path)).at(expr.range);
  return fieldPath(expr, scope);
}
