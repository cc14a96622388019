//===- Families.cpp - Fields with an index ----------------------------------------------------===//
#include "frontend/sema/Evaluator.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <map>
using namespace dpl;
using namespace dpl::sema;

namespace {
std::string indexText(const IndexedField::Selector& s) {
  if (!s.key.empty())
    return fmt::format("\"{}\"", s.key);
  return s.first == s.last ? fmt::to_string(s.first) : fmt::format("{}..<{}", s.first, s.last + 1);
}
} // namespace

Value Evaluator::family(const Type& type, llvm::ArrayRef<Setting> settings, Object* owner,
                        llvm::StringRef name) {
  IndexedField& f = *new (families.Allocate()) IndexedField;
  f.type = &type;
  f.owner = owner;
  f.field = name;
  for (const Setting& s : settings)
    if (!addSelector(f, s))
      return {};
  // In a level, a setting for all elements comes before settings for some.
  for (auto begin = f.selectors.begin(); begin != f.selectors.end();) {
    const auto end = std::find_if(begin, f.selectors.end(), [&](const IndexedField::Selector& s) {
      return !sameLevel(s.setting, begin->setting);
    });
    std::stable_partition(begin, end, [](const IndexedField::Selector& s) { return s.all; });
    begin = end;
  }
  if (overlapsReported(f))
    return {};
  return Value::of(f);
}

bool Evaluator::addSelector(IndexedField& f, const Setting& setting) {
  if (!shared.budget.spend(2, setting.range()))
    return false;
  IndexedField::Selector s;
  s.setting = setting;
  s.range = setting.range();
  const ast::Expr* index =
      setting.depth < setting.stmt->path.size() ? setting.stmt->path[setting.depth].index : nullptr;
  if (!index) {
    if (f.type->element->kind != Type::TypeKind::Schema) {
      const bool isName = setting.depth < setting.stmt->path.size();
      shared.diags.report<diag::WholeFamily>(
          s.range, f.field, f.field,
          isName ? fmt::format("\"{}\"", setting.stmt->path[setting.depth].name.text) : "…");
      return false;
    }
    s.all = true;
    f.selectors.push_back(s);
    return true;
  }
  ++s.setting.depth;
  const Value v = evaluate(*index, *setting.scope, f.type->key);
  if (v.unknown())
    return !v.poison(); // an index without a value does not select anything yet
  auto wrong = [&] {
    shared.diags.report<diag::WrongOperand>(
        index->range, fmt::format("{}[ ]", f.field),
        f.counted() ? "a count or a range of counts" : sema::describe(*f.type->key), describe(v));
    return false;
  };
  if (!f.counted()) {
    const bool isString = f.type->key->kind == Type::TypeKind::String;
    if (isString ? !v.is(Value::ValueKind::String)
                 : !v.is(Value::ValueKind::Choice) || !v.schema->isA(*f.type->key->schema))
      return wrong();
    s.key = isString ? v.text : v.member->name;
  } else {
    const bool isRange = v.is(Value::ValueKind::Range);
    if (!isRange && !v.is(Value::ValueKind::Number))
      return wrong();
    const dpl::Number &first = isRange ? v.list[0].number : v.number,
                      &last = isRange ? v.list[1].number : v.number;
    if (!first.dimension.none() || !first.value.isInteger() || !last.value.isInteger())
      return wrong();
    if (first.value.isNegative()) {
      shared.diags.report<diag::IndexOutside>(index->range, first.value.str(),
                                              fmt::format("`{}`", f.field));
      return false;
    }
    if (Rational::compare(last.value, first.value) < 0) {
      // A range whose ends are computed may be empty. A range of two numbers that is empty is
      // probably an error.
      const auto* const range = llvm::dyn_cast<ast::BinaryExpr>(index);
      if (!range || !llvm::isa<ast::NumberExpr>(range->left) ||
          !llvm::isa<ast::NumberExpr>(range->right))
        return true;
      const bool exclusive = range->op == ast::BinaryOp::RangeExclusive;
      shared.diags.report<diag::EmptyRange>(index->range, shared.sources.text(index->range),
                                            first.str(), exclusive ? "to below" : "to",
                                            shared.sources.text(range->right.range));
      return false;
    }
    const auto end = last.value.asInteger();
    if (!end || *end == INT64_MAX) {
      shared.diags.report<diag::IndexOutside>(index->range, last.value.str(),
                                              fmt::format("`{}`", f.field));
      return false;
    }
    s.first = first.value.asInteger().value_or(0), s.last = *end;
    if (const auto size = sizeOf(f); size && s.last >= static_cast<std::int64_t>(*size)) {
      shared.diags.report<diag::IndexOutside>(
          index->range, indexText(s),
          fmt::format("`{}`, which has {} elements, 0..<{}", f.field, *size, *size));
      return false;
    }
  }
  f.selectors.push_back(s);
  return true;
}

