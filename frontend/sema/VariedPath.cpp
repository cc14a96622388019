//===- VariedPath.cpp - Relations between the paths that a study varies -----------------------===//
#include "frontend/sema/VariedPath.h"
using namespace dpl;
using namespace dpl::sema;

std::optional<VariedPath::VariedStep> VariedPath::elements(Evaluator& evaluator,
                                                           const ast::Expr& index, const Type& key,
                                                           const Environment& scope) {
  const Value value = evaluator.evaluate(index, scope, &key);
  VariedStep out;
  out.name = keyOf(value);
  if (!out.name.empty())
    return out;
  const bool range = value.is(Value::ValueKind::Range);
  if (!range && !value.is(Value::ValueKind::Number))
    return std::nullopt;
  const std::optional<std::int64_t> first =
      (range ? value.list[0] : value).number.value.asInteger();
  const std::optional<std::int64_t> last = (range ? value.list[1] : value).number.value.asInteger();
  if (!first || !last || *last < *first)
    return std::nullopt;
  out.first = *first, out.last = *last;
  return out;
}

std::optional<VariedPath> VariedPath::of(Evaluator& evaluator, llvm::ArrayRef<ast::PathStep> path,
                                         const Environment& scope) {
  // The first name of a path is a block, not a field.
  const FoundName root = evaluator.lookup(path.front().name.text, scope);
  const std::size_t before = root.kind == FoundName::FoundKind::Import  ? 2
                             : root.kind == FoundName::FoundKind::Field ? 0
                                                                        : 1;
  VariedPath out;
  llvm::SmallVector<ast::Name> names;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i].index)
      return std::nullopt; // the value is not a family
    names.push_back(path[i].name);
    VariedStep name;
    name.name = path[i].name.text;
    out.steps.push_back(name);
    const Type* type = names.size() > before ? evaluator.pathType(names, scope) : nullptr;
    if (!type || type->kind != Type::TypeKind::Map || i + 1 == path.size())
      continue;
    VariedStep all;
    all.all = true;
    const ast::Expr* index = path[i + 1].index;
    const std::optional<VariedStep> step =
        index ? elements(evaluator, *index, *type->key, scope) : all;
    if (!step)
      return std::nullopt;
    out.steps.push_back(*step);
    i += index ? 1 : 0;
  }
  return out;
}

VariedPath::Relation VariedPath::to(const VariedPath& other) const {
  bool part = steps.size() >= other.steps.size(), whole = steps.size() <= other.steps.size();
  for (std::size_t i = 0; i < std::min(steps.size(), other.steps.size()); ++i) {
    if (!steps[i].meets(other.steps[i]))
      return Relation::Apart;
    part &= steps[i].isIn(other.steps[i]);
    whole &= other.steps[i].isIn(steps[i]);
  }
  return part && whole ? Relation::Same
         : part        ? Relation::Part
         : whole       ? Relation::Whole
                       : Relation::Overlap;
}
