//===- Conversions.cpp - Converts values to types ---------------------------------------------===//
#include "frontend/sema/Conversions.h"
#include "support/Near.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::sema;

Value Conversions::wrongType(const Value& value, const Type& type, llvm::StringRef what,
                             SourceRange at) {
  std::string needed = sema::describe(type);
  auto d = shared.diags.report<diag::WrongType>(at, what, needed, describe(value));
  // If a number lacks its unit, the message shows the unit.
  if (type.kind == Type::TypeKind::Quantity && value.is(Value::ValueKind::Number) &&
      value.number.dimension.none())
    for (const auto& [name, unit] :
         {std::pair("Bytes", "GiB"), std::pair("Duration", "us"), std::pair("Bandwidth", "Gbps"),
          std::pair("FlopRate", "TFLOPS"), std::pair("Tokens", "tok"),
          std::pair("Sequences", "seq"), std::pair("Steps", "step"), std::pair("Power", "W"),
          std::pair("Money", "usd"), std::pair("PriceRate", "usd/h")})
      if (*dimensionNamed(name) == type.dimension)
        std::move(d).help(fmt::format("write the unit directly after the number, as in `{}{}{}`",
                                      shared.sources.text(value.range), unit,
                                      type.scope == dpl::Scope::None
                                          ? std::string()
                                          : fmt::format(" per {}", dpl::name(type.scope))));
  if (type.kind == Type::TypeKind::Batch && value.is(Value::ValueKind::Number) &&
      value.number.dimension.none() && value.number.value.isInteger()) {
    const std::string written = shared.sources.text(value.range).str();
    std::move(d)
        .help(fmt::format("write `{0}seq` for {0} sequences of the model's context, `{0}tok` for "
                          "tokens, `{0}sample` for a model of a list of layers",
                          written))
        .edit(at, written + "seq");
  }
  if (value.is(Value::ValueKind::Absent) && !value.text.empty())
    std::move(d).help(
        fmt::format("write `if {0} == none then … else {0}` for the case that it is not set",
                    shared.sources.text(value.range)));
  const bool sum = type.kind == Type::TypeKind::Schema && type.schema->isSum();
  if (type.kind == Type::TypeKind::Schema && !sum)
    if (const std::string example = exampleOf(what, *type.schema); !example.empty())
      std::move(d).help(fmt::format("write `{}`", example));
  if (sum) {
    llvm::SmallVector<llvm::StringRef> names;
    for (const ChoiceSchema* m : type.schema->members)
      names.push_back(m->name);
    const Suggestion near =
        suggest(value.is(Value::ValueKind::String) ? value.text : llvm::StringRef(), names);
    std::move(d).help(near.help);
    if (value.is(Value::ValueKind::String) && type.schema->member(value.text))
      std::move(d).help("write it without quotes").edit(at, value.text.str());
  }
  return {};
}

Value Conversions::convertNumber(const Value& value, const Type& type, llvm::StringRef what,
                                 SourceRange at) {
  const dpl::Number& n = value.number;
  const llvm::StringRef written = shared.sources.text(value.range);
  Dimension wanted = type.dimension; // dimension of the type; none for counts and plain numbers
  if (type.kind == Type::TypeKind::Batch || type.kind == Type::TypeKind::MicroBatch) {
    const bool fits = n.dimension == *dimensionNamed("Sequences") ||
                      n.dimension == *dimensionNamed("Samples") ||
                      (type.kind == Type::TypeKind::Batch ? n.dimension == *dimensionNamed("Tokens")
                                                          : n.dimension.none());
    if (!fits)
      return wrongType(value, type, what, at);
    wanted = n.dimension;
  }
  if (n.dimension != wanted) {
    // `70B` means bytes, but a count of 70e9 was probably meant.
    if (wanted.none() && n.dimension == *dimensionNamed("Bytes") && n.unit &&
        llvm::StringRef(n.unit->text) == "B" && written.endswith("B")) {
      const std::string meant = written.drop_back().str() + "e9";
      shared.diags.report<diag::BytesForCount>(at, what, sema::describe(type), n.value.str())
          .help(fmt::format("`B` is the unit byte; write `{}` for {} billion", meant,
                            written.drop_back()))
          .edit(value.range, meant);
      return {};
    }
    return wrongType(value, type, what, at);
  }
  if (n.scope != type.scope) {
    const bool missing = n.scope == dpl::Scope::None;
    auto d = shared.diags.report<diag::ScopeNotGiven>(
        at, what, sema::describe(type),
        missing ? fmt::format("{} without a scope", n.str()) : n.str());
    if (missing)
      std::move(d).help(fmt::format("write the scope that it belongs to, such as `{} per {}`",
                                    written, dpl::name(type.scope)));
    else if (type.scope == dpl::Scope::None)
      std::move(d).help(fmt::format("leave out `per {}`", dpl::name(n.scope)));
    return {};
  }
  const bool counted = type.kind == Type::TypeKind::Count || type.kind == Type::TypeKind::Axis ||
                       type.kind == Type::TypeKind::Batch ||
                       type.kind == Type::TypeKind::MicroBatch;
  if ((counted || type.countsWhole()) && !n.value.isInteger()) {
    shared.diags.report<diag::NotWholeNumber>(at, fmt::format("`{}`", what), n.str());
    return {};
  }
  const bool positive = type.kind == Type::TypeKind::Axis || type.kind == Type::TypeKind::Batch ||
                        type.kind == Type::TypeKind::MicroBatch;
  if ((n.value.isNegative() && type.kind != Type::TypeKind::Real) ||
      (positive && n.value.isZero())) {
    shared.diags.report<diag::OutsideRange>(at, what, positive ? "at least 1" : "at least 0",
                                            n.str());
    return {};
  }
  if (counted && !n.value.asInteger()) {
    shared.diags.report<diag::NumberTooLarge>(at, written);
    return {};
  }
  return value;
}

