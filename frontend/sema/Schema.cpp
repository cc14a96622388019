//===- Schema.cpp - Schemas: kinds of blocks with their fields and types ----------------------===//
#include "frontend/sema/Schema.h"
#include "frontend/sema/Object.h"
#include "support/Diagnostics.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::sema;

bool Schema::isA(llvm::StringRef schemaName) const {
  for (const Schema* s = this; s; s = s->base)
    if (s->name == schemaName)
      return true;
  return false;
}

bool Schema::isA(const Schema& other) const {
  for (const Schema* s = this; s; s = s->base)
    if (s == &other)
      return true;
  return false;
}

const ChoiceSchema* Schema::member(llvm::StringRef memberName) const {
  for (const ChoiceSchema* m : members)
    if (m->name == memberName)
      return m;
  return nullptr;
}

const FieldDecl* Schema::field(llvm::StringRef fieldName, const ChoiceSchema* of) const {
  if (of)
    for (const FieldDecl& f : of->fields)
      if (f.name() == fieldName)
        return &f;
  constexpr std::size_t few = 8;
  if (fields.size() <= few) {
    const auto* found =
        llvm::find_if(fields, [&](const FieldDecl& f) { return f.name() == fieldName; });
    return found == fields.end() ? nullptr : found;
  }
  for (; indexed < fields.size(); ++indexed)
    positions.try_emplace(fields[indexed].name(), indexed);
  const auto found = positions.find(fieldName);
  return found == positions.end() ? nullptr : &fields[found->second];
}

llvm::SmallVector<llvm::StringRef, 2> Schema::forKinds() const {
  llvm::SmallVector<llvm::StringRef, 2> kinds;
  for (const Schema* s = this; s && kinds.empty(); s = s->base)
    for (const ast::Name& kind : s->ast->forKinds)
      kinds.push_back(kind.text);
  return kinds;
}

llvm::StringRef Schema::onKind() const {
  for (const Schema* s = this; s; s = s->base)
    if (!s->ast->onKind.text.empty())
      return s->ast->onKind.text;
  return {};
}

namespace {
/// The type of list elements in the words of messages: "counts", "choices of `module`".
std::string several(const Type& type) {
  switch (type.kind) {
  case Type::TypeKind::Count:
    return "counts";
  case Type::TypeKind::Real:
    return "plain numbers";
  case Type::TypeKind::String:
    return "strings";
  case Type::TypeKind::Name:
    return "names of figures";
  case Type::TypeKind::Field:
    return "paths of fields";
  case Type::TypeKind::Schema:
    return fmt::format("{} `{}`", type.schema->isSum() ? "choices of" : "blocks of kind",
                       type.schema->name);
  default:
    return describe(type);
  }
}
} // namespace

std::string sema::describe(const Type& type) {
  const std::string scope =
      type.scope == dpl::Scope::None ? "" : fmt::format(" per {}", dpl::name(type.scope));
  switch (type.kind) {
  case Type::TypeKind::Error:
    return "a value";
  case Type::TypeKind::Bool:
    return "`true` or `false`";
  case Type::TypeKind::Count:
    return "a count" + scope;
  case Type::TypeKind::Real:
    return "a plain number" + scope;
  case Type::TypeKind::String:
    return "a string";
  case Type::TypeKind::Name:
    return "the name of a figure";
  case Type::TypeKind::Field:
    return "the path of a field";
  case Type::TypeKind::Column:
    return "the name of a result or the path of a field";
  case Type::TypeKind::Axis:
    return "a count or `rest`";
  case Type::TypeKind::Batch:
    return "a number of tokens, sequences or samples";
  case Type::TypeKind::MicroBatch:
    return "a number of sequences or samples";
  case Type::TypeKind::Quantity:
    return dpl::describe(type.dimension) + scope + (type.automatic ? " or `auto`" : "");
  case Type::TypeKind::Schema:
    if (type.schema->isSum())
      return withArticle(type.schema->name);
    if (type.schema->isA("mesh"))
      return "a block of axes or `auto`";
    if (const llvm::StringRef first = firstField(*type.schema); !first.empty())
      return fmt::format("a block `{{ {} … }}`", first);
    return "a block";
  case Type::TypeKind::List:
    return "a list of " + several(*type.element);
  case Type::TypeKind::Map:
    return "a map";
  case Type::TypeKind::Vary:
    return "paths with candidates";
  }
  return "";
}

std::string sema::withArticle(llvm::StringRef kind) {
  const bool vowel = !kind.empty() && llvm::StringRef("aeiou").contains(kind.front());
  return fmt::format("{} `{}`", vowel ? "an" : "a", kind);
}

std::string sema::withArticles(llvm::ArrayRef<llvm::StringRef> kinds) {
  std::string text;
  for (llvm::StringRef kind : kinds)
    text += (text.empty() ? "" : " or ") + withArticle(kind);
  return text;
}

llvm::StringRef sema::firstField(const Schema& schema) {
  for (const FieldDecl& f : schema.fields)
    if (!f.ast->value && !f.ast->block && !f.ast->type.optional &&
        f.ast->type.form != ast::TypeExpr::TypeForm::Map)
      return f.name();
  return schema.fields.empty() ? llvm::StringRef() : schema.fields.front().name();
}

std::string sema::exampleOf(llvm::StringRef field, const Schema& schema) {
  if (schema.isSum()) {
    for (const ChoiceSchema* m : schema.members)
      if (!m->fields.empty())
        return fmt::format("{} = {} {{ {} = … }}", field, m->name, m->fields.front().name());
    return fmt::format("{} = {}", field, schema.members.front()->name);
  }
  if (schema.isA("mesh"))
    return fmt::format("{} {{ data = rest }}", field);
  const llvm::StringRef first = firstField(schema);
  return first.empty() ? "" : fmt::format("{} {{ {} = … }}", field, first);
}

unsigned Object::nextGeneration() const {
  unsigned next = 0;
  for (const Setting& s : levels)
    next = std::max(next, s.generation + 1);
  return next;
}

const Value Object::ObjectSlot::busy;

Object::ObjectSlot& Object::slot(const FieldDecl& f) {
  if (!slots)
    slots = std::make_unique<ObjectSlot[]>(schema->fields.size() +
                                           (member ? member->fields.size() : 0));
  return slots[f.index + (f.ofMember ? schema->fields.size() : 0)];
}