/// Reports two different ranges of one block that overlap, because it is not clear which one
/// applies.
bool Evaluator::overlapsReported(IndexedField& f) {
  std::vector<const IndexedField::Selector*> sorted;
  for (const IndexedField::Selector& s : f.selectors)
    if (!s.all && f.counted())
      sorted.push_back(&s);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    const auto key = [](const IndexedField::Selector& s) {
      return std::make_tuple(s.setting.generation,
                             reinterpret_cast<std::uintptr_t>(s.setting.level));
    };
    if (key(*a) != key(*b))
      return key(*a) < key(*b);
    return a->first < b->first;
  });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const IndexedField::Selector &a = *sorted[i - 1], &b = *sorted[i];
    const bool equal = a.first == b.first && a.last == b.last;
    if (!sameLevel(a.setting, b.setting) || equal || b.first > a.last)
      continue;
    const bool inOrder = a.range.begin <= b.range.begin;
    const IndexedField::Selector &earlier = inOrder ? a : b, &later = inOrder ? b : a;
    shared.diags
        .report<diag::IndexOverlap>(later.range, f.field, indexText(earlier), f.field,
                                    indexText(later))
        .note<diag::AlsoSetHere>(earlier.range);
    return true;
  }
  return false;
}

/// The size of a family. For `layer` it is `layers`; without such a field it is the largest index
/// plus one.
std::optional<std::uint64_t> Evaluator::sizeOf(IndexedField& f) {
  const FieldDecl* size = f.owner ? f.owner->find(f.field.str() + "s") : nullptr;
  if (!size || typeOf(*size).kind != Type::TypeKind::Count)
    return std::nullopt;
  const Value v = field(*f.owner, *size, {});
  const auto n = v.is(Value::ValueKind::Number) ? v.number.value.asInteger() : std::nullopt;
  return n ? std::optional<std::uint64_t>(*n) : std::nullopt;
}

bool Evaluator::hasNoElement(IndexedField& f) {
  return llvm::all_of(f.selectors, [](const IndexedField::Selector& s) { return s.all; }) &&
         !(f.owner && f.owner->find(f.field.str() + "s"));
}

Value Evaluator::elementFrom(IndexedField& f, llvm::ArrayRef<unsigned> selectors) {
  const Type& type = *f.type->element;
  if (!shared.budget.spend(4 + 2 * selectors.size(), f.owner ? f.owner->range : SourceRange()))
    return {};
  llvm::SmallVector<Setting, 4> settings;
  for (unsigned i : selectors)
    settings.push_back(f.selectors[i].setting);
  const bool isObject = type.kind == Type::TypeKind::Schema && !type.schema->isSum();
  return fold(
      type, settings, f.owner, f.field,
      [&]() -> Value {
        if (!isObject)
          return Value::missing(Value::ValueKind::Missing, f.field, f.owner);
        Value v = Value::plain(Value::ValueKind::Object);
        v.object = &instance(*type.schema, nullptr, f.owner, f.owner->range);
        v.object->field = f.field;
        return v;
      },
      nullptr);
}