const FieldDecl* Conversions::heldList(const Type& type) {
  if (type.kind != Type::TypeKind::Schema || !type.schema->isSum())
    return nullptr;
  const FieldDecl* held = nullptr;
  for (const ChoiceSchema* m : type.schema->members)
    if (m->fields.size() == 1 && typeOf(m->fields[0]).kind == Type::TypeKind::List) {
      if (held)
        return nullptr;
      held = &m->fields[0];
    }
  return held;
}

Value Conversions::convertToSchema(const Value& value, const Type& type, llvm::StringRef what,
                                   SourceRange at, Object* owner) {
  const Schema& schema = *type.schema;
  if (value.is(Value::ValueKind::Choice) && schema.isSum() && value.schema->isA(schema))
    return value;
  if (value.is(Value::ValueKind::Object) && !schema.isSum() && value.object->schema->isA(schema))
    return value;
  if (value.is(Value::ValueKind::Auto) && schema.takesAuto())
    return value;
  // A list stands for the only choice that has a list: `split = [20, 20, 21, 19]`.
  if (value.is(Value::ValueKind::List) || value.is(Value::ValueKind::Range))
    if (const FieldDecl* held = heldList(type)) {
      const ChoiceSchema* holder = nullptr;
      for (const ChoiceSchema* m : schema.members)
        holder = m->fields.size() == 1 && &m->fields[0] == held ? m : holder;
      Value v = Value::choice(schema, holder);
      v.object = &instance(schema, holder, owner, at);
      const Value& made =
          shared.arena.make<Value>(convert(value, typeOf(*held), what, at, v.object));
      v.object->slot(*held).holds = static_cast<const Value*>(&made);
      return made.poison() ? Value{} : v.at(value.range);
    }
  if (value.is(Value::ValueKind::Object) && !schema.isSum()) {
    shared.diags.report<diag::WrongKind>(at, shared.sources.text(value.range),
                                         withArticle(value.object->schema->name),
                                         withArticle(schema.name));
    return {};
  }
  return wrongType(value, type, what, at);
}

Value Conversions::convert(const Value& value, const Type& type, llvm::StringRef what,
                           SourceRange at, Object* owner) {
  if (value.unknown() || type.kind == Type::TypeKind::Error)
    return value;
  if (value.is(Value::ValueKind::Absent)) {
    if (type.optional)
      return value;
    return wrongType(value, type, what, at);
  }
  if (value.is(Value::ValueKind::Result)) // an error is reported where the figure is read
    return value;
  if (value.is(Value::ValueKind::Auto) && type.automatic)
    return value;
  switch (type.kind) {
  case Type::TypeKind::Error:
    return value;
  case Type::TypeKind::Bool:
    return value.is(Value::ValueKind::Bool) ? value : wrongType(value, type, what, at);
  case Type::TypeKind::String:
    return value.is(Value::ValueKind::String) ? value : wrongType(value, type, what, at);
  case Type::TypeKind::Name:
  case Type::TypeKind::Field:
  case Type::TypeKind::Column:
    return value.is(Value::ValueKind::Symbol) ? value : wrongType(value, type, what, at);
  case Type::TypeKind::Axis:
    if (value.is(Value::ValueKind::Rest))
      return value;
    [[fallthrough]];
  case Type::TypeKind::Count:
  case Type::TypeKind::Real:
  case Type::TypeKind::Batch:
  case Type::TypeKind::MicroBatch:
  case Type::TypeKind::Quantity:
    return value.is(Value::ValueKind::Number) ? convertNumber(value, type, what, at)
                                              : wrongType(value, type, what, at);
  case Type::TypeKind::Schema:
    return convertToSchema(value, type, what, at, owner);
  case Type::TypeKind::List: {
    if (!value.is(Value::ValueKind::List) && !value.is(Value::ValueKind::Range))
      return wrongType(value, type, what, at);
    std::vector<Value> values;
    if (!items(value, at, values))
      return {};
    if (!shared.budget.spend(values.size(), at))
      return {};
    for (Value& v : values) {
      v = convert(v, *type.element, what, v.range.valid() ? v.range : at, owner);
      if (v.unknown())
        return v;
    }
    // Elements that are choices or names must differ. Numbers may repeat: `split = [20, 20]`.
    const Type& element = *type.element;
    if (element.kind == Type::TypeKind::Name ||
        (element.kind == Type::TypeKind::Schema && element.schema->isSum()))
      for (std::size_t i = 1; i < values.size() && shared.budget.spend(i / 16, at); ++i)
        if (std::any_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const Value& v) { return equal(v, values[i]); })) {
          const Value& twice = values[i];
          shared.diags.report<diag::ListedTwice>(
              twice.range.valid() ? twice.range : at, what,
              twice.is(Value::ValueKind::Choice) ? twice.member->name : twice.text);
          return {};
        }
    return Value::listed(Value::ValueKind::List, shared.arena.copy(llvm::makeArrayRef(values)))
        .at(value.range);
  }
  case Type::TypeKind::Map:
    return value.is(Value::ValueKind::Family) ? value : wrongType(value, type, what, at);
  case Type::TypeKind::Vary:
    return value;
  }
  return {};
}

