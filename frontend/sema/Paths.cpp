//===- Paths.cpp - Evaluates paths that name a field ------------------------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "frontend/sema/ResultNames.h"
#include "support/Near.h"
#include "support/diagnostics/Schema.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// The schema of a field, or of its elements as in `layer[0].time`.
const Schema* schemaOf(const Type& type) {
  const Type& of = type.kind == Type::TypeKind::Map ? *type.element : type;
  return of.kind == Type::TypeKind::Schema ? of.schema : nullptr;
}
} // namespace

/// The path of a field that is written without its block: "pod.nodes" for `nodes` in a layout on
/// `pod`, in a study of such a layout, or in a file where only `pod` has the field. Empty if no
/// block has it, or several have it.
std::string ExpressionEvaluator::inItsBlock(llvm::StringRef field, const Environment& scope) {
  SourceModule& module = scope.ofModule();
  const auto has = [&](const Object* object) {
    return object && object->decl && modules.find(module, object->name()) == object->decl &&
           object->schema->field(field, nullptr);
  };
  for (const Environment* s = &scope; s; s = s->outer) {
    if (s->kind != Environment::EnvironmentKind::Object)
      continue;
    llvm::SmallVector<const Object*> around{s->object};
    for (std::size_t i = 0; i < around.size() && i < 8; ++i)
      for (const Object* header : {around[i]->forObject(), around[i]->onObject()}) {
        if (has(header))
          return (header->name() + "." + field).str();
        if (header)
          around.push_back(header);
      }
  }
  llvm::SmallVector<llvm::StringRef> having;
  for (const ast::Decl* decl : module.ast->declarations)
    if (const auto* one = llvm::dyn_cast<ast::BlockDecl>(decl))
      if (const Schema* schema = schemas.find(module, one->blockKind.text);
          schema && schema->field(field, nullptr))
        having.push_back(one->name.text);
  return having.size() == 1 ? (having.front() + "." + field).str() : "";
}

/// Follows the types of a path. The field need not have a value, and its choice need not be the
/// chosen one.
const Type* ExpressionEvaluator::pathType(llvm::ArrayRef<ast::Name> path,
                                          const Environment& scope) {
  auto fail = [&](const ast::Name& at, llvm::ArrayRef<llvm::StringRef> known) -> const Type* {
    std::string written, rest; // the whole path, and the part from this name on
    for (const ast::Name& n : path) {
      written += (written.empty() ? "" : ".") + n.text.str();
      if (&n >= &at)
        rest += (rest.empty() ? "" : ".") + n.text.str();
    }
    Suggestion near = shared.nearest(at.text, known, at.range);
    if (const std::string own = &at == path.begin() ? inItsBlock(at.text, scope) : ""; !own.empty())
      near = {fmt::format("did you mean `{}{}`?", own, written.substr(at.text.size())), own};
    else if (resultNamed(rest))
      near = {"it is a figure, which follows from the fields", ""};
    auto d = shared.diags.report<diag::UnknownPath>(at.range, written).help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(at.range, near.edit);
    return nullptr;
  };
  const FoundName found = lookup(path[0].text, scope);
  Declared declared = found.declared;
  Object* object = found.object;
  std::size_t next = 1;
  if (found.kind == FoundName::FoundKind::Failed)
    return nullptr;
  if (found.kind == FoundName::FoundKind::Import) {
    if (path.size() < 2)
      return fail(path[0], {});
    declared = modules.member(*found.module, path[1].text);
    if (!declared)
      return fail(path[1], modules.namesOf(*found.module));
    next = 2;
  }
  if (declared && llvm::isa<ast::ParamDecl>(declared.decl) && next == path.size())
    return &schemas.resolve(llvm::cast<ast::ParamDecl>(declared.decl)->type, *declared.module);
  if (declared) {
    object = llvm::isa<ast::BlockDecl>(declared.decl) ? block(declared) : nullptr;
    if (!object && llvm::isa<ast::BlockDecl>(declared.decl))
      return nullptr;
  }
  const Type* type = nullptr;
  const Schema* schema = object ? object->schema : nullptr;
  if (found.kind == FoundName::FoundKind::Field) {
    type = &typeOf(*found.field);
    schema = schemaOf(*type);
  } else if (!schema || next == path.size()) {
    llvm::SmallVector<llvm::StringRef, 0> known;
    if (found.kind == FoundName::FoundKind::Nothing) {
      known = modules.namesOf(scope.ofModule());
      known.append(modules.aliasesOf(scope.ofModule()));
    }
    return fail(path[next - 1], known);
  }
  for (; next < path.size(); ++next) {
    if (!schema)
      return fail(path[next], {});
    const FieldDecl* field = schema->field(path[next].text, nullptr);
    for (const ChoiceSchema* m : schema->members)
      if (!field)
        field = schema->field(path[next].text, m);
    if (!field) {
      llvm::SmallVector<llvm::StringRef> known;
      for (const FieldDecl& f : schema->fields)
        known.push_back(f.name());
      for (const ChoiceSchema* m : schema->members)
        for (const FieldDecl& f : m->fields)
          known.push_back(f.name());
      return fail(path[next], known);
    }
    type = &typeOf(*field);
    schema = schemaOf(*type);
  }
  return type;
}

/// The path of an expression that is the value of a field of type `Field`.
Value ExpressionEvaluator::fieldPath(const ast::Expr& expr, const Environment& scope) {
  llvm::SmallVector<ast::Name> path;
  const ast::Expr* e = &expr;
  while (true) {
    if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(e)) {
      path.push_back(member->name);
      e = &member->base;
    } else if (const auto* element = llvm::dyn_cast<ast::IndexExpr>(e)) {
      e = &element->base;
    } else {
      break;
    }
  }
  const auto* root = llvm::dyn_cast<ast::NameExpr>(e);
  if (!root) {
    shared.diags.report<diag::UnknownPath>(expr.range, shared.sources.text(expr.range));
    return {};
  }
  path.push_back({root->name, root->range});
  std::reverse(path.begin(), path.end());
  if (!pathType(path, scope))
    return {};
  return Value::symbol(shared.keep(shared.sources.text(expr.range).str())).at(expr.range);
}