bool Evaluator::runs(IndexedField& f, std::vector<EvaluatedRun>& out) {
  std::uint64_t size = 0;
  const auto fixed = sizeOf(f);
  std::vector<std::uint64_t> bounds{0};
  for (const IndexedField::Selector& s : f.selectors)
    if (!s.all) {
      const auto end = static_cast<std::uint64_t>(s.last) + 1;
      bounds.push_back(static_cast<std::uint64_t>(s.first));
      bounds.push_back(end);
      size = std::max(size, end);
    }
  if (fixed)
    size = *fixed;
  else if (f.owner && f.owner->find(f.field.str() + "s"))
    return false; // a missing size is reported where the size is needed
  bounds.push_back(size);
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());

  // The boundaries are visited in order. `active` has the selectors of the current segment in the
  // order of levels.
  std::vector<std::pair<std::uint64_t, unsigned>> starts, ends;
  std::vector<unsigned> active;
  for (unsigned i = 0; i < f.selectors.size(); ++i) {
    if (f.selectors[i].all) {
      active.push_back(i);
      continue;
    }
    starts.emplace_back(f.selectors[i].first, i);
    ends.emplace_back(f.selectors[i].last + 1, i);
  }
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  const std::size_t general = active.size();
  std::map<std::vector<unsigned>, Value> made;
  for (const IndexedField::Element& e : f.made)
    made.emplace(std::vector<unsigned>(e.selectors.begin(), e.selectors.end()), e.value);
  std::size_t s = 0, e = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    for (; e < ends.size() && ends[e].first <= bounds[i]; ++e)
      active.erase(std::find(active.begin(), active.end(), ends[e].second));
    for (; s < starts.size() && starts[s].first <= bounds[i]; ++s)
      active.insert(std::lower_bound(active.begin(), active.end(), starts[s].second),
                    starts[s].second);
    if (bounds[i] >= size)
      break;
    if (!fixed && active.size() == general) {
      shared.diags.report<diag::IndexGap>(f.selectors.back().range, f.field, bounds[i], f.field,
                                          bounds[i + 1]);
      return false;
    }
    auto [it, isNew] = made.try_emplace(active);
    if (isNew) {
      it->second = elementFrom(f, active);
      f.made.push_back({llvm::SmallVector<unsigned, 4>(active.begin(), active.end()), it->second});
    }
    if (it->second.poison())
      return false;
    const std::uint64_t count = bounds[i + 1] - bounds[i];
    const Value& v = it->second;
    if (!out.empty() && out.back().value.object && out.back().value.object == v.object)
      out.back().count += count;
    else
      out.push_back({bounds[i], count, v});
  }
  return true;
}

std::vector<Evaluator::EvaluatedEntry> Evaluator::entries(IndexedField& f) {
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<unsigned, 4>> byKey;
  std::vector<EvaluatedEntry> out;
  for (unsigned i = 0; i < f.selectors.size(); ++i)
    if (const IndexedField::Selector& s = f.selectors[i]; !s.all) {
      byKey[s.key].push_back(i);
      if (byKey[s.key].size() == 1)
        out.push_back({s.key, {}, s.range});
    }
  for (unsigned i = 0; i < f.selectors.size(); ++i)
    if (f.selectors[i].all)
      for (auto& [key, selectors] : byKey)
        selectors.insert(llvm::lower_bound(selectors, i), i);
  for (EvaluatedEntry& entry : out) {
    if (f.madeByKey.count(entry.key) == 0)
      f.madeByKey[entry.key] = elementFrom(f, byKey[entry.key]);
    entry.value = f.madeByKey[entry.key];
  }
  return out;
}

Value Evaluator::element(IndexedField& f, const Value& index, SourceRange at) {
  llvm::SmallVector<unsigned, 4> selectors;
  bool specific = false;
  if (f.counted()) {
    const auto i = index.is(Value::ValueKind::Number) && index.number.dimension.none()
                       ? index.number.value.asInteger()
                       : std::nullopt;
    if (!i) {
      shared.diags.report<diag::WrongOperand>(at, fmt::format("{}[ ]", f.field), "a count",
                                              describe(index));
      return {};
    }
    if (const auto size = sizeOf(f); *i < 0 || (size && *i >= static_cast<std::int64_t>(*size))) {
      shared.diags.report<diag::IndexOutside>(
          at, *i, fmt::format("`{}`, which has {} elements", f.field, size.value_or(0)));
      return {};
    } else if (size) {
      specific = true;
    }
  } else if (!index.is(Value::ValueKind::String) && !index.is(Value::ValueKind::Choice)) {
    shared.diags.report<diag::WrongOperand>(at, fmt::format("{}[ ]", f.field),
                                            sema::describe(*f.type->key), describe(index));
    return {};
  }
  if (!shared.budget.spend((f.selectors.size() + f.made.size()) / 8, at))
    return {};
  for (unsigned n = 0; n < f.selectors.size(); ++n) {
    const IndexedField::Selector& s = f.selectors[n];
    if (!IndexedField::matches(s, index))
      continue;
    specific |= !s.all;
    selectors.push_back(n);
  }
  if (!specific) {
    shared.diags.report<diag::IndexOutside>(at, describe(index), fmt::format("`{}`", f.field));
    return {};
  }
  if (!f.counted()) {
    const llvm::StringRef key = keyOf(index);
    if (f.madeByKey.count(key) == 0)
      f.madeByKey[key] = elementFrom(f, selectors);
    return f.madeByKey[key];
  }
  for (const IndexedField::Element& e : f.made)
    if (e.selectors == selectors)
      return e.value;
  const Value v = elementFrom(f, selectors);
  f.made.push_back({selectors, v});
  return v;
}