bool Conversions::items(const Value& value, SourceRange at, std::vector<Value>& out) {
  if (value.unknown())
    return false;
  if (value.is(Value::ValueKind::List)) {
    if (!shared.budget.spend(value.list.size(), at))
      return false;
    out.assign(value.list.begin(), value.list.end());
    return true;
  }
  if (value.is(Value::ValueKind::Family) && value.family->counted()) {
    std::vector<ElementRun> parts;
    if (!runs(*value.family, parts))
      return false;
    for (const ElementRun& run : parts) {
      if (out.size() + run.count > itemLimit) {
        shared.diags.report<diag::TooManyItems>(at, out.size() + run.count, itemLimit);
        return false;
      }
      out.insert(out.end(), run.count, run.value);
    }
    return true;
  }
  if (value.is(Value::ValueKind::Family)) {
    for (const ElementEntry& entry : entries(*value.family))
      out.push_back(entry.value);
    return true;
  }
  if (!value.is(Value::ValueKind::Range)) {
    shared.diags.report<diag::NotIterable>(at, describe(value));
    return false;
  }
  const dpl::Number &first = value.list[0].number, &last = value.list[1].number;
  const auto from = first.value.asInteger(), to = last.value.asInteger();
  const dpl::Dimension& d = first.dimension;
  const bool whole = d.none() || d == *dimensionNamed("Tokens") ||
                     d == *dimensionNamed("Sequences") || d == *dimensionNamed("Samples") ||
                     d == *dimensionNamed("Steps");
  if (!from || !to || !whole) {
    shared.diags
        .report<diag::NotWholeNumber>(at, "the range of a loop or list",
                                      describe(!from || !whole ? value.list[0] : value.list[1]))
        .help("`steps(0.1..0.5, 0.1)` gives a list of fractions");
    return false;
  }
  if (*to >= *from && Rational::compare(*Rational::subtract(*to, *from), itemLimit) >= 0) {
    const std::optional<Rational> span = Rational::subtract(*to, *from);
    shared.diags.report<diag::TooManyItems>(at, Rational::add(*span, 1)->str(), itemLimit);
    return false;
  }
  if (*to >= *from && !shared.budget.spend(static_cast<std::uint64_t>(*to - *from), at))
    return false;
  for (std::int64_t i = *from; i <= *to; ++i) {
    Value v = value.list[0];
    v.number.value = i;
    out.push_back(v);
  }
  return true;
}

bool Conversions::equal(const Value& a, const Value& b) const {
  if (a.kind != b.kind)
    return false;
  switch (a.kind) {
  case Value::ValueKind::Bool:
    return a.truth == b.truth;
  case Value::ValueKind::Number:
    return a.number.value == b.number.value && a.number.dimension == b.number.dimension &&
           a.number.scope == b.number.scope;
  case Value::ValueKind::String:
  case Value::ValueKind::Symbol:
    return a.text == b.text;
  case Value::ValueKind::Result:
    return a.figure.path == b.figure.path;
  case Value::ValueKind::Choice:
    return a.member == b.member && (!a.object || a.object == b.object || a.member->fields.empty());
  case Value::ValueKind::List:
  case Value::ValueKind::Range:
    if (a.list.size() != b.list.size())
      return false;
    // Lists do not change, so a list is equal to itself. Comparing the items of nested shared lists
    // could take exponential time.
    if (a.list.data() == b.list.data())
      return true;
    if (!shared.budget.spend(a.list.size(), a.range))
      return false;
    for (std::size_t i = 0; i < a.list.size(); ++i)
      if (!equal(a.list[i], b.list[i]))
        return false;
    return true;
  case Value::ValueKind::Object:
    return a.object == b.object;
  case Value::ValueKind::Family:
    return a.family == b.family;
  case Value::ValueKind::Absent:
  case Value::ValueKind::Rest:
  case Value::ValueKind::Auto:
    return true;
  case Value::ValueKind::Poison:
  case Value::ValueKind::Missing:
    return false;
  }
  return false;
}
